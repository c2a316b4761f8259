#pragma once
/// Files that an SDF file includes.

#include <map>
#include <string>
#include <vector>

#include "tools/convert/source.h"

namespace grashof::convert {

/// The files and folders that `path` includes, and those that these include, by the <uri> that names them.
/// Reports those that are not there, are no XML or include themselves.
std::map<std::string, std::string> findSdfIncludes(const std::string& path, const FileOptions& options,
                                                   std::vector<Diagnostic>& found);

}  // namespace grashof::convert
