#pragma once
/// The elements of scenarios and their attributes. Units of numbers, the schema assets/scenario.xsd, the
/// tables in assets/schema.md and the dictionary of the fuzz target come from this one list.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grashof::xml {

/// Attributes of an element that the reference describes together.
struct Attribute {
  const char* names;  ///< with blanks between
  /// Name of a type of values in assets/scenario.xsd, or words with bars between. Empty: kind and unit that
  /// the attributes have in all elements, such as `rpy`.
  const char* kind;
  /// Unit in files without `units`; after a comma that along an angle. "SI: ", and what the reference then
  /// says: the same in every file.
  const char* unit;
  const char* standard;  ///< default, as in the reference; "required": it must be given
  const char* meaning;
};

/// One attribute.
struct AttributeType {
  std::string name, kind;
  std::string unit;   ///< of its numbers, as in Attribute
  std::string shown;  ///< in the reference
  std::string standard, meaning;

  /// True if numbers can be made of its text, and have a unit.
  bool numeric() const;
};

/// One element.
struct ElementType {
  ElementType(const char* named, std::initializer_list<std::span<const Attribute>> rows,
              const char* within = "", int fewest = 0);

  std::string tag;
  std::vector<AttributeType> attributes;
  /// Tags of its children, with blanks between. "@parts": all that are parts of a mechanism. "@arguments":
  /// none, and it has further attributes, values of parameters.
  std::string children;
  int least;  ///< least number of children
};

/// Tags of what may be in a scenario, a template or a pattern.
inline constexpr const char* kParts =
    "material surface body shape joint coupling motion motor wrench spring gas-spring cable tendon force "
    "bushing rolling "
    "knife-edge control include parameter template use replicate";

/// All elements, in the order of their tables.
const std::vector<ElementType>& elementTypes();

// What elementTypes() consists of.
void addSettings(std::vector<ElementType>& all);
void addBodies(std::vector<ElementType>& all);
void addElements(std::vector<ElementType>& all);

}  // namespace grashof::xml
