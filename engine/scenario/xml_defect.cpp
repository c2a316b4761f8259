#include "engine/scenario/xml_defect.h"

#include <fmt/format.h>

namespace grashof::xml {

std::string xmlDefect(const tinyxml2::XMLDocument& document, const std::string& text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
      text.starts_with(std::string("<\0", 2)) || text.starts_with(std::string("\0<", 2)))
    return "is UTF-16 (save it as UTF-8)";
  return fmt::format("not well-formed XML: {}", document.ErrorStr() ? document.ErrorStr() : "unknown");
}

}  // namespace grashof::xml
