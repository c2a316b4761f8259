#pragma once
/// Writing XML: elements with attributes, indented, numbers so that they read back bit for bit.

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tinyxml2.h>

#include "engine/base/math.h"
#include "engine/scenario/words.h"

namespace grashof::xml {

/// An XML document in memory, written element by element.
class Writer {
 public:
  Writer& open(const char* tag);
  Writer& close();
  Writer& attribute(const char* name, const std::string& value);
  Writer& attribute(const char* name, const char* value) { return attribute(name, std::string(value)); }
  Writer& attribute(const char* name, std::same_as<bool> auto value) {
    return attribute(name, std::string(value ? "true" : "false"));
  }
  Writer& attribute(const char* name, double value);
  Writer& attribute(const char* name, int value);
  Writer& attribute(const char* name, const Vec3& value);
  /// w x y z.
  Writer& attribute(const char* name, const Quat& value);
  // Those that differ from the default in the list of attributes. Of a number without one 0 and infinity
  // stand for none.
  Writer& unlessUsual(const char* name, double value);
  Writer& unlessUsual(const char* name, int value) { return unlessUsual(name, static_cast<double>(value)); }
  Writer& unlessUsual(const char* name, const std::string& value);
  Writer& unlessUsual(const char* name, std::same_as<bool> auto value) {
    return unlessUsual(name, std::string(value ? "true" : "false"));
  }
  template <typename E>
  requires std::is_enum_v<E> Writer& unlessUsual(const char* name, E value) {
    return unlessUsual(name, wordOf(value));
  }
  /// For the lists of fields.h.
  auto writing() {
    return [this](const char* name, const auto& value) { unlessUsual(name, value); };
  }
  Writer& comment(const std::string& text);

  std::string text() const { return printer_.CStr(); }
  /// Writes the document so far to a file. Throws FileError if it cannot be written.
  void save(const std::string& path) const;

 private:
  tinyxml2::XMLPrinter printer_;
  std::vector<std::string> tags_;  // of the elements that are open
};

/// Text that may stand in a comment.
std::string safeComment(const std::string& text);

/// Numbers separated by blanks, each the shortest that reads back the same.
std::string numbers(std::initializer_list<double> values);

}  // namespace grashof::xml
