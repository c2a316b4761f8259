#pragma once
/// What an exported file holds, as its reader sees it.

#include <string>

#include "engine/model/model.h"

namespace grashof::convert {

/// Mobility at the start with soft joints counted as rigid: loops of MJCF are soft.
int rigidMobility(const Model& model);

/// Reads an MJCF file, or a URDF with the loops beside it, that writeMjcf() or writeUrdf() made, and returns
/// its rigidMobility(). Throws InputError when it cannot be read.
int writtenMobility(const std::string& path, bool urdf);

}  // namespace grashof::convert
