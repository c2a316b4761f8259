#pragma once
/// The elements of scenarios and their attributes. Units of numbers, the schema assets/scenario.xsd, the
/// tables in assets/schema.md and the dictionary of the fuzz target come from this one list, and the reader
/// has kinds, ranges, choices and defaults from it.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/defects.h"
#include "engine/scenario/units.h"

namespace grashof::xml {

/// Attributes of an element that the reference describes together.
struct Attribute {
  const char* names;  ///< with blanks between
  /// Name of a type of values in assets/scenario.xsd, or words with bars between; empty: kind and unit that
  /// the attributes have in all elements, such as `rpy`. After it "checked", where the reader checks the
  /// range, since the model does not, or the two bounds that the reader checks.
  const char* kind;
  /// Unit in files without `units`; after a comma that along an angle. "SI: ", and what the reference then
  /// says: the same in every file.
  const char* unit;
  /// Default, as in the reference; the reader takes numbers, and what stands alone between "`". "required":
  /// it must be given. "refused": the reader takes it, so that the model says why not; the reference does not
  /// have it.
  const char* standard;
  const char* meaning;
};

// Words for the values of an enumeration, with bars between and in the order of the values, and the value of
// the first word: words.h.
template <typename E>
inline constexpr const char* kWords = nullptr;
template <typename E>
inline constexpr int kFirst = 0;

/// The word at a place in a text with bars between.
std::string_view wordAt(std::string_view text, int index);

/// The word for a value.
template <typename E>
std::string wordOf(E value) {
  static_assert(kWords<E> != nullptr);
  return std::string(wordAt(kWords<E>, static_cast<int>(value) - kFirst<E>));
}

/// One attribute.
struct AttributeType {
  AttributeType(std::string_view named, const Attribute& row, const Attribute& type);

  std::string name, kind;
  std::string unit;   ///< of its numbers, as in Attribute
  std::string shown;  ///< in the reference
  std::string standard, meaning;
  bool required = false, refused = false;
  Range range;                      ///< that the reader checks
  std::vector<std::size_t> counts;  ///< how many numbers it has, of a list; empty: any number of them
  std::vector<std::string> words;   ///< of a choice
  std::vector<double> usual;        ///< default, where that is numbers, in SI
  std::string usualText;            ///< default, where that is a text or word
  AttributeUnit measure;

  /// True if numbers can be made of its text, and have a unit.
  bool numeric() const;
};

/// One element.
struct ElementType {
  ElementType(const char* named, std::initializer_list<std::span<const Attribute>> rows,
              const char* within = "", int fewest = 0);

  /// Null: the element has no such attribute.
  const AttributeType* find(std::string_view name) const;

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
/// Null: there is none.
const ElementType* findElementType(std::string_view tag);
/// Throws std::logic_error for an attribute that is not in the list.
const AttributeType& listedAttribute(std::string_view tag, std::string_view name);

// What elementTypes() consists of.
void addSettings(std::vector<ElementType>& all);
void addBodies(std::vector<ElementType>& all);
void addElements(std::vector<ElementType>& all);

}  // namespace grashof::xml
