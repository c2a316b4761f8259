#pragma once
/// Studies as XML files.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/study/study.h"

namespace grashof::study {

/// What the file of a study says of a search, in the texts of the command `optimize`; empty, 0: nothing.
struct SearchTexts {
  std::string minimize, maximize;        ///< measures
  std::string target;                    ///< POINT=FILE, the file as seen from where the program runs
  std::vector<std::string> constraints;  ///< MEASURE<=VALUE, MEASURE>=VALUE
  std::string method;
  std::uint64_t evaluations = 0;
};

/// Reads a file whose root is <study> (assets/docs/studies.md), or takes a scenario, which then is all that
/// the definition has. `search`: gets what the file says of one, if it is given. Throws InputError.
StudyDefinition readStudyFile(const std::string& path, SearchTexts* search = nullptr);

}  // namespace grashof::study
