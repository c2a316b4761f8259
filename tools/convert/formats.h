#pragma once
/// The formats that are read and written.

#include <string>

#include "tools/convert/source.h"
#include "tools/convert/tree.h"

namespace grashof::convert {

/// URDF (joints revolute, continuous, prismatic, fixed, floating, planar; also spherical and universal), with
/// the <loop> elements of URDF+. Throws InputError with all that is wrong.
Tree readUrdf(const std::string& path, const FileOptions& options, Report& report);

/// Adds what a loop-closure YAML says to a tree read from URDF: `closed_loop` (pairs of frames) with `type`
/// (6d, 3d), `name_mot`, and `joint_name` with `joint_type` (SPHERICAL, FIXED, UJOINT_ with two axes); in
/// capitals or not. Throws InputError.
void readLoops(const std::string& path, Tree& tree, Report& report);

/// MJCF, MuJoCo's XML. `keyframe`: name of the keyframe to start from; empty: the model's own pose. Throws
/// InputError.
Tree readMjcf(const std::string& path, const FileOptions& options, const std::string& keyframe,
              Report& report);

/// SDF, a world or a model, with what it includes. Throws InputError, also where the program was built
/// without libsdformat.
Tree readSdf(const std::string& path, const FileOptions& options, Report& report);

/// How an Adams/Solver dataset is read.
struct AdmOptions {
  double duration = 5.0;  ///< s: of the scenario, and of samples of functions of time; > 0
  bool strict = false;    ///< refuse inertias that no body can have, instead of repairing those slightly off
};

/// Whether a file is an Adams/Solver dataset, by its ending `.adm`.
bool isAdm(const std::string& path);

/// An Adams/Solver dataset (.adm), in SI, with the parts on their joints at the start. Throws InputError with
/// all that is wrong.
Scenario readAdm(const std::string& path, const AdmOptions& options, Report& report);

/// Writes a scenario as MJCF: a spanning tree of its joints, the other joints as equalities. Meshes go to a
/// folder beside it. Throws FileError when it cannot be written.
void writeMjcf(const Scenario& scenario, const std::string& path, Report& report);

/// Writes a scenario as URDF, and its loops as YAML beside it (`PATH` with the ending .yaml). Throws
/// FileError when they cannot be written, InputError when the scenario has bodies that no chain of joints
/// connects with the others.
void writeUrdf(const Scenario& scenario, const std::string& path, Report& report);

}  // namespace grashof::convert
