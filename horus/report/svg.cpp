// SPDX-License-Identifier: Apache-2.0
#include "horus/report/svg.hpp"

#include <array>

#include <fmt/format.h>

#include "horus/report/markup.hpp"

namespace horus::report {
namespace {

std::string_view anchor_name(Anchor anchor) {
  constexpr std::array<std::string_view, 3> kNames{"start", "middle", "end"};
  return kNames[static_cast<std::size_t>(anchor)];
}

/// Two decimals, but none that say nothing: "12", "12.5".
std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string box_attributes(const Box& box) {
  return fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", coordinate(box.left),
                     coordinate(box.top), coordinate(box.width), coordinate(box.height));
}

std::string circle_attributes(Point centre, double radius) {
  return fmt::format("cx=\"{}\" cy=\"{}\" r=\"{}\"", coordinate(centre.x), coordinate(centre.y),
                     coordinate(radius));
}

std::string points_attribute(std::span<const Point> points) {
  std::string out;
  for (const Point& point : points) {
    if (!out.empty()) out += ' ';
    out += coordinate(point.x) + "," + coordinate(point.y);
  }
  return out;
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title, std::string_view style)
    : out_{fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
                       "width=\"{0}\" height=\"{1}\" role=\"img\">\n<title>{2}</title>\n"
                       "<style>{3}</style>\n",
                       coordinate(width), coordinate(height), markup_text(title), style)} {}

void Svg::rectangle(const Box& box, std::string_view css_class) {
  out_ += fmt::format("<rect class=\"{}\" {}/>\n", css_class, box_attributes(box));
}

void Svg::rectangle(const Box& box, std::string_view css_class, std::string_view hint) {
  out_ += fmt::format("<rect class=\"{}\" {}><title>{}</title></rect>\n", css_class,
                      box_attributes(box), markup_text(hint));
}

void Svg::circle(Point centre, double radius, std::string_view css_class) {
  out_ += fmt::format("<circle class=\"{}\" {}/>\n", css_class, circle_attributes(centre, radius));
}

void Svg::circle(Point centre, double radius, std::string_view css_class, std::string_view hint) {
  out_ += fmt::format("<circle class=\"{}\" {}><title>{}</title></circle>\n", css_class,
                      circle_attributes(centre, radius), markup_text(hint));
}

void Svg::line(Point from, Point to, std::string_view css_class) {
  out_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", css_class,
                      coordinate(from.x), coordinate(from.y), coordinate(to.x), coordinate(to.y));
}

void Svg::polyline(std::span<const Point> points, std::string_view css_class) {
  out_ +=
      fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", css_class, points_attribute(points));
}

void Svg::polygon(std::span<const Point> points, std::string_view css_class) {
  out_ +=
      fmt::format("<polygon class=\"{}\" points=\"{}\"/>\n", css_class, points_attribute(points));
}

void Svg::text(Point at, Anchor anchor, std::string_view css_class, std::string_view content) {
  out_ +=
      fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", css_class,
                  coordinate(at.x), coordinate(at.y), anchor_name(anchor), markup_text(content));
}

void Svg::text_upwards(Point at, Anchor anchor, std::string_view css_class,
                       std::string_view content) {
  out_ += fmt::format(
      "<text class=\"{}\" text-anchor=\"{}\" transform=\"translate({} {}) rotate(-90)\">{}</text>"
      "\n",
      css_class, anchor_name(anchor), coordinate(at.x), coordinate(at.y), markup_text(content));
}

std::string Svg::finish() && { return std::move(out_) + "</svg>\n"; }

}  // namespace horus::report
