#pragma once
/// An SDF file as libsdformat reads it.

#include <iosfwd>
#include <sdf/Root.hh>
#include <sstream>
#include <string>
#include <vector>

#include "tools/convert/source.h"

namespace grashof::convert {

/// Keeps the library from printing to the console as long as it lives.
class SdfSilence {
 public:
  SdfSilence();
  ~SdfSilence();
  SdfSilence(const SdfSilence&) = delete;
  SdfSilence& operator=(const SdfSilence&) = delete;
  /// What would have been printed.
  std::string text() const { return captured_.str(); }

 private:
  std::ostringstream captured_;
  std::streambuf *error_, *output_;
};

/// Loads the file with all that it includes. Adds the errors of the library to `found`, except those about
/// inertias that no body can have, which are treated as those of other formats.
/// What the library refuses a file for although no motion depends on it is left out then, and reported.
sdf::Root loadSdf(const std::string& path, const FileOptions& options, std::vector<Diagnostic>& found,
                  Report& report);

}  // namespace grashof::convert
