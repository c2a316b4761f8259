#pragma once
/// Reading XML attributes strictly: each is read once, with its type, range and default; an attribute that is
/// not read is an error. All defects are collected, none stops the reading. Elements of scenarios have a
/// Context: their numbers may be expressions, and are in the units of the file, and what they may be stands
/// in the list of attributes (schema.h).

#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <tinyxml2.h>

#include "engine/base/error.h"
#include "engine/base/math.h"
#include "engine/model/defects.h"
#include "engine/scenario/context.h"
#include "engine/scenario/schema.h"

namespace grashof::xml {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

using grashof::kAny;
using grashof::kNotNegative;
using grashof::kPositive;
using grashof::kShare;
using grashof::Range;

/// Whole `text` as finite numbers separated by blanks; nothing when any part is not one. "inf" is not a
/// number.
std::optional<std::vector<double>> parseNumbers(const std::string& text);

/// One element of a document, and which of its attributes were read.
class Element {
 public:
  Element(tinyxml2::XMLElement& element, std::string file, std::string path, std::vector<Diagnostic>& found,
          std::shared_ptr<const Context> context = nullptr)
      : element_(&element),
        file_(std::move(file)),
        path_(std::move(path)),
        found_(&found),
        context_(std::move(context)) {}

  std::string tag() const { return element_->Name(); }
  const std::string& file() const { return file_; }
  const std::string& path() const { return path_; }
  int line() const { return element_->GetLineNum(); }
  /// Where defects of what this element defines are reported.
  Where where() const { return {file_, line(), path_}; }
  bool has(const char* name) const { return element_->Attribute(name) != nullptr; }
  /// The text between its tags, before the first child; empty: there is none.
  std::string content() const { return element_->GetText() ? element_->GetText() : ""; }
  const std::shared_ptr<const Context>& context() const { return context_; }
  /// From now on this element, and those that children() makes, are read with another context.
  void readWithin(std::shared_ptr<const Context> context) { context_ = std::move(context); }
  /// Attributes along a coordinate of a joint: whether that is an angle, for their units.
  void alongAngle(bool angle) { angle_ = angle; }

  // Attributes of scenarios, by the list: a missing one has its default there, if that is a value; where it
  // must be given, that is a defect. What is missing without a default, or wrong, leaves `value` alone.
  void read(const char* name, double& value);
  void read(const char* name, std::optional<double>& value);
  void read(const char* name, int& value);
  void read(const char* name, bool& value);
  void read(const char* name, Vec3& value);
  template <typename E>
  requires std::is_enum_v<E>
  void read(const char* name, E& value) {
    value = static_cast<E>(kFirst<E> + choice(name, static_cast<int>(value) - kFirst<E>));
  }
  /// For the lists of fields.h.
  auto reading() {
    return [this](const char* name, auto& value) { read(name, value); };
  }
  double number(const char* name) { return valueOf(name, 0.0); }
  double requiredNumber(const char* name);
  int integer(const char* name) { return valueOf(name, 0); }
  bool boolean(const char* name) { return valueOf(name, false); }
  Vec3 vector(const char* name) { return valueOf<Vec3>(name, Vec3::Zero()); }
  std::vector<double> numbers(const char* name);
  /// Index of the word in the list; `fallback`: of a wrong one, if the list has no default.
  int choice(const char* name, int fallback = 0);
  template <typename E>
  E choice(const char* name) {
    static_assert(kWords<E> != nullptr);
    return static_cast<E>(kFirst<E> + choice(name));
  }
  std::string text(const char* name);

  // Other attributes, and defaults that are no plain values.
  std::string text(const char* name, const std::string& fallback);
  std::string requiredText(const char* name);
  /// The attribute `name`, empty when it is missing: its rules are those of the ModelBuilder.
  std::string ownName();
  double number(const char* name, double fallback, Range range = kAny);
  double requiredNumber(const char* name, Range range);
  int integer(const char* name, int fallback, int lower = std::numeric_limits<int>::min(),
              int upper = std::numeric_limits<int>::max());
  bool boolean(const char* name, bool fallback);
  Vec3 vector(const char* name, const Vec3& fallback);
  /// Numbers, as many as one of `counts`, any number of them without; empty when missing or wrong.
  std::vector<double> numbers(const char* name, std::initializer_list<std::size_t> counts);
  /// A file name, relative to the folder of this element's file unless it is absolute.
  std::string filePath(const std::string& name) const;
  /// Index into `words`.
  int choice(const char* name, int fallback, const std::vector<std::string>& words);
  std::uint32_t bits(const char* name, std::uint32_t fallback);
  /// `position` and one of `quaternion` (w x y z) and `rpy` (rad, about fixed axes x, y, z in turn).
  Pose pose();
  Quat rotation();

  /// Children in order, all or those with a tag. The path of a child carries its name attribute: body[crank].
  std::vector<Element> children(const char* tag = nullptr) const;
  /// Sets an attribute in the document.
  void set(const char* name, const std::string& value);
  /// Attributes that were not read so far.
  std::vector<std::string> unread() const;
  /// Reports attributes that were not read, and text between the tags. Call after reading.
  void finish();
  /// Reports children: this element has none.
  void finishLeaf();
  void unknownChild(const Element& child, const std::vector<std::string>& known) const;

  /// Defects that were found so far, of all elements.
  std::size_t defects() const { return found_->size(); }
  void error(const std::string& message) const { error(line(), message); }
  /// Adds a sentence on what is allowed, and may not be meant.
  void remark(const std::string& message) const;
  void error(int line, const std::string& message) const { found_->push_back({file_, line, path_, message}); }

 private:
  friend class Reader;

  const AttributeType* find(const char* name) const;
  /// What the list says of an attribute. Throws std::logic_error where it says nothing.
  const AttributeType& listed(const char* name) const;
  template <typename Value>
  Value valueOf(const char* name, Value value) {
    read(name, value);
    return value;
  }
  std::vector<double> numbersOf(const char* name, std::span<const std::size_t> counts);

  const char* raw(const char* name);
  void note(const char* name);
  std::set<std::string> asked() const;
  /// `text` with the values of its {expressions}; `defect` says what is wrong with them.
  std::string filled(const char* text, std::string& defect) const;
  /// The numbers in the text of an attribute, in SI. `list`: separated by blanks. Else, or where a number is
  /// wrong: nothing, and why in `defect`.
  std::optional<std::vector<double>> evaluated(const char* name, const char* text, bool list,
                                               std::string& defect);
  std::optional<std::vector<double>> evaluatedItems(const char* name, const char* text, bool list,
                                                    std::string& defect);
  void deviate(const char* name, std::vector<double>& numbers) const;

  tinyxml2::XMLElement* element_;
  std::string file_, path_;
  std::vector<Diagnostic>* found_;
  std::shared_ptr<const Context> context_;
  mutable const ElementType* type_ = nullptr;  // null: not looked for, or there is none
  mutable std::size_t last_ = 0;               // attribute of the type that was found last
  bool angle_ = false;
  std::vector<const AttributeType*> asked_;
  std::set<std::string> askedOthers_;  // that the list does not have
  std::list<std::string> filled_;      // texts whose expressions were replaced
};

}  // namespace grashof::xml
