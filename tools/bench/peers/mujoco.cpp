#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/base/output_file.h"
#include "tools/bench/mujoco_model.h"
#include "tools/bench/peers/peer.h"

namespace grashof::bench {
namespace {

/// Constraints: MuJoCo's own, or as stiff as a step allows (solref at two of them). RK4: its integrator of
/// fourth order.
enum class Setting { Default, Stiff, StiffRk4 };

std::string text(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }

/// The scene in MuJoCo's language: joints span trees, and what closes a loop becomes a `connect` equality.
class Mjcf {
 public:
  Mjcf(const Scene& scene, Setting setting) : scene_(scene), inTree_(scene.joints.size(), false) {
    std::vector<bool> reached(scene.bodies.size(), false);
    parent_.assign(scene.bodies.size(), -1);
    parentJoint_.assign(scene.bodies.size(), -1);
    for (bool grew = true; grew;) {
      grew = false;
      for (std::size_t j = 0; j < scene.joints.size(); ++j) {
        const SceneJoint& joint = scene.joints[j];
        if (reached[joint.follower] || (joint.base >= 0 && !reached[joint.base])) continue;
        reached[joint.follower] = inTree_[j] = grew = true;
        parent_[joint.follower] = joint.base;
        parentJoint_[joint.follower] = static_cast<int>(j);
      }
    }
    const bool stiff = setting != Setting::Default;
    const std::string solver =
        stiff ? fmt::format(" solref=\"{0} 1\" solimp=\"0.9999 0.9999 0.001\"", 2.0 * scene.timestep) : "";
    xml_ = fmt::format(
        "<mujoco><compiler angle=\"radian\"/><size njmax=\"8000\" nconmax=\"2000\"/><option timestep=\"{}\" "
        "gravity=\"0 0 -9.81\"{}{}/>"
        "<default><geom friction=\"{} 0.005 0.0001\"{}/><equality{}/></default><worldbody>",
        scene.timestep, stiff ? " cone=\"elliptic\"" : "",
        setting == Setting::StiffRk4 ? " integrator=\"RK4\"" : "", scene.friction, solver, solver);
    if (scene.collides()) xml_ += R"(<geom type="plane" size="0 0 1"/>)";
    addChildren(-1);
    xml_ += "</worldbody><equality>";
    for (std::size_t j = 0; j < scene.joints.size(); ++j) {
      if (inTree_[j]) continue;
      const SceneJoint& joint = scene.joints[j];
      const int other = joint.base;
      const Vec3 anchor = scene.bodies[joint.follower].pose.inverse() * joint.point;
      xml_ += fmt::format("<connect body1=\"b{}\"{} anchor=\"{}\"/>", joint.follower,
                          other < 0 ? "" : fmt::format(" body2=\"b{}\"", other), text(anchor));
    }
    xml_ += "</equality></mujoco>";
  }
  const std::string& xml() const { return xml_; }

 private:
  void addChildren(int parent) {
    const Pose world;
    const Pose& from = parent < 0 ? world : scene_.bodies[parent].pose;
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      if (parent_[b] != parent) continue;
      const SceneBody& body = scene_.bodies[b];
      const Pose pose = from.inverse() * body.pose;
      xml_ += fmt::format("<body name=\"b{}\" pos=\"{}\" quat=\"{:.17g} {}\">", b, text(pose.position),
                          pose.rotation.w(), text(pose.rotation.vec()));
      xml_ += fmt::format("<inertial pos=\"0 0 0\" mass=\"{:.17g}\" diaginertia=\"{}\"/>", body.mass,
                          text(body.inertia()));
      if (parentJoint_[b] < 0) {
        xml_ += "<freejoint/>";
      } else {
        const SceneJoint& joint = scene_.joints[parentJoint_[b]];
        xml_ += fmt::format("<joint type=\"{}\" pos=\"{}\" axis=\"{}\" stiffness=\"{}\"/>",
                            joint.kind == JointKind::Hinge ? "hinge" : "slide",
                            text(body.pose.inverse() * joint.point),
                            text(body.pose.rotation.conjugate() * joint.axis), joint.stiffness);
      }
      if (body.collides) xml_ += fmt::format("<geom type=\"box\" size=\"{}\"/>", text(body.halfSize));
      addChildren(static_cast<int>(b));
      xml_ += "</body>";
    }
  }

  const Scene& scene_;
  std::vector<bool> inTree_;
  std::vector<int> parent_, parentJoint_;
  std::string xml_;
};

class MujocoPeer final : public Peer {
 public:
  MujocoPeer(const Scene& scene, Setting setting) {
    const std::string path =
        (std::filesystem::temp_directory_path() / fmt::format("grashof-bench-{}.xml", getpid())).string();
    saveText(path, Mjcf(scene, setting).xml());
    model_ = loadMujoco(path);
    std::filesystem::remove(path);
    data_.reset(mj_makeData(model_.get()));
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
      ids_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, fmt::format("b{}", b).c_str()));
  }
  void step() override { mj_step(model_.get(), data_.get()); }
  void read(std::span<Pose> poses, std::span<Vec6> twists) override {
    // A state that is not finite is reset to the start, with no more than a warning.
    if (mujocoDiverged(*data_)) twists[0].setConstant(NAN);
    if (twists[0].hasNaN()) return;
    // A step leaves the poses of its start behind.
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    for (std::size_t b = 0; b < ids_.size(); ++b) {
      const int id = ids_[b];
      poses[b].position = Eigen::Map<const Vec3>(&data_->xpos[3 * id]);
      const double* q = &data_->xquat[4 * id];
      poses[b].rotation = Quat(q[0], q[1], q[2], q[3]);
      Vec6 spinFirst;
      mj_objectVelocity(model_.get(), data_.get(), mjOBJ_XBODY, id, spinFirst.data(), 0);
      twists[b] << spinFirst.tail<3>(), spinFirst.head<3>();
    }
  }

 private:
  MujocoModel model_;
  MujocoData data_;
  std::vector<int> ids_;
};

}  // namespace

std::vector<Contender> mujocoContenders() {
  const auto make = [](Setting setting) {
    return [setting](const Scene& scene) { return std::make_unique<MujocoPeer>(scene, setting); };
  };
  return {{mujocoName(), "default", make(Setting::Default)},
          {mujocoName(), "stiff, elliptic", make(Setting::Stiff)},
          {mujocoName(), "stiff, RK4", make(Setting::StiffRk4)}};
}

}  // namespace grashof::bench
