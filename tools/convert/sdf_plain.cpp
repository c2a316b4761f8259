#include "tools/convert/sdf_plain.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "engine/base/utf8.h"
#include "engine/scenario/xml_element.h"
#include "tools/convert/surfaces.h"

namespace grashof::convert {
namespace {

/// Writes blanks over a part of a text; its lines stay.
void blankOut(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i)
    if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
}

/// Blanks out comments, which may hold anything.
void blankComments(std::string& text) {
  for (std::size_t at = text.find("<!--"); at != std::string::npos; at = text.find("<!--", at)) {
    const std::size_t end = text.find("-->", at);
    blankOut(text, at, end == std::string::npos ? text.size() : end + 3);
  }
}

/// Whether a tag of this name begins at `at`.
bool opens(const std::string& text, std::size_t at, const std::string& tag) {
  if (text.compare(at, tag.size() + 1, "<" + tag) != 0) return false;
  const std::size_t next = at + tag.size() + 1;
  return next < text.size() && std::string_view(" \t\r\n/>").find(text[next]) != std::string_view::npos;
}

/// Blanks out the elements of a name, which hold none of their own name. How many there were.
int blankElements(std::string& text, const std::string& tag) {
  int count = 0;
  for (std::size_t at = text.find("<" + tag); at != std::string::npos; at = text.find("<" + tag, at + 1)) {
    if (!opens(text, at, tag)) continue;
    const std::size_t head = text.find('>', at);
    if (head == std::string::npos) break;
    const std::string close = "</" + tag + ">";
    const std::size_t end = text[head - 1] == '/' ? head + 1 : text.find(close, head);
    if (end == std::string::npos) break;
    blankOut(text, at, text[head - 1] == '/' ? end : end + close.size());
    ++count;
  }
  return count;
}

/// Puts the friction without a bound for values below zero, which stand for it. How many there were.
int boundFrictions(std::string& text) {
  int count = 0;
  for (const std::string tag : {"<mu>", "<mu2>"})
    for (std::size_t at = text.find(tag); at != std::string::npos; at = text.find(tag, at + 1)) {
      const std::size_t from = at + tag.size(), to = text.find('<', from);
      if (to == std::string::npos) break;
      const auto numbers = xml::parseNumbers(text.substr(from, to - from));
      if (!numbers || numbers->size() != 1 || !(numbers->front() < 0.0)) continue;
      text.replace(from, to - from, std::to_string(static_cast<int>(kNoSlip)));
      ++count;
    }
  return count;
}

}  // namespace

Utf8Text sdfText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return utf8OfXml(std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()));
}

std::string plainSdf(const std::string& path, Report& report) {
  std::string text = sdfText(path).text;
  blankComments(text);
  if (blankElements(text, "material") > 0)
    Report::once(report.leftOut, "material of <visual> (looks that libsdformat does not read)");
  if (blankElements(text, "sensor") > 0)
    Report::once(report.leftOut, "sensor of <link> (channels of a scenario measure)");
  if (blankElements(text, "plugin") > 0)
    Report::once(report.leftOut, "plugin of <model> (plugins are not run)");
  if (boundFrictions(text) > 0)
    Report::once(report.approximated, "friction without a bound (mu below 0) as 1000");
  return text;
}

}  // namespace grashof::convert
