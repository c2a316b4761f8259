#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "engine/base/error.h"
#include "engine/base/spelling.h"
#include "engine/model/defects.h"
#include "joints/types/types.h"
#include "tools/convert/formats.h"

namespace grashof::convert {
namespace {

class LoopReader {
 public:
  LoopReader(const std::string& path, Tree& tree, Report& report)
      : path_(path), tree_(tree), report_(report) {}

  void read() {
    const YAML::Node root = load();  // const: looking a key up in a node that is not makes it
    if (!root.IsMap())
      throw InputError(path_ + ": needs closed_loop, type, name_mot at the top (a YAML map)");
    for (const auto& entry : root) {
      const std::string key = entry.first.as<std::string>();
      static const std::vector<std::string> known = {"closed_loop", "type", "name_mot", "joint_name",
                                                     "joint_type"};
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::string near = closest(key, known);
      if (!near.empty() && !root[near])
        error(entry.first, fmt::format("unknown key {} (did you mean {}?)", key, near));
      else
        Report::once(report_.leftOut, fmt::format("{} of {}", key, path_));
    }
    if (!found_.empty()) throw InputError(found_);
    readJointTypes(root);
    readClosures(root);
    for (const YAML::Node& name : list(root, "name_mot")) {
      const int joint = tree_.findJoint(text(name));
      if (joint < 0) {
        error(name, fmt::format("name_mot: the URDF has no joint '{}'", text(name)));
        continue;
      }
      LinkJoint& j = tree_.joints[static_cast<std::size_t>(joint)];
      if (j.coordinates.size() == 1)
        j.motor = true;
      else
        error(name, fmt::format("name_mot: joint '{}' has not one coordinate", text(name)));
    }
    if (!found_.empty()) throw InputError(found_);
  }

 private:
  YAML::Node load() const {
    try {
      return YAML::LoadFile(path_);
    } catch (const YAML::BadFile&) {
      throw InputError(path_ + ": cannot be read (is the path right, and a file?)");
    } catch (const YAML::Exception& e) {
      throw InputError(std::vector<Diagnostic>{{path_, e.mark.line + 1, {}, "no YAML: " + e.msg}});
    }
  }
  void error(const YAML::Node& node, const std::string& message) {
    found_.push_back({path_, node.Mark().line + 1, {}, message});
  }
  std::string text(const YAML::Node& node) {
    if (node.IsScalar()) return node.as<std::string>();
    error(node, "a name is expected here");
    return {};
  }
  std::vector<YAML::Node> list(const YAML::Node& root, const char* key) {
    std::vector<YAML::Node> all;
    const YAML::Node node = root[key];
    if (!node) return all;
    if (!node.IsSequence()) {
      error(node, fmt::format("{} needs a list", key));
      return all;
    }
    for (const YAML::Node& item : node) all.push_back(item);
    return all;
  }

  /// The joint of this name, or the one spelled almost so that the list does not name itself.
  int nearestJoint(const std::string& name, const std::vector<YAML::Node>& names) {
    const int index = tree_.findJoint(name);
    if (index >= 0) return index;
    std::vector<std::string> others;
    for (const LinkJoint& joint : tree_.joints)
      if (std::none_of(names.begin(), names.end(),
                       [&](const YAML::Node& n) { return text(n) == joint.name; }))
        others.push_back(joint.name);
    const std::string near = closest(name, others);
    if (near.empty() || near.size() + 2 < name.size() || name.size() + 2 < near.size()) return -2;
    report_.assumed.push_back(fmt::format("joint_name '{}' means joint '{}'", name, near));
    return tree_.findJoint(near);
  }

  /// Joints that the URDF writes as revolute, for want of better.
  void readJointTypes(const YAML::Node& root) {
    const auto names = list(root, "joint_name"), types = list(root, "joint_type");
    if (names.size() != types.size())
      error(root["joint_name"] ? root["joint_name"] : root,
            fmt::format("joint_name has {} entries, joint_type {} (one type a joint)", names.size(),
                        types.size()));
    for (std::size_t i = 0; i < std::min(names.size(), types.size()); ++i) {
      const int index = nearestJoint(text(names[i]), names);
      const std::string type = text(types[i]);
      if (index < 0) {
        error(names[i], fmt::format("joint_name: the URDF has no joint '{}'", text(names[i])));
        continue;
      }
      LinkJoint& joint = tree_.joints[static_cast<std::size_t>(index)];
      if (!retype(joint, type))
        error(types[i],
              fmt::format("joint_type: unknown type '{}' (SPHERICAL, FIXED, REVOLUTE, or UJOINT_ and its "
                          "two axes in their order, as in UJOINT_XY)",
                          type));
    }
  }

  /// Makes a joint what `type` says. Its frames become the URDF's own, with x along X rather than along the
  /// axis; those of a universal joint have x and y along its axes. False: there is no such type.
  static bool retype(LinkJoint& joint, const std::string& type) {
    const std::string name = lowered(type);
    Quat turn = joint.childFrame.rotation.conjugate();
    if (name == "revolute") return joint.kind == LinkJointKind::Revolute;
    if (name == "spherical") {
      joint.kind = LinkJointKind::Spherical;
      joint.coordinates.assign(3, {});
    } else if (name == "fixed") {
      joint.kind = LinkJointKind::Fixed;
      joint.coordinates.clear();
    } else if (name == "ujoint" || (name.starts_with("ujoint_") && name.size() == 9)) {
      const int a = name.size() == 9 ? name[7] - 'x' : 0, b = name.size() == 9 ? name[8] - 'x' : 1;
      if (std::min(a, b) < 0 || std::max(a, b) > 2 || a == b) return false;
      joint.kind = LinkJointKind::Universal;
      joint.coordinates.assign(2, {});
      Mat3 axes;
      axes << Vec3::Unit(a), Vec3::Unit(b), Vec3::Unit(a).cross(Vec3::Unit(b));
      turn = turn * Quat(axes);
    } else {
      return false;
    }
    joint.parentFrame = joint.parentFrame * Pose{Vec3::Zero(), turn};
    joint.childFrame = joint.childFrame * Pose{Vec3::Zero(), turn};
    return true;
  }

  static std::string lowered(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  }

  /// A frame is a link, or what a joint moves.
  int frame(const YAML::Node& node) {
    const std::string name = text(node);
    const int joint = tree_.findJoint(name);
    const int link = tree_.findLink(name);
    if (link >= 0) return link;
    if (joint >= 0) return tree_.joints[static_cast<std::size_t>(joint)].child;
    if (!name.empty())
      error(node, fmt::format("closed_loop: the URDF has no link or joint '{}' for this frame", name));
    return -2;
  }

  void readClosures(const YAML::Node& root) {
    const auto loops = list(root, "closed_loop"), types = list(root, "type");
    if (loops.size() != types.size())
      error(root["closed_loop"] ? root["closed_loop"] : root,
            fmt::format("closed_loop has {} entries, type {} (one type a loop)", loops.size(), types.size()));
    for (std::size_t i = 0; i < std::min(loops.size(), types.size()); ++i) {
      if (!loops[i].IsSequence() || loops[i].size() != 2) {
        error(loops[i], "closed_loop needs pairs of frames (as in: [[knee_A, knee_B]])");
        continue;
      }
      Loop loop;
      loop.line = loops[i].Mark().line + 1;
      loop.linkA = frame(loops[i][0]);
      loop.linkB = frame(loops[i][1]);
      const std::string type = text(types[i]);
      const std::string held = lowered(type);
      if (held == "6d" || held == "6" || held == "fixed")
        loop.type = &fixedJoint();
      else if (held == "3d" || held == "3" || held == "spherical")
        loop.type = &sphericalJoint();
      else
        error(types[i], fmt::format("unknown type '{}' of loop (6d or 3d)", type));
      loop.name = fmt::format("loop{}", i + 1);
      if (loop.linkA >= 0 && loop.linkB >= 0 && loop.type) tree_.loops.push_back(loop);
    }
  }

  std::string path_;
  Tree& tree_;
  Report& report_;
  std::vector<Diagnostic> found_;
};

}  // namespace

void readLoops(const std::string& path, Tree& tree, Report& report) { LoopReader(path, tree, report).read(); }

}  // namespace grashof::convert
