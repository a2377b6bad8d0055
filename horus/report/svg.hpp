// SPDX-License-Identifier: Apache-2.0
#pragma once
// A drawing as SVG text. Same calls, same bytes.

#include <span>
#include <string>
#include <string_view>

namespace horus::report {

/// In user units, from the top left corner.
struct Point {
  double x{};
  double y{};
};

struct Box {
  double left{};
  double top{};
  double width{};
  double height{};

  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
};

enum class Anchor { Start, Middle, End };

/// How an element looks is a class of the style sheet. Coordinates are written with two decimals.
class Svg {
 public:
  /// `title` is what screen readers say; `style` is CSS.
  Svg(double width, double height, std::string_view title, std::string_view style);

  void rectangle(const Box& box, std::string_view css_class);
  /// With a text that browsers show under the pointer.
  void rectangle(const Box& box, std::string_view css_class, std::string_view hint);
  void circle(Point centre, double radius, std::string_view css_class);
  /// With a text that browsers show under the pointer.
  void circle(Point centre, double radius, std::string_view css_class, std::string_view hint);
  void line(Point from, Point to, std::string_view css_class);
  void polyline(std::span<const Point> points, std::string_view css_class);
  void polygon(std::span<const Point> points, std::string_view css_class);
  void text(Point at, Anchor anchor, std::string_view css_class, std::string_view content);
  /// The same, turned to be read from below.
  void text_upwards(Point at, Anchor anchor, std::string_view css_class, std::string_view content);

  [[nodiscard]] std::string finish() &&;

 private:
  std::string out_;
};

}  // namespace horus::report
