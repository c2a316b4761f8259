#pragma once
/// Files that are written whole or not at all, and the folders they go to.

#include <string>

namespace grashof {

/// Makes the folder `path` and those above it, where they are missing. Throws FileError when it cannot be
/// made.
void makeFolder(const std::string& path);

/// Writes `text` to the file `path`: to a file beside it, `path`.new, which then takes its place, so that an
/// error or a kill leaves the old file or the new one. What is no regular file, such as a pipe, is written
/// in place. Throws FileError when it cannot be written.
void saveText(const std::string& path, const std::string& text);

/// Lets the file `fresh` take the place of `path` at once. Throws FileError, and removes `fresh`, when it
/// cannot.
void replaceFile(const std::string& fresh, const std::string& path);

}  // namespace grashof
