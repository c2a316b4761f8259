#include "engine/scenario/xml_writer.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/base/output_file.h"

namespace grashof::xml {

std::string numbers(std::initializer_list<double> values) {
  std::string text;
  for (const double x : values) text += fmt::format("{}{}", text.empty() ? "" : " ", x + 0.0);
  return text;
}

Writer& Writer::open(const char* tag) {
  printer_.OpenElement(tag);
  tags_.emplace_back(tag);
  return *this;
}

Writer& Writer::close() {
  printer_.CloseElement();
  tags_.pop_back();
  return *this;
}

Writer& Writer::attribute(const char* name, const std::string& value) {
  printer_.PushAttribute(name, value.c_str());
  return *this;
}

Writer& Writer::attribute(const char* name, double value) { return attribute(name, numbers({value})); }
Writer& Writer::attribute(const char* name, int value) { return attribute(name, std::to_string(value)); }
Writer& Writer::attribute(const char* name, const Vec3& v) {
  return attribute(name, numbers({v.x(), v.y(), v.z()}));
}
Writer& Writer::attribute(const char* name, const Quat& q) {
  return attribute(name, numbers({q.w(), q.x(), q.y(), q.z()}));
}

Writer& Writer::unlessUsual(const char* name, double value) {
  const AttributeType& type = listedAttribute(tags_.back(), name);
  const bool usual = type.usual.empty() ? value == 0.0 || !std::isfinite(value) : value == type.usual[0];
  return usual || type.refused ? *this : attribute(name, value);
}

Writer& Writer::unlessUsual(const char* name, const std::string& value) {
  return value == listedAttribute(tags_.back(), name).usualText ? *this : attribute(name, value);
}

std::string safeComment(const std::string& text) {
  std::string safe = " " + text + " ";
  for (std::size_t at = safe.find("--"); at != std::string::npos; at = safe.find("--"))
    safe.replace(at, 2, "- -");
  return safe;
}

Writer& Writer::comment(const std::string& text) {
  printer_.PushComment(safeComment(text).c_str());
  return *this;
}

void Writer::save(const std::string& path) const { saveText(path, printer_.CStr()); }

}  // namespace grashof::xml
