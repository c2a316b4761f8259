#include "engine/results/trajectory_v2.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "engine/dynamics/account/joint_loads.h"
#include "engine/results/contact_table.h"
#include "engine/results/hdf5_file.h"
#include "joints/joint_type.h"

namespace grashof {
namespace {

constexpr std::size_t kMaxItems = std::size_t{1} << 19;  // bodies, and joints: each has some ten channels
constexpr int kMaxFreedoms = 6;

/// Names of a file, and the layout that follows from them.
class Version2 {
 public:
  Version2(const Hdf5Reader& file, TrajectoryLayout& layout) : layout_(layout) { readNames(file); }

  void addChannels() {
    addRun();
    for (std::size_t b = 0; b < bodies_.size(); ++b) addBody(b);
    for (std::size_t j = 0; j < joints_.size(); ++j) addJoint(j);
    for (std::size_t k = 0; k < couplings_.size(); ++k)
      for (std::size_t i = 0; i < 2; ++i)
        addLoad(fmt::format("coupling.{}.effort.{}", couplings_[k], "ab"[i]), "N m, N", "couplings/effort",
                2 * k + i, "couplings/redundant", k, 1);
  }
  /// In the order of a record. Tables without columns are left out.
  void addTables(bool allContacts) {
    const std::size_t nb = bodies_.size(), nj = joints_.size(), nc = couplings_.size();
    const auto nq = static_cast<std::size_t>(start_.back());
    const auto add = [&](const char* name, std::size_t width) {
      if (width > 0) layout_.tables.push_back({name, width});
    };
    add("time", 1);
    add("bodies/pose", 7 * nb);
    add("bodies/twist", 6 * nb);
    add("joints/coordinates", nq);
    add("joints/effort", nq);
    add("joints/reaction", 6 * nj);
    add("joints/load", 6 * loadJoint_.size());
    add("couplings/effort", 2 * nc);
    add("energy", 5);
    add("residuals", 4);
    add("solver", 4);
    add("joints/redundant", nj);
    add("joints/effort_redundant", nq);
    add("couplings/redundant", nc);
    if (allContacts) add(kContactPointCount, 1);
    add("contacts/count", 1);
  }

 private:
  void readNames(const Hdf5Reader& file) {
    bodies_ = file.texts("bodies/names");
    joints_ = file.texts("joints/names");
    types_ = file.texts("joints/types");
    start_ = file.integers("joints/coordinate_start");
    couplings_ = file.texts("couplings/names");
    loadJoint_ = file.integers("joints/load_joint");
    loadCause_ = file.texts("joints/load_cause");
    const std::string start = "joints/coordinate_start";
    if (std::max({bodies_.size(), joints_.size(), couplings_.size()}) > kMaxItems)
      file.fail(fmt::format("has {} bodies, {} joints and {} couplings (at most {} of each are read)",
                            bodies_.size(), joints_.size(), couplings_.size(), kMaxItems));
    if (types_.size() != joints_.size()) file.fail("joints/types", "does not fit the joints");
    if (start_.size() != joints_.size() + 1 || start_.front() != 0)
      file.fail(start, "does not fit the joints");
    for (std::size_t j = 0; j < joints_.size(); ++j)
      if (const std::int64_t freedoms = std::int64_t{start_[j + 1]} - start_[j];
          freedoms < 0 || freedoms > kMaxFreedoms)
        file.fail(start, fmt::format("gives joint {} {} coordinates (0 to {})", j, freedoms, kMaxFreedoms));
    if (loadJoint_.size() > kLoadCauses.size() * joints_.size())
      file.fail("joints/load_joint", "does not fit the joints");
    if (loadCause_.size() != loadJoint_.size())
      file.fail("joints/load_cause", "does not fit joints/load_joint");
    for (const int j : loadJoint_)
      if (j < 0 || j >= static_cast<int>(joints_.size()))
        file.fail("joints/load_joint", "names a joint that there is not");
    parts_.resize(joints_.size());
    for (std::size_t p = 0; p < loadJoint_.size(); ++p)
      parts_[static_cast<std::size_t>(loadJoint_[p])].push_back(p);
  }

  void add(std::string name, const char* unit, const char* table, std::size_t column, int columns = 1) {
    layout_.channels.push_back(
        {std::move(name), unit, layout_.find(table), static_cast<int>(column), columns, -1, 0, 0});
  }
  void addLoad(std::string name, const char* unit, const char* table, std::size_t column, const char* open,
               std::size_t openColumn, int bits, int columns = 1) {
    add(std::move(name), unit, table, column, columns);
    RecordedChannel& channel = layout_.channels.back();
    channel.openTable = layout_.find(open);
    channel.openColumn = static_cast<int>(openColumn);
    channel.openBits = bits;
  }
  void addWrench(const std::string& start, const char* table, std::size_t column, std::size_t joint) {
    for (std::size_t i = 0; i < 6; ++i)
      addLoad(fmt::format("{}{}.{}", start, i < 3 ? "force" : "moment", "xyz"[i % 3]), i < 3 ? "N" : "N m",
              table, column + i, "joints/redundant", joint, 1 << i);
  }

  void addRun() {
    add("time", "s", "time", 0);
    for (std::size_t i = 0; const char* name : {"kinetic", "potential", "elastic", "total", "drift"})
      add(fmt::format("energy.{}", name), "J", "energy", i++);
    for (std::size_t i = 0; const char* name : {"joint", "limit", "penetration", "solver"})
      add(fmt::format("residual.{}", name),
          i == 2   ? "m"
          : i == 3 ? "m/s, rad/s"
                   : "m, rad",
          "residuals", i),
          ++i;
    for (std::size_t i = 0;
         const char* name : {"solver.iterations", "solver.factorizations", "contacts.count", "solver.method"})
      add(name, "", "solver", i++);
  }

  void addBody(std::size_t b) {
    const std::string name = "body." + bodies_[b] + ".";
    for (std::size_t i = 0; i < 3; ++i)
      add(fmt::format("{}position.{}", name, "xyz"[i]), "m", "bodies/pose", 7 * b + i);
    for (std::size_t i = 0; i < 4; ++i)
      add(fmt::format("{}quaternion.{}", name, "wxyz"[i]), "", "bodies/pose", 7 * b + 3 + i);
    for (std::size_t i = 0; i < 3; ++i)
      add(fmt::format("{}velocity.{}", name, "xyz"[i]), "m/s", "bodies/twist", 6 * b + i);
    for (std::size_t i = 0; i < 3; ++i)
      add(fmt::format("{}angular-velocity.{}", name, "xyz"[i]), "rad/s", "bodies/twist", 6 * b + 3 + i);
    add(name + "speed", "m/s", "bodies/twist", 6 * b, 3);
  }

  void addJoint(std::size_t j) {
    const std::string name = "joint." + joints_[j] + ".";
    const auto start = static_cast<std::size_t>(start_[j]);
    const std::size_t freedoms = static_cast<std::size_t>(start_[j + 1]) - start;
    const JointType* type = findJointType(types_[j]);
    if (type && type->freeDirections().size() != freedoms) type = nullptr;
    const auto turns = [&](std::size_t i) { return isRotation(type->freeDirections()[i]); };
    for (std::size_t i = 0; i < freedoms; ++i)
      add(fmt::format("{}q.{}", name, i),
          !type      ? "rad, m"
          : turns(i) ? "rad"
                     : "m",
          "joints/coordinates", start + i);
    for (const bool angle : {true, false})
      for (std::size_t i = 0; type && i < freedoms; ++i)
        if (turns(i) == angle) {
          add(name + (angle ? "angle" : "displacement"), angle ? "rad" : "m", "joints/coordinates",
              start + i);
          break;
        }
    for (std::size_t i = 0; i < freedoms; ++i)
      addLoad(fmt::format("{}effort.{}", name, i),
              !type      ? "N m, N"
              : turns(i) ? "N m"
                         : "N",
              "joints/effort", start + i, "joints/effort_redundant", start + i, 1);
    addWrench(name, "joints/reaction", 6 * j, j);
    addLoad(name + "reaction", "N", "joints/reaction", 6 * j, "joints/redundant", j, 7, 3);
    for (const std::size_t p : parts_[j]) addWrench(name + loadCause_[p] + ".", "joints/load", 6 * p, j);
  }

  TrajectoryLayout& layout_;
  std::vector<std::string> bodies_, joints_, types_, couplings_, loadCause_;
  std::vector<int> start_, loadJoint_;
  std::vector<std::vector<std::size_t>> parts_;  // of the load of each joint
};

}  // namespace

TrajectoryLayout tablesOfVersion2(const Hdf5Reader& file) {
  TrajectoryLayout layout;
  Version2(file, layout).addTables(file.has(kContactPointCount));
  return layout;
}

void addChannelsOfVersion2(const Hdf5Reader& file, TrajectoryLayout& layout) {
  Version2(file, layout).addChannels();
}

}  // namespace grashof
