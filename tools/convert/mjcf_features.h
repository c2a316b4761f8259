#pragma once
/// What the reader does with each element and attribute of MJCF.

#include <span>
#include <string>

#include "engine/scenario/xml_element.h"
#include "tools/convert/features.h"
#include "tools/convert/tree.h"

namespace grashof::convert {

std::span<const Feature> mjcfFeatures();

/// Reports the attributes of an element that was read. `name`: of the element in the table; "": its tag.
void noteMjcf(const xml::Element& e, Report& report, const std::string& name = {});
/// Reports an element that is not read.
void noteMjcfElement(const xml::Element& e, Report& report);

}  // namespace grashof::convert
