// SPDX-License-Identifier: Apache-2.0
#include "horus/report/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/report/markup.hpp"

namespace horus::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Document with_cell(const std::string& text, Wording wording = Wording::Prose) {
  Document document{.title = "net", .summary = "batch 1", .lines = {}, .sections = {}};
  document.sections.push_back(
      {.heading = "Nodes",
       .table = Table{.columns = {{.title = "name", .align = Align::Left, .wording = wording},
                                  {.title = "MACs"}},
                      .rows = {{{.text = text}, {.text = "4.09 G"}}}},
       .lines = {}});
  return document;
}

TEST(Markdown, IsATableAsPullRequestsShowIt) {
  Document document = with_cell("relu", Wording::Name);
  document.lines = {{.label = "input ", .text = "x float32"}};
  EXPECT_EQ(markdown(document),
            "## `net`\n\nbatch 1\n\n- input x float32\n\n### Nodes\n\n"
            "| name | MACs |\n| :--- | ---: |\n| `relu` | 4.09 G |\n");
}

TEST(Markdown, LeavesNothingToReadAsMarkup) {
  const std::vector<std::pair<std::string, std::string>> spelled{
      {"a|b", "<code>a&#124;b</code>"},
      {"`rm`", "<code>&#96;rm&#96;</code>"},
      {"<img src=x>", "`<img src=x>`"},
      {"@everyone", "`@everyone`"},
      {"#1", "`#1`"},
      {"[x](http://y)", "`[x](http://y)`"},
      {"www.evil.org", "`www.evil.org`"},
      {"_a_ *b*", "`_a_ *b*`"},
      {"a\nb", "<code>a&#92;x0ab</code>"},
      {"", ""},
  };
  for (const auto& [text, expected] : spelled) {
    EXPECT_THAT(markdown(with_cell(text)), HasSubstr("| " + expected + " | 4.09 G |")) << text;
  }
}

TEST(Html, EscapesWhatAFileSays) {
  const std::string evil = "</td><script>alert('1')</script>\x1b[31m&";
  Document document = with_cell(evil);
  document.title = evil;
  document.lines = {{.label = evil, .text = evil}};
  const std::string page = html_head(evil) + html_body(document, "") + html_foot();
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;1&#39;)"));
}

TEST(Html, NeedsNothingFromElsewhere) {
  const std::string page = html_head("t") + html_body(with_cell("x"), "<svg></svg>") + html_foot();
  for (const char* word : {"http://", "https://", "<link", "@import", "url(", "<script"}) {
    EXPECT_THAT(page, Not(HasSubstr(word))) << word;
  }
  EXPECT_THAT(page, HasSubstr("<svg></svg>"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(TerminalPage, PutsLinesBelowTheTitleAndSectionsApart) {
  Document document = with_cell("relu");
  document.lines = {{.label = "input ", .text = "x"}};
  document.sections.push_back(
      {.heading = "Notes", .table = {}, .lines = {{.label = "note: ", .text = "all is well"}}});
  EXPECT_EQ(page(document, Colour::Off),
            "net  batch 1\ninput x\n\nname    MACs\n------------\nrelu  4.09 G\n\n"
            "note: all is well\n");
}

TEST(MarkupText, HoldsOnlyCharactersOfXml) {
  EXPECT_EQ(markup_text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(markup_text("\x01\xff"), "\\x01\\xff");
  // Not characters, says XML 1.0; well-formed UTF-8 all the same.
  EXPECT_EQ(markup_text("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");
  EXPECT_EQ(markup_text("\xef\xbf\xbe"), "\\xef\\xbf\\xbe");
}

}  // namespace
}  // namespace horus::report
