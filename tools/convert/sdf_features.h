#pragma once
/// What the reader does with each element and attribute of SDF. Attributes and elements inside an element
/// stand in one list.

#include <span>

#include "tools/convert/features.h"

namespace grashof::convert {

std::span<const Feature> sdfFeatures();

}  // namespace grashof::convert
