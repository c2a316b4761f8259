#pragma once
/// Texts of files in other encodings, as UTF-8.

#include <string>

namespace grashof {

/// A text in UTF-8, if it could be made.
struct Utf8Text {
  std::string text;
  std::string defect{};    ///< why it could not be made, and what mends that; empty: it could
  int line = 0;            ///< of the defect, 1-based; 0: of none
  std::string encoding{};  ///< what it was in; empty: UTF-8
};

/// XML by its byte order mark, else by the encoding of its declaration, else UTF-8. The declaration names
/// UTF-8 afterwards. What is no UTF-8 in comments is read as Windows-1252; elsewhere it is a defect.
Utf8Text utf8OfXml(std::string text);

/// Plain text by its byte order mark, else UTF-8, else Windows-1252: `assumed` becomes true then.
Utf8Text utf8OfText(std::string text, bool& assumed);

}  // namespace grashof
