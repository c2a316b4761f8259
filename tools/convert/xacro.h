#pragma once
/// Expansion of xacro, the macro language in which URDF files are written.

#include <string>
#include <vector>

#include "tools/convert/source.h"

namespace grashof::convert {

/// A place in one of the files that were read.
struct FilePlace {
  std::string file;
  int line = 0;  ///< 1-based
};

/// An expanded file.
struct ExpandedXacro {
  std::string text;               ///< URDF, an element a line
  std::vector<FilePlace> places;  ///< where each of its lines is from
};

/// Whether a file is written in xacro, by its ending `.xacro`.
bool isXacro(const std::string& path);

/// `NAME:=VALUE` as the program is given it. Throws InputError for other texts.
XacroArgument parseXacroArgument(const std::string& text);

/// Expands properties with arithmetic, arguments, macros with blocks, conditions and includes; `$(find
/// PACKAGE)` becomes `package://PACKAGE`, which is found as meshes are. Throws InputError with file and line
/// for what is wrong, for what is not expanded (lists, dictionaries and methods of Python, `xacro:element`,
/// `xacro:attribute`, namespaces, the environment), and for more than 64 MiB.
ExpandedXacro expandXacro(const std::string& path, const FileOptions& options);

/// What was said of the lines of the expanded text, said of the lines that they are from. `path`: of the file
/// that was expanded.
std::vector<Diagnostic> placedDiagnostics(const ExpandedXacro& expanded, const std::string& path,
                                          std::vector<Diagnostic> found);

}  // namespace grashof::convert
