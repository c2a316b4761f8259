#pragma once
/// What the reader does with each element and attribute of URDF. Attributes and elements inside an element
/// stand in one list.

#include <span>
#include <string>

#include "engine/scenario/xml_element.h"
#include "tools/convert/features.h"
#include "tools/convert/tree.h"

namespace grashof::convert {

std::span<const Feature> urdfFeatures();

/// Reports the attributes and elements inside an element that were not read. `name`: of the element in the
/// table; "": its tag.
void noteUrdf(const xml::Element& e, Report& report, const std::string& name = {});

}  // namespace grashof::convert
