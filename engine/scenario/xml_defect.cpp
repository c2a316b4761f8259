#include "engine/scenario/xml_defect.h"

#include <fmt/format.h>

#include "engine/base/utf8.h"

namespace grashof::xml {

XmlDefect parseXml(tinyxml2::XMLDocument& document, const std::string& text) {
  const Utf8Text utf8 = utf8OfXml(text);
  if (!utf8.defect.empty()) return {utf8.defect, utf8.line};
  document.Parse(utf8.text.data(), utf8.text.size());
  if (!document.Error()) return {};
  return {fmt::format("not well-formed XML: {}", document.ErrorStr() ? document.ErrorStr() : "unknown"),
          document.ErrorLineNum()};
}

}  // namespace grashof::xml
