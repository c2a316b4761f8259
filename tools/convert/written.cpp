#include "tools/convert/written.h"

#include <filesystem>
#include <utility>

#include "engine/analysis/mobility.h"
#include "tools/convert/formats.h"
#include "tools/convert/soft_coupling.h"

namespace grashof::convert {

int rigidMobility(const Model& model) {
  Model rigid = model;
  for (Joint& joint : rigid.joints) joint.softness = {};
  for (const ForceElement& element : model.forces)
    if (auto coupling = couplingOf(element)) rigid.couplings.push_back(std::move(*coupling));
  const State state = rigid.initialState();
  return analyseMobility(rigid, state.poses, state.coordinates).mobility();
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
