#pragma once
/// Which bodies of a converted robot may touch each other. The parts that are judged are bodies, and in the
/// world what is welded together there: a robot's base is a part, a table beside it another.

#include <span>

#include "engine/model/model_builder.h"
#include "tools/convert/link_graph.h"

namespace grashof::convert {

/// Excludes what the tree says: its pairs of links, and neighbours by its rule. `bodyOf`: of each group, by
/// its first link.
void excludeNeighbours(const LinkGraph& g, std::span<const BodyId> bodyOf, ModelBuilder& builder);

/// Excludes pairs of parts of one robot as `how` says. `model`: what `builder` builds; `poses`: the assembled
/// CoM frames. Reports the pairs. Parts are of one robot if a chain of joints connects them, not through the
/// world.
void limitSelfContact(const LinkGraph& g, std::span<const BodyId> bodyOf, const Model& model,
                      std::span<const Pose> poses, SelfContact how, ModelBuilder& builder, Report& report);

/// The link of Shape::link for a shape of the tree's own world; empty where it needs none.
std::string ownWorldLink(const Tree& tree);

}  // namespace grashof::convert
