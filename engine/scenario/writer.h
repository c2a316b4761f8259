#pragma once
/// Writes a scenario back as XML.

#include <string>

#include "engine/scenario/scenario.h"

namespace grashof {

/// Writes `scenario` to `path`, so that reading it gives the same model: names, inertias, frames and numbers
/// bit for bit, but for poses, which turn by rounding errors. Includes, series in files and perturbations are
/// written out. Meshes and height fields go to files in a folder beside it, named like it (`crane-meshes/`
/// for `crane.xml`), created when needed. `remark`: a comment at the top. Throws FileError if a file cannot
/// be written.
void writeScenario(const Scenario& scenario, const std::string& path, const std::string& remark = {});

/// A number in hexadecimal digits that differs, but for chance, for scenarios that move differently: of all
/// that writeScenario() writes but duration, output and expectations.
std::string motionDigest(Scenario scenario);

}  // namespace grashof
