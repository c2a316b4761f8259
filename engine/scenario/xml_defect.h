#pragma once
/// What a user is told of text that is no XML.

#include <string>

#include <tinyxml2.h>

namespace grashof::xml {

/// Why a text is no XML.
struct XmlDefect {
  std::string message;  ///< empty: it is
  int line = 0;         ///< 1-based; 0: of none
};

/// Parses a text of any encoding (engine/base/utf8.h); the document is in UTF-8.
XmlDefect parseXml(tinyxml2::XMLDocument& document, const std::string& text);

}  // namespace grashof::xml
