// Free joints of MJCF that are aligned with the inertial frame of their body.
#include <cmath>

#include "engine/model/user_frames.h"
#include "tests/tools/mjcf_support.h"
#include "tools/convert/mjcf_axes.h"

using namespace grashof;
using namespace grashof::convert;
using test::fromMjcfText, test::mjcfError;

namespace {

/// A body with a mass off its origin, whose principal axes are turned about z.
const std::string kOff =
    "<inertial pos='.3 .1 0' mass='2' diaginertia='.1 .2 .25' quat='.9238795325112867 0 0 "
    ".3826834323650898'/><geom name='g' size='.1' pos='.3 .1 0' mass='0'/>";

Pose placeOf(const Model& model, const std::string& body) {
  const int b = model.findBody(body);
  REQUIRE(b >= 0);
  return userPose(model, model.initialState(), b);
}

}  // namespace

TEST_CASE("a free body that is aligned has its frame where its inertia is") {
  const auto frameOf = [&](const std::string& compiler, const std::string& joint,
                           const std::string& inside = "") {
    return placeOf(fromMjcfText(compiler + "<worldbody><body name='b' pos='0 0 2'>" + joint + kOff + inside +
                                "</body></worldbody>")
                       .model(),
                   "b");
  };
  const Vec3 own(0.0, 0.0, 2.0), centre(0.3, 0.1, 2.0);
  const std::string on = "<compiler alignfree='true'/>";
  CHECK(frameOf("", "<freejoint/>").position.isApprox(own));
  CHECK(frameOf("", "<freejoint align='true'/>").position.isApprox(centre));
  CHECK(frameOf(on, "<freejoint/>").position.isApprox(centre));
  CHECK(frameOf(on, "<joint type='free'/>").position.isApprox(centre));
  CHECK(frameOf(on, "<freejoint align='false'/>").position.isApprox(own));
  // Not where bodies are inside.
  CHECK(frameOf(on, "<freejoint/>", "<body><geom size='.1'/></body>").position.isApprox(own));
  const Pose aligned = frameOf(on, "<freejoint/>");
  CHECK(aligned.rotation.angularDistance(Quat(Eigen::AngleAxisd(M_PI / 4.0, Vec3::UnitZ()))) < 1e-12);
  CHECK(
      mjcfError("<worldbody><body><freejoint align='maybe'/>" + kOff + "</body></worldbody>").find("align") !=
      std::string::npos);
}

TEST_CASE("keyframes, equalities and sites of an aligned body mean its inertial frame") {
  const auto made = fromMjcfText(
      "<worldbody><body name='b' pos='0 0 2'><freejoint align='true'/>" + kOff +
          "<site name='s' pos='1 0 0'/></body><body name='c'><joint/><geom size='.1'/></body></worldbody>"
          "<keyframe><key name='k' qpos='1 2 3 1 0 0 0 0' qvel='4 5 6 0 0 1 0'/></keyframe>",
      "k");
  const Model model = made.model();
  CHECK(placeOf(model, "b").position.isApprox(Vec3(1.0, 2.0, 3.0)));
  CHECK(placeOf(model, "b").rotation.angularDistance(Quat::Identity()) < 1e-12);
  const Body& body = model.bodies[static_cast<std::size_t>(model.findBody("b"))];
  // The centre of mass is the origin: turning does not move it.
  CHECK(body.initialTwist.isApprox((Vec6() << 4.0, 5.0, 6.0, 0.0, 0.0, 1.0).finished()));
  CHECK(model.initialState().poses[static_cast<std::size_t>(model.findBody("b"))].position.isApprox(
      Vec3(1.0, 2.0, 3.0)));
  // The anchor, 0 in that frame, is held where the origin of the aligned frame is before the keyframe.
  Report report;
  const test::ScratchFolder folder;
  const Tree tree = readMjcf(
      folder.write(
          "m.xml",
          "<mujoco><worldbody><body name='b' pos='0 0 2'><freejoint align='true'/>" + kOff +
              "</body></worldbody><equality><connect body1='b' anchor='0 0 0'/></equality></mujoco>"),
      {}, "", report);
  REQUIRE(tree.loops.size() == 1);
  CHECK(tree.loops[0].frameB.position.isApprox(Vec3(0.3, 0.1, 2.0)));
}

TEST_CASE("principal axes begin with the largest moment and turn no more than they must") {
  const auto moments = [](const Mat3& inertia) -> Vec3 {
    const Mat3 r = principalAxes(inertia).toRotationMatrix(), d = r.transpose() * inertia * r;
    CHECK((d - Mat3(d.diagonal().asDiagonal())).norm() < 1e-6);
    return d.diagonal();
  };
  CHECK(principalAxes(Vec3(3.0, 2.0, 1.0).asDiagonal()).isApprox(Quat::Identity()));
  CHECK(principalAxes(Vec3(2.0, 2.0, 2.0).asDiagonal()).isApprox(Quat::Identity()));
  CHECK(moments(Vec3(1.0, 2.0, 3.0).asDiagonal()).isApprox(Vec3(3.0, 2.0, 1.0)));
  const Mat3 r = Quat(0.8, 0.1, -0.5, 0.3).normalized().toRotationMatrix();
  CHECK(moments(r * Vec3(0.1, 0.3, 0.2).asDiagonal() * r.transpose()).isApprox(Vec3(0.3, 0.2, 0.1), 1e-9));
  CHECK(moments(r * Vec3(1.0, 4.0, 4.0).asDiagonal() * r.transpose()).isApprox(Vec3(4.0, 4.0, 1.0), 1e-9));
}
