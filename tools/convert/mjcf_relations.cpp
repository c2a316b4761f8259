#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "joints/types/types.h"
#include "tools/convert/mjcf_features.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

namespace {

/// polycoef: a shorter list keeps MuJoCo's defaults behind it.
std::array<double, 5> polynomialOf(Element& e) {
  std::array<double, 5> polynomial = {0.0, 1.0, 0.0, 0.0, 0.0};
  const auto given = e.numbers("polycoef", {1, 2, 3, 4, 5});
  std::copy(given.begin(), given.end(), polynomial.begin());
  return polynomial;
}

}  // namespace

void MjcfReader::readEqualities(Element& section) {
  for (Element each : document_->children(section)) {
    document_->fill(each, "", "equality");
    forCopies(each,
              {{kBodies, "body1"},
               {kBodies, "body2"},
               {kSites, "site1"},
               {kSites, "site2"},
               {kJoints, "joint1"},
               {kJoints, "joint2"},
               {kTendons, "tendon1"},
               {kTendons, "tendon2"}},
              [&](Element& e) {
                e.text("class");
                const bool active = e.boolean("active", true);
                if (!active || !enabled("equality")) {
                  report_.leftOut.push_back(fmt::format("<{}> {} (not active)", e.tag(), e.text("name")));
                  return;
                }
                if (e.tag() == "connect" || e.tag() == "weld")
                  readLoop(e);
                else if (e.tag() == "joint")
                  readJointEquality(e);
                else if (e.tag() == "tendon")
                  readTendonEquality(e);
                else
                  Report::once(report_.leftOut, fmt::format("<{}> in <equality>", e.tag()));
              });
  }
}

void MjcfReader::readLoop(Element& e) {
  Loop loop;
  const bool weld = e.tag() == "weld";
  loop.name = unique(e, e.tag().c_str(), equalityNames_);
  loop.line = e.line();
  loop.type = &sphericalJoint();
  loop.softness = softnessOf(readSoftness(e, "solref", "solimp"));
  const Vec3 anchor = e.vector("anchor", Vec3::Zero());
  const auto relative = e.numbers("relpose", {7});
  const double torqueScale = weld ? e.number("torquescale", 1.0, xml::kNotNegative) : 0.0;
  if (e.has("site1") || e.has("site2")) {
    const int a = find(kSites, e, "site1"), b = find(kSites, e, "site2");
    if (a < 0 || b < 0) return;
    const Site &first = sites_[static_cast<std::size_t>(a)], &second = sites_[static_cast<std::size_t>(b)];
    loop.linkA = first.link;
    loop.linkB = second.link;
    loop.frameA = first.pose;
    loop.frameB = second.pose;
  } else {
    loop.linkA = find(kBodies, e, "body1");
    loop.linkB = e.has("body2") ? find(kBodies, e, "body2") : kWorldLink;
    if (!weld && !e.has("anchor")) e.error("needs an anchor (body1's frame)");
    if (loop.linkA == -2 || loop.linkB == -2) return;
    // Of a weld the anchor is in the second body's frame, and a relative pose is that of the anchor in the
    // first.
    const Pose second = zeroPose(loop.linkA).inverse() * zeroPose(loop.linkB);
    const Pose at{anchor, Quat::Identity()};
    loop.frameA = weld ? second * at : at;
    loop.frameB = weld ? at : second.inverse() * at;
    if (weld && relative.size() == 7) {
      const Quat q(relative[3], relative[4], relative[5], relative[6]);
      if (q.norm() > 1e-9) loop.frameA = {Vec3(relative[0], relative[1], relative[2]), q.normalized()};
    }
  }
  noteMjcf(e, report_);
  if (loop.linkA == loop.linkB) {
    report_.leftOut.push_back(fmt::format("<{}> {} (both its sides are one body)", e.tag(), loop.name));
    return;
  }
  tree_.loops.push_back(loop);
  if (!(torqueScale > 0.0)) return;
  // The rows of the rotation are those of torquescale sin(angle/2), about the frame of the anchor.
  Loop turn = loop;
  for (turn.name += "_turn"; !equalityNames_.insert(turn.name).second;) turn.name += "_";
  turn.type = &cartesianJoint();
  turn.turnShare = 0.5 * torqueScale;
  turn.softness.width /= turn.turnShare;
  tree_.loops.push_back(turn);
}

void MjcfReader::readJointEquality(Element& e) {
  const std::string name = unique(e, "equality", equalityNames_);
  const std::array<double, 5> polynomial = polynomialOf(e);
  const int a = find(kJoints, e, "joint1");
  const int b = e.has("joint2") ? find(kJoints, e, "joint2") : -1;
  const SoftParameters softness = readSoftness(e, "solref", "solimp");
  noteMjcf(e, report_, "equality/joint");
  if (a < 0 || b == -2) return;
  Tendon first, second;
  first.terms.push_back({a, 1.0});
  if (b >= 0) second.terms.push_back({b, 1.0});
  couple(name, first, second, polynomial, softness);
}

void MjcfReader::readTendonEquality(Element& e) {
  const std::string name = unique(e, "equality", equalityNames_);
  const std::array<double, 5> polynomial = polynomialOf(e);
  const int a = find(kTendons, e, "tendon1");
  const int b = e.has("tendon2") ? find(kTendons, e, "tendon2") : -1;
  const SoftParameters softness = readSoftness(e, "solref", "solimp");
  noteMjcf(e, report_, "equality/tendon");
  if (a < 0 || b == -2) return;
  couple(name, tendons_[static_cast<std::size_t>(a)],
         b < 0 ? Tendon{} : tendons_[static_cast<std::size_t>(b)], polynomial, softness);
}

void MjcfReader::coupleByCam(const std::string& name, const Term& first, const Term& other,
                             const std::array<double, 5>& polynomial) {
  // Samples over the range of the other joint, or a turn either way.
  const Limit& range = tree_.joints[static_cast<std::size_t>(other.joint)].coordinates[0].limit;
  const double low = std::max(range.lower, -M_PI), high = std::min(range.upper, M_PI);
  constexpr int kSamples = 400;
  Mimic mimic{name, first.joint, other.joint, 1.0, 0.0};
  mimic.profile.emplace();
  mimic.profile->kind = Signal::Kind::Series;
  mimic.profile->interpolation = Interpolation::Smooth;
  for (int i = 0; i <= kSamples; ++i) {
    // A little beyond either end, where the profile is held.
    const double q = low + (high - low) * (1.1 * i / kSamples - 0.05), x = other.coefficient * q;
    double value = 0.0;
    for (std::size_t p = 5; p-- > 0;) value = value * x + polynomial[p];
    mimic.profile->times.push_back(q);
    mimic.profile->values.push_back(value / first.coefficient);
  }
  Report::once(report_.approximated, "curved equalities by cams of 400 samples");
  Report::once(report_.approximated, "curved equalities are rigid (solref and solimp not taken)");
  tree_.mimics.push_back(std::move(mimic));
}

void MjcfReader::coupleSum(const std::string& name, const Tendon& first, const Tendon& other,
                           const std::map<int, double>& sum, const std::array<double, 5>& polynomial,
                           const SoftParameters& softness) {
  CoordinateSum kept;
  kept.name = sumName(name);
  kept.terms.assign(sum.begin(), sum.end());
  kept.path = first.path;
  kept.kept = polynomial[0];
  if (!first.path.empty()) *kept.kept += first.length;
  if (!other.path.empty() && polynomial[1] != 0.0) {
    *kept.kept -= polynomial[1] * other.length;
    for (std::size_t i = 0; i < other.path.size(); ++i) {
      PathNode node = other.path[i];
      if (node.divisor || i == 0) node.divisor = node.divisor.value_or(1.0) / -polynomial[1];
      kept.path.push_back(node);
    }
  }
  kept.softness = softnessOf(softness);
  softRows_.push_back({false, tree_.sums.size(), {first, other}, 1.0});
  tree_.sums.push_back(std::move(kept));
}

void MjcfReader::couple(const std::string& name, const Tendon& first, const Tendon& other,
                        const std::array<double, 5>& polynomial, const SoftParameters& softness) {
  const std::vector<Term>&terms = first.terms, &others = other.terms;
  const bool paths = !first.path.empty() || !other.path.empty();
  const auto tooMuch = [&] {
    report_.leftOut.push_back(
        fmt::format("equality {} (a curve over more than one joint, or nothing)", name));
  };
  if (!simple(terms) || !simple(others)) {
    report_.leftOut.push_back(fmt::format("equality {} (its joints have not one coordinate)", name));
    return;
  }
  const bool curved = polynomial[2] != 0.0 || polynomial[3] != 0.0 || polynomial[4] != 0.0;
  if (curved && (!others.empty() || !other.path.empty())) {
    if (paths || terms.size() != 1 || others.size() != 1 || terms[0].coefficient == 0.0) return tooMuch();
    return coupleByCam(name, terms[0], others[0], polynomial);
  }
  // sum of all terms = a0
  std::map<int, double> sum;
  for (const Term& t : terms) sum[t.joint] += t.coefficient;
  for (const Term& t : others) sum[t.joint] -= polynomial[1] * t.coefficient;
  std::erase_if(sum, [](const auto& entry) { return entry.second == 0.0; });
  if (paths || sum.size() > 2) {
    coupleSum(name, first, other, sum, polynomial, softness);
  } else if (sum.size() == 1) {
    const auto& [joint, coefficient] = *sum.begin();
    LinkJoint& j = tree_.joints[static_cast<std::size_t>(joint)];
    Limit& limit = j.coordinates[0].limit;
    limit.lower = limit.upper = polynomial[0] / coefficient;
    limit.softness = softnessOf(softness);
    report_.approximated.push_back(
        fmt::format("equality {} by limits of joint {} that hold it from both sides", name, j.name));
  } else if (sum.size() == 2) {
    // The first of the file is the one that follows.
    const int a = terms[0].joint;
    if (!sum.contains(a)) return tooMuch();
    const double own = sum.at(a);
    sum.erase(a);
    const auto& [b, second] = *sum.begin();
    Softness soft = softnessOf(softness);
    soft.width /= std::abs(own);
    softRows_.push_back({true, tree_.mimics.size(), {first, other}, own});
    tree_.mimics.push_back({name, a, b, -second / own, polynomial[0] / own, {}, soft});
  } else {
    tooMuch();
  }
}

void MjcfReader::readContacts(Element& section) {
  for (Element each : document_->children(section)) {
    if (each.tag() == "pair") {
      document_->fill(each, "");
      forCopies(each, {{kGeoms, "geom1"}, {kGeoms, "geom2"}}, [&](Element& e) { readPair(e); });
      continue;
    }
    if (each.tag() != "exclude") {
      noteMjcfElement(each, report_);
      continue;
    }
    forCopies(each, {{kBodies, "body1"}, {kBodies, "body2"}}, [&](Element& e) {
      const int a = find(kBodies, e, "body1"), b = find(kBodies, e, "body2");
      noteMjcf(e, report_);
      if (a != -2 && b != -2 && a != b) tree_.excluded.emplace_back(a, b);
    });
  }
}

}  // namespace grashof::convert
