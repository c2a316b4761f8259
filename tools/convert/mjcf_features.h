#pragma once
/// What the reader does with each element and attribute of MJCF: one table, from which come the lines of the
/// report and the table in assets/formats.md.

#include <span>
#include <string>

#include "engine/scenario/xml_element.h"
#include "tools/convert/tree.h"

namespace grashof::convert {

enum class Treatment {
  Taken,     ///< the scenario has it, or a line of the report says what it has instead
  NoEffect,  ///< does not change how the model moves
  LeftOut    ///< not taken; a line of the report says so
};

struct MjcfFeature {
  const char* elements = "";  ///< separated by blanks; PARENT/TAG where tags have several meanings
  Treatment treatment = Treatment::Taken;
  const char* attributes = "";  ///< separated by blanks; empty: the element itself
  const char* note = "";        ///< left out: what that means; taken: how
};

std::span<const MjcfFeature> mjcfFeatures();
/// The row of an attribute, or of the element for attribute ""; null: MJCF has none of this name.
const MjcfFeature* mjcfFeature(const std::string& element, const std::string& attribute);

/// Reports the attributes of an element that was read. `name`: of the element in the table; "": its tag.
void noteMjcf(const xml::Element& e, Report& report, const std::string& name = {});
/// Reports an element that is not read.
void noteMjcfElement(const xml::Element& e, Report& report);

/// The table in Markdown, one line per row.
std::string mjcfFeatureTable();

}  // namespace grashof::convert
