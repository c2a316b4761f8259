#pragma once
/// What a user is told of text that is no XML.

#include <string>

#include <tinyxml2.h>

namespace grashof::xml {

/// What is wrong with `text`, which `document` could not parse.
std::string xmlDefect(const tinyxml2::XMLDocument& document, const std::string& text);

}  // namespace grashof::xml
