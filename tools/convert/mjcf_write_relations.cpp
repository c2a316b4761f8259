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

/// Whether a body touches its parent, which MuJoCo keeps from it where both move.
bool MjcfWriter::parentsTouch() const {
  const auto touch = [&](int body) {
    const int parent = tree_.parent(model_, body);
    const ExcludedPair pair(parent, body);
    return parent >= 0 && !std::binary_search(model_.exclusions.begin(), model_.exclusions.end(), pair);
  };
  return std::any_of(tree_.order.begin(), tree_.order.end(), touch);
}

void MjcfWriter::equality(const char* tag, const std::string& name, const std::string& a,
                          const std::string& b, const Softness& soft) {
  out_.open(tag).attribute("name", unique("equality", name)).attribute("body1", a).attribute("body2", b);
  softness(soft, "solref", "solimp", "loops and couplings");
}

void MjcfWriter::writeLoop(std::size_t j) {
  const Joint& joint = model_.joints[j];
  const std::string base = bodyName(joint.base), follower = bodyName(joint.follower);
  if (joint.type == &distanceJoint()) return;  // a tendon
  if (!ghostNames_[j].empty()) {
    equality("weld", joint.name + "_weld", ghostNames_[j], follower, joint.softness);
    out_.close();
    return;
  }
  // Anchors are told in the follower: MuJoCo finds the base's from the poses at the start.
  const Pose frame = frameInUser(model_, joint.follower, joint.followerFrame);
  if (joint.type == &fixedJoint()) {
    equality("weld", joint.name, base, follower, joint.softness);
    out_.attribute("anchor", tidy(frame.position, size_)).close();
    return;
  }
  if (joint.type == &sphericalJoint()) {
    equality("connect", joint.name, follower, base, joint.softness);
    out_.attribute("anchor", tidy(frame.position, size_)).close();
    return;
  }
  const double arm = 0.25 * size_;
  for (const double side : {-1.0, 1.0}) {
    equality("connect", joint.name + (side < 0.0 ? "_a" : "_b"), follower, base, joint.softness);
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
    out_.open("tendon").attribute("name", unique("equality", t.name)).attribute("tendon1", t.name);
    out_.attribute("polycoef", tidyNumbers({t.sign * (law.length - t.start), 0.0, 0.0, 0.0, 0.0}, size_));
    softness(law.softness, "solref", "solimp", "loops and couplings");
    out_.close();
  }
  for (const Rod& rod : rods_) {
    out_.open("tendon").attribute("name", unique("equality", rod.name)).attribute("tendon1", rod.name);
    out_.attribute("polycoef", "0 0 0 0 0");
    softness(model_.joints[rod.joint].softness, "solref", "solimp", "loops and couplings");
    out_.close();
  }
  out_.close();
}

void MjcfWriter::writeCoupling(char kind, const Coupling& c, const Softness& soft) {
  if (const Sum* sum = sumOf(kind, c.name)) {
    double off = c.offset;
    for (const CoordinateTerm& t : sum->terms)
      off -= t.coefficient * initial(static_cast<std::size_t>(t.joint), t.coordinate);
    out_.open("tendon").attribute("name", unique("equality", c.name)).attribute("tendon1", sum->name);
    out_.attribute("polycoef", tidyNumbers({std::abs(off) < 1e-9 ? 0.0 : off, 0.0, 0.0, 0.0, 0.0}));
    softness(soft, "solref", "solimp", "loops and couplings");
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
  out_.open("joint")
      .attribute("name", unique("equality", c.name))
      .attribute("joint1", coordinateName(a, c.coordinateA));
  out_.attribute("joint2", coordinateName(b, c.coordinateB));
  out_.attribute("polycoef", tidyNumbers({polynomial.begin(), polynomial.end()}));
  softness(soft, "solref", "solimp", "loops and couplings");
  out_.close();
}

void MjcfWriter::writeContacts() {
  out_.open("contact");
  for (const auto& [a, b] : model_.exclusions)
    for (const std::string& first : bodiesOf(a))
      for (const std::string& second : bodiesOf(b))
        out_.open("exclude").attribute("body1", first).attribute("body2", second).close();
  out_.close();
}

}  // namespace grashof::convert
