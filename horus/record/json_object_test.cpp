// SPDX-License-Identifier: Apache-2.0
#include "horus/record/json_object.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace horus::record {
namespace {

TEST(JsonText, EscapesWhatRfc8259Demands) {
  EXPECT_EQ(json_text("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_text("\n\x1f\x7f"), R"("\u000a\u001f\u007f")");
  EXPECT_EQ(json_text(std::string_view{"\0", 1}), R"("\u0000")");
  EXPECT_EQ(json_text("Größe 漢 🙂"), "\"Größe 漢 🙂\"");
}

TEST(JsonText, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(json_text("a\xff"), R"("a\ufffd")");
  EXPECT_EQ(json_text("\xc3"), R"("\ufffd")") << "cut short";
  EXPECT_EQ(json_text("\xc0\x80"), R"("\ufffd\ufffd")") << "longer than needed";
  EXPECT_EQ(json_text("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")") << "half of a UTF-16 pair";
  EXPECT_EQ(json_text("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")") << "beyond Unicode";
}

TEST(JsonObject, SpellsAbsenceAsNull) {
  JsonObject object;
  object.text("a", {}).number("b", {}).integer("c", {}).truth("d", {});
  EXPECT_EQ(object.str(), R"({"a":null,"b":null,"c":null,"d":null})");
}

TEST(JsonObject, SpellsNumbersThatJsonKnows) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  JsonObject object;
  object.number("a", 12.34567).number("b", -0.00001).number("c", kInfinity).number("d", 3.0);
  object.number("e", 1e15).integer("f", -7).truth("g", true);
  EXPECT_EQ(object.str(),
            R"({"a":12.3457,"b":0,"c":null,"d":3,"e":1000000000000000,"f":-7,"g":true})");
}

TEST(JsonObject, NestsWhatIsJsonAlready) {
  EXPECT_EQ(JsonObject{}.json("a", json_array(std::vector<std::string>{"1", "null"})).str(),
            R"({"a":[1,null]})");
  EXPECT_EQ(json_array({}), "[]");
}

}  // namespace
}  // namespace horus::record
