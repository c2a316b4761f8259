#include <cmath>

#include <fmt/format.h>

#include "tools/convert/adm_context.h"

namespace grashof::convert {
namespace {

constexpr double kParallel = 1e-6;  // sine of the angle below which axes are parallel
constexpr double kOffStart = 1e-9;  // m, rad

int coordinateOf(const AdmJoint& j, bool turns) { return turns ? j.rotation : j.translation; }
double startOf(const AdmJoint& j, bool turns) { return turns ? j.angle : j.displacement; }

/// A joint at which a part turns about, or slides along, a direction against a carrier.
struct Bearing {
  const AdmJoint* joint = nullptr;
  double sense = 1.0;  ///< rate of the part along the direction per rate of the coordinate
  int carrier = 0;
};

std::vector<Bearing> bearingsOf(const AdmContext& c, int part, const Vec3& direction, bool turns) {
  std::vector<Bearing> all;
  for (const auto& [id, j] : c.joints) {
    if (coordinateOf(j, turns) < 0 || (j.i->part != part && j.j->part != part)) continue;
    const Vec3 axis = j.j->axis();
    if (axis.cross(direction).norm() > kParallel) continue;
    const bool moves = j.i->part == part;  // coordinates are of I against J
    const double sense = (axis.dot(direction) > 0.0 ? 1.0 : -1.0) * (moves ? 1.0 : -1.0);
    all.push_back({&j, sense, moves ? j.j->part : j.i->part});
  }
  return all;
}

/// Rack and pinion: I is of the pinion, which turns about z, J of the rack, which slides along z.
void readRack(AdmContext& c, const AdmStatement& s) {
  const AdmMarker *pinion = c.marker(s, "I"), *rack = c.marker(s, "J");
  const std::optional<double> diameter = c.number(s, "PD", c.units.length);
  if (!diameter && !s.has("PD")) c.fail(s, "PD is missing (the pitch diameter of the pinion)");
  if (!pinion || !rack || !diameter) return;
  if (*diameter == 0.0) return c.fail(s, "PD is 0 (the pitch diameter of the pinion)");
  for (const Bearing& a : bearingsOf(c, rack->part, rack->axis(), false))
    for (const Bearing& b : bearingsOf(c, pinion->part, pinion->axis(), true)) {
      if (a.carrier != b.carrier) continue;
      addAdmRatio(c, s, {a.joint, b.joint, false, true, a.sense, 0.5 * *diameter * b.sense});
      return;
    }
  c.leaveOut(s,
             "no joint lets the pinion turn about z of I, and another the rack slide along z of J, against "
             "one part");
}

/// Speed of the gear at the mesh along z of the marker per rate of the coordinate; 0: it does not get there.
double meshSpeed(const AdmJoint& j, const AdmMarker& mesh, bool& turns) {
  const double sense = j.j->part == mesh.part ? 1.0 : -1.0;
  const Vec3 axis = j.j->axis();
  turns = j.rotation >= 0;
  if (!turns) return sense * axis.dot(mesh.axis());
  return sense * axis.cross(mesh.inWorld.position - j.j->inWorld.position).dot(mesh.axis());
}

void readGear(AdmContext& c, const AdmStatement& s) {
  const AdmMarker* mesh = c.marker(s, "CV");
  const std::vector<int> ids = c.identifiers(s, "JOINTS", 2, 2);
  if (ids.empty() && !s.has("JOINTS")) c.fail(s, "JOINTS is missing (the joints of the two gears)");
  if (!mesh || ids.empty()) return;
  const AdmJoint *a = c.jointCalled(s, ids[0]), *b = c.jointCalled(s, ids[1]);
  if (!a || !b) return;
  for (const AdmJoint* j : {a, b}) {
    if (j->rotation < 0 && j->translation < 0)
      return c.fail(
          s, fmt::format("{} is neither revolute, cylindrical nor translational", j->statement->element()));
    if (j->i->part != mesh->part && j->j->part != mesh->part)
      return c.fail(s,
                    fmt::format("CV is no marker of a part that {} joins (it belongs to the carrier of both)",
                                j->statement->element()));
  }
  AdmRatio ratio{a, b};
  ratio.factorA = meshSpeed(*a, *mesh, ratio.turnsA);
  ratio.factorB = meshSpeed(*b, *mesh, ratio.turnsB);
  const double least = kParallel * std::max(std::abs(ratio.factorA), std::abs(ratio.factorB));
  if (!(std::min(std::abs(ratio.factorA), std::abs(ratio.factorB)) > least))
    return c.fail(s, "z of CV is not the direction in which the teeth move (turn the marker)");
  addAdmRatio(c, s, ratio);
}

/// Which coordinate of a joint a coupler couples, by its word in TYPE; none: reported.
std::optional<bool> coupledTurn(AdmContext& c, const AdmStatement& s, const AdmJoint& j,
                                const std::string& word) {
  if (word.empty() && j.rotation >= 0 && j.translation >= 0) {
    c.fail(s, fmt::format("TYPE is missing, for {} both turns and slides (as in TYPE=R:T)",
                          j.statement->element()));
    return std::nullopt;
  }
  const bool turns = word.empty() ? j.rotation >= 0 : word[0] == 'R';
  if (!word.empty() && word[0] != 'R' && word[0] != 'T') {
    c.fail(s, fmt::format("TYPE: '{}' is neither R nor T", word));
    return std::nullopt;
  }
  if (coordinateOf(j, turns) >= 0) return turns;
  c.fail(s, fmt::format("{} does not {} (couplers are of revolute, translational and cylindrical joints)",
                        j.statement->element(), turns ? "turn" : "slide"));
  return std::nullopt;
}

std::vector<std::string> typeWords(const AdmStatement& s) {
  std::vector<std::string> words;
  const AdmArgument* a = s.find("TYPE");
  for (const std::string& value : a ? a->values : std::vector<std::string>())
    for (std::size_t from = 0; from <= value.size();) {
      const std::size_t end = std::min(value.find(':', from), value.size());
      words.push_back(admCapitals(admTrimmed(std::string_view(value).substr(from, end - from))));
      from = end + 1;
    }
  return words;
}

void readCoupler(AdmContext& c, const AdmStatement& s) {
  if (s.has("FUNCTION")) return c.leaveOut(s, "its function is a subroutine");
  const std::vector<int> ids = c.identifiers(s, "JOINTS", 2, 3);
  if (ids.empty()) {
    if (!s.has("JOINTS")) c.fail(s, "JOINTS is missing (two or three joints)");
    return;
  }
  std::vector<double> scales = c.numbers(s, "SCALES", ids.size() - 1, ids.size());
  if (scales.empty()) {
    if (!s.has("SCALES")) c.fail(s, "SCALES is missing (a factor for each joint)");
    return;
  }
  if (scales.size() < ids.size()) scales.insert(scales.begin(), 1.0);
  std::vector<std::string> words = typeWords(s);
  if (!words.empty() && words.size() != ids.size())
    return c.fail(s, "TYPE has not as many words as there are joints (as in TYPE=R:T)");
  words.resize(ids.size());
  CouplingDef sum;
  double start = 0.0;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const AdmJoint* j = c.jointCalled(s, ids[k]);
    if (!j) return;
    const std::optional<bool> turns = coupledTurn(c, s, *j, words[k]);
    if (!turns) return;
    if (scales[k] == 0.0) continue;
    const double coefficient = *turns ? scales[k] : scales[k] / c.units.length;
    sum.terms.push_back({j->joint, coordinateOf(*j, *turns), coefficient, c.where(s)});
    start += coefficient * startOf(*j, *turns);
  }
  if (sum.terms.size() < 2) return c.fail(s, "SCALES leave fewer than two joints (none may be 0)");
  // A scenario's sum is in SI; its size does not matter, but shall be that of the first coordinate.
  const double first = sum.terms[0].coefficient;
  for (CoordinateTermDef& t : sum.terms) t.coefficient /= first;
  sum.offset = start / first;
  sum.name = c.nameFor("coupling", s);
  sum.kind = CouplingKind::Linear;
  sum.where = c.where(s);
  if (std::abs(sum.offset) > kOffStart)
    c.report.assumed.push_back(
        fmt::format("{}: its sum stays as it starts, at {:.4g} of the first joint", s.element(), sum.offset));
  c.builder.addCoupling(std::move(sum));
}

}  // namespace

void addAdmRatio(AdmContext& c, const AdmStatement& s, const AdmRatio& r) {
  CouplingDef gear;
  gear.name = c.nameFor("coupling", s);
  gear.kind = CouplingKind::Gear;
  const AdmJoint *a = r.a, *b = r.b;
  bool turnsA = r.turnsA, turnsB = r.turnsB;
  double ratio = r.factorB / r.factorA;
  if (turnsA && !turnsB) {  // a rack comes first
    std::swap(a, b);
    std::swap(turnsA, turnsB);
    ratio = 1.0 / ratio;
  }
  if (!turnsA && turnsB) gear.kind = CouplingKind::RackAndPinion;
  gear.jointA = a->joint;
  gear.jointB = b->joint;
  gear.coordinateA = coordinateOf(*a, turnsA);
  gear.coordinateB = coordinateOf(*b, turnsB);
  gear.ratio = ratio;
  gear.offset = startOf(*a, turnsA) - ratio * startOf(*b, turnsB);
  gear.where = c.where(s);
  c.builder.addCoupling(std::move(gear));
}

void readAdmCouplings(AdmContext& c, const AdmStatements& all) {
  for (const AdmStatement& s : all) {
    if (s.keyword == "JOINT" && s.has("RACKPIN")) readRack(c, s);
    if (s.keyword == "GEAR") readGear(c, s);
    if (s.keyword == "COUPLER") readCoupler(c, s);
  }
}

}  // namespace grashof::convert
