#pragma once
/// Tables of what a reader does with each element and attribute of a format. The lines of the report and the
/// tables in assets/formats.md come from them.

#include <span>
#include <string>

namespace grashof::convert {

enum class Treatment {
  Taken,     ///< the scenario has it, or a line of the report says what it has instead
  NoEffect,  ///< does not change how the model moves
  LeftOut    ///< not taken; a line of the report says so
};

struct Feature {
  const char* elements = "";  ///< separated by blanks; PARENT/TAG where tags have several meanings
  Treatment treatment = Treatment::Taken;
  const char* attributes = "";  ///< separated by blanks; empty: the element itself
  const char* note = "";        ///< left out: what that means; taken: how
};

/// The row of an attribute, or of the element for attribute ""; null: the table has none of this name.
const Feature* findFeature(std::span<const Feature> table, const std::string& element,
                           const std::string& attribute);

/// A table in Markdown, one line per row.
std::string featureTable(std::span<const Feature> table);

}  // namespace grashof::convert
