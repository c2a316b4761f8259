#pragma once
/// Studies as XML files.

#include <string>

#include "engine/study/study.h"

namespace grashof::study {

/// Reads a file whose root is <study> (assets/docs/studies.md), or takes a scenario, which then is all that
/// the definition has. Throws InputError.
StudyDefinition readStudyFile(const std::string& path);

}  // namespace grashof::study
