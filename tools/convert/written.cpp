#include "tools/convert/written.h"

#include <filesystem>
#include <utility>

#include "engine/analysis/mobility.h"
#include "engine/model/model_builder.h"
#include "tools/convert/formats.h"
#include "tools/convert/soft_coupling.h"

namespace grashof::convert {

namespace {

/// A tendon between two points whose length is kept, as a distance joint.
void addRod(const ForceElement& e, const Model& model, ModelBuilder& builder) {
  if (!e.law.rigid || e.law.side != ForceSide::Both || !e.terms.empty() || e.path.size() != 2) return;
  if (e.path[0].kind != CableNodeKind::Point || e.path[1].kind != CableNodeKind::Point) return;
  const bool turned = e.path[1].body < 0;
  const CableSupport &base = e.path[turned ? 1 : 0], &follower = e.path[turned ? 0 : 1];
  if (follower.body < 0 || base.body == follower.body) return;
  const auto frame = [&](const CableSupport& s) -> FrameDef {
    const Pose own = s.body < 0 ? Pose{} : model.bodies[static_cast<std::size_t>(s.body)].userFrame.inverse();
    return {.position = own * s.position};
  };
  builder.addJoint({.name = e.name + "_kept",
                    .type = "distance",
                    .base = BodyId{base.body},
                    .follower = BodyId{follower.body},
                    .baseFrame = frame(base),
                    .followerFrame = frame(follower),
                    .length = e.law.length});
}

}  // namespace

int rigidMobility(const Model& model) {
  Model rigid = model;
  for (Joint& joint : rigid.joints) joint.softness = {};
  for (const ForceElement& element : model.forces)
    if (auto coupling = couplingOf(element)) rigid.couplings.push_back(std::move(*coupling));
  ModelBuilder builder(rigid);
  for (const ForceElement& element : model.forces) addRod(element, model, builder);
  const std::shared_ptr<const Model> held = builder.build();
  const State state = held->initialState();
  return mobilityAt(*held, state.poses, state.coordinates);
}

int writtenMobility(const std::string& path, bool urdf) {
  Report report;
  FileOptions files;
  files.skipMissingMeshes = true;
  BuildOptions options;
  options.selfContact = SelfContact::All;  // contacts do not matter here
  if (!urdf) return rigidMobility(*buildScenario(readMjcf(path, files, "", report), options, report).model);
  Tree tree = readUrdf(path, files, report);
  readLoops(std::filesystem::path(path).replace_extension(".yaml").string(), tree, report);
  // The writer has a link for the world where something is joined to it.
  options.floatingBase = tree.findLink("world_") < 0;
  return rigidMobility(*buildScenario(tree, options, report).model);
}

}  // namespace grashof::convert
