#pragma once
/// Writing XML: elements with attributes, indented, numbers so that they read back bit for bit.

#include <concepts>
#include <string>
#include <string_view>

#include <tinyxml2.h>

#include "engine/base/math.h"

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
  Writer& comment(const std::string& text);

  std::string text() const { return printer_.CStr(); }
  /// Writes the document so far to a file. Throws FileError if it cannot be written.
  void save(const std::string& path) const;

 private:
  tinyxml2::XMLPrinter printer_;
};

/// Text that may stand in a comment.
std::string safeComment(const std::string& text);

/// Numbers separated by blanks, each the shortest that reads back the same.
std::string numbers(std::initializer_list<double> values);

}  // namespace grashof::xml
