#pragma once
/// Which bodies of a converted robot may touch each other.

#include <span>

#include "engine/model/model_builder.h"
#include "tools/convert/link_graph.h"

namespace grashof::convert {

/// Excludes the pairs of bodies that joints join, also through links that have no mass of their own. What is
/// joined to the world may touch it when the world is a scene, as in MuJoCo: shapes of the tree's own world,
/// or no shape yet. `bodyOf`: of each group, by its first link.
void excludeNeighbours(const LinkGraph& g, std::span<const BodyId> bodyOf, ModelBuilder& builder);

/// Excludes pairs of bodies of one robot as `how` says. `model`: what `builder` builds; `poses`: the
/// assembled CoM frames. Reports the pairs. Bodies are of one robot if a chain of joints connects them; the
/// world is part of it when links of the robot are fixed to it and it has no shapes of its own.
void limitSelfContact(const LinkGraph& g, const Model& model, std::span<const Pose> poses, SelfContact how,
                      ModelBuilder& builder, Report& report);

}  // namespace grashof::convert
