// What holds bodies and coordinates together, and who touches whom.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "joints/types/types.h"
#include "tools/convert/cam_polynomial.h"
#include "tools/convert/mjcf_writer.h"
#include "tools/convert/soft_coupling.h"
#include "tools/convert/tidy.h"

namespace grashof::convert {
namespace {

constexpr double kClosed = 1e-7;  // of the size of the mechanism, and rad: loops at the start

}  // namespace

/// Whether a body touches its parent, which MuJoCo keeps from it where both move.
bool MjcfWriter::parentsTouch() const {
  const auto touch = [&](int body) {
    const int parent = tree_.parent(model_, body);
    const ExcludedPair pair(parent, body);
    return parent >= 0 && !std::binary_search(model_.exclusions.begin(), model_.exclusions.end(), pair);
  };
  return std::any_of(tree_.order.begin(), tree_.order.end(), touch);
}

void MjcfWriter::equality(const char* tag, const std::string& wanted, const std::string& a,
                          const std::string& b, std::size_t joint) {
  const std::string name = unique("equality", wanted);
  out_.open(tag).attribute("name", name).attribute("body1", a).attribute("body2", b);
  softRow(false, name, model_.joints[joint].softness, mobilityOf(joint));
}

void MjcfWriter::findWelds() {
  const std::vector<Joint>& joints = model_.joints;
  turnOf_.assign(joints.size(), -1);
  turns_.assign(joints.size(), false);
  const auto impeded = [](const Joint& j) { return j.softness.kind == Softness::Kind::Impedance; };
  const auto sameLaw = [](const Softness& a, const Softness& b) {
    return a.timeConstant == b.timeConstant && a.dampingRatio == b.dampingRatio &&
           a.impedance0 == b.impedance0 && a.impedanceWidth == b.impedanceWidth && a.midpoint == b.midpoint &&
           a.power == b.power;
  };
  for (std::size_t j = 0; j < joints.size(); ++j)
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const Joint &place = joints[j], &turn = joints[k];
      if (place.type != &sphericalJoint() || turn.type != &cartesianJoint() || turnOf_[j] >= 0 || turns_[k])
        continue;
      if (place.base != turn.base || place.follower != turn.follower || !impeded(place) || !impeded(turn) ||
          !sameLaw(place.softness, turn.softness))
        continue;
      turnOf_[j] = static_cast<int>(k);
      turns_[k] = true;
    }
}

/// A weld of two soft joints, or a soft fixed joint; its frames need not coincide at the start.
void MjcfWriter::writeWeld(std::size_t j) {
  const Joint& joint = model_.joints[j];
  const int turn = turnOf_[j];
  const Joint& held = turn >= 0 ? model_.joints[static_cast<std::size_t>(turn)] : joint;
  equality("weld", joint.name, bodyName(joint.base), bodyName(joint.follower), j);
  // In the frames of the bodies: the place of the anchor in both, and how the second is turned.
  const Vec3 anchor = frameInUser(model_, joint.follower, joint.followerFrame).position;
  const Vec3 place = frameInUser(model_, joint.base, joint.baseFrame).position;
  const Quat rotation = frameInUser(model_, held.base, held.baseFrame).rotation *
                        frameInUser(model_, held.follower, held.followerFrame).rotation.conjugate();
  out_.attribute("anchor", tidy(anchor, size_));
  const Pose base = userFrameOf(model_, joint.base), follower = userFrameOf(model_, joint.follower);
  if ((base * place - follower * anchor).norm() > kClosed * size_ ||
      (base.rotation * rotation).angularDistance(follower.rotation) > kClosed)
    out_.attribute("relpose", tidyNumbers({place.x(), place.y(), place.z(), rotation.w(), rotation.x(),
                                           rotation.y(), rotation.z()},
                                          0.0));
  if (turn >= 0 && held.softness.width != 2.0 * joint.softness.width)
    out_.attribute("torquescale", tidy(2.0 * joint.softness.width / held.softness.width));
  if (turn < 0 && joint.softness.soft())
    report_.approximated.push_back(
        fmt::format("soft joint {} by a weld, whose rotation counts another inertia", joint.name));
  out_.close();
}

void MjcfWriter::writeLoop(std::size_t j) {
  const Joint& joint = model_.joints[j];
  const std::string base = bodyName(joint.base), follower = bodyName(joint.follower);
  if (joint.type == &distanceJoint() || turns_[j]) return;  // a tendon, a part of a weld
  if (!ghostNames_[j].empty()) {
    equality("weld", joint.name + "_weld", ghostNames_[j], follower, j);
    out_.close();
    return;
  }
  if (joint.type == &fixedJoint() || turnOf_[j] >= 0) return writeWeld(j);
  // Anchors are told in the follower: MuJoCo finds the base's from the poses at the start.
  const Pose frame = frameInUser(model_, joint.follower, joint.followerFrame);
  if (joint.type == &sphericalJoint()) {
    equality("connect", joint.name, follower, base, j);
    out_.attribute("anchor", tidy(frame.position, size_)).close();
    const Vec3 other = frameInUser(model_, joint.base, joint.baseFrame).position;
    const double gap =
        (userFrameOf(model_, joint.base) * other - userFrameOf(model_, joint.follower) * frame.position)
            .norm();
    if (gap > kClosed * size_)
      report_.approximated.push_back(fmt::format(
          "joint {} is open by {:.2g} m at the start: its connect takes that for closed", joint.name, gap));
    return;
  }
  const double arm = 0.25 * size_;
  for (const double side : {-1.0, 1.0}) {
    equality("connect", joint.name + (side < 0.0 ? "_a" : "_b"), follower, base, j);
    out_.attribute("anchor", tidy(Vec3(frame * Vec3(side * arm, 0.0, 0.0)), size_)).close();
  }
}

void MjcfWriter::writeEqualities() {
  out_.open("equality");
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    if (loop(j)) writeLoop(j);
  for (const Coupling& c : model_.couplings) writeCoupling('c', c, {});
  for (const ForceElement& e : model_.forces)
    if (const auto coupling = couplingOf(e)) writeCoupling('s', *coupling, e.law.softness);
  for (const Tendon& t : tendons_) {
    const ForceLaw& law = model_.forces[t.element].law;
    if (!law.rigid || law.side != ForceSide::Both) continue;
    const std::string name = unique("equality", t.name);
    out_.open("tendon").attribute("name", name).attribute("tendon1", t.name);
    out_.attribute("polycoef", tidyNumbers({t.sign * (law.length - t.start), 0.0, 0.0, 0.0, 0.0}, size_));
    softRow(false, name, law.softness, 0.0);
    out_.close();
  }
  for (const Rod& rod : rods_) {
    const std::string name = unique("equality", rod.name);
    out_.open("tendon").attribute("name", name).attribute("tendon1", rod.name);
    out_.attribute("polycoef", "0 0 0 0 0");
    softRow(false, name, model_.joints[rod.joint].softness, 0.0);
    out_.close();
  }
  out_.close();
}

void MjcfWriter::writeCoupling(char kind, const Coupling& c, const Softness& soft) {
  if (const Sum* sum = sumOf(kind, c.name)) {
    double off = c.offset;
    for (const CoordinateTerm& t : sum->terms)
      off -= t.coefficient * initial(static_cast<std::size_t>(t.joint), t.coordinate);
    const std::string name = unique("equality", c.name);
    out_.open("tendon").attribute("name", name).attribute("tendon1", sum->name);
    out_.attribute("polycoef", tidyNumbers({std::abs(off) < 1e-9 ? 0.0 : off, 0.0, 0.0, 0.0, 0.0}));
    softRow(false, name, soft, 0.0);
    out_.close();
    return;
  }
  if (!c.more.empty() || !written(c.jointA, c.coordinateA) || !written(c.jointB, c.coordinateB)) {
    report_.leftOut.push_back(
        fmt::format("coupling {} (no joint of MJCF has one of its coordinates)", c.name));
    return;
  }
  const auto a = static_cast<std::size_t>(c.jointA), b = static_cast<std::size_t>(c.jointB);
  // MuJoCo counts both coordinates from where they start.
  const double startA = initial(a, c.coordinateA), startB = initial(b, c.coordinateB);
  std::array<double, 5> polynomial = {c.value(startB) - startA, c.ratio, 0.0, 0.0, 0.0};
  if (c.kind == CouplingKind::Cam) {
    const std::optional<CamPolynomial> fitted = camPolynomial(c, startB);
    if (!fitted) {
      report_.leftOut.push_back(
          fmt::format("cam {} (its profile is no polynomial of the fourth degree)", c.name));
      return;
    }
    polynomial = fitted->coefficients;
    polynomial[0] -= startA;
    report_.approximated.push_back(
        fmt::format("cam {} by a polynomial, which is not constant beyond the ends of the profile", c.name));
  }
  if (std::abs(polynomial[0]) < 1e-9) polynomial[0] = 0.0;
  const std::string name = unique("equality", c.name);
  out_.open("joint").attribute("name", name).attribute("joint1", coordinateName(a, c.coordinateA));
  out_.attribute("joint2", coordinateName(b, c.coordinateB));
  out_.attribute("polycoef", tidyNumbers({polynomial.begin(), polynomial.end()}));
  softRow(false, name, soft, 0.0);
  out_.close();
}

void MjcfWriter::writeContacts() {
  out_.open("contact");
  for (const GeomPair& pair : plan_.pairs) {
    out_.open("pair").attribute("geom1", shapeNames_[pair.a]).attribute("geom2", shapeNames_[pair.b]);
    writeFriction(pair.surface, true);
    softness(pair.surface.softness, "solref", "solimp", "contacts");
    out_.close();
  }
  for (const auto& [a, b] : model_.exclusions)
    for (const std::string& first : bodiesOf(a))
      for (const std::string& second : bodiesOf(b))
        out_.open("exclude").attribute("body1", first).attribute("body2", second).close();
  out_.close();
}

}  // namespace grashof::convert
