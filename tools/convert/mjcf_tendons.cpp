// Fixed tendons: sums of joint coordinates.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "tools/convert/mjcf_features.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

/// A tendon over several joints: a force element, and bounds that are rigid.
void MjcfReader::addSum(const std::string& name, const std::vector<Term>& terms, const PassiveDynamics& law,
                        double rest, double lower, double upper) {
  const auto oneCoordinate = [&](const Term& t) {
    return tree_.joints[static_cast<std::size_t>(t.joint)].coordinates.size() == 1;
  };
  if (terms.empty() || !std::all_of(terms.begin(), terms.end(), oneCoordinate)) {
    report_.leftOut.push_back(fmt::format(
        "springs, dampers, friction and limits of tendon {} (its joints have not one coordinate)", name));
    return;
  }
  if (law.dryFriction > 0.0)
    report_.leftOut.push_back(fmt::format("friction of tendon {} (over several joints)", name));
  CoordinateSum sum;
  sum.name = name;
  for (const auto& known : tree_.sums)
    if (known.name == name) sum.name = fmt::format("{}_{}", name, tree_.sums.size());
  std::map<int, double> coefficients;  // a joint may be named twice
  for (const Term& t : terms) coefficients[t.joint] += t.coefficient;
  for (const auto& [joint, coefficient] : coefficients)
    if (coefficient != 0.0) sum.terms.emplace_back(joint, coefficient);
  if (sum.terms.empty()) {
    report_.leftOut.push_back(fmt::format("tendon {} (its coefficients are zero)", name));
    return;
  }
  sum.stiffness = law.stiffness;
  sum.damping = law.damping;
  sum.rest = rest;
  sum.lower = lower;
  sum.upper = upper;
  if (std::isfinite(lower) || std::isfinite(upper))
    Report::once(report_.approximated,
                 "limits of tendons over several joints are rigid (solreflimit and solimplimit not taken)");
  tree_.sums.push_back(std::move(sum));
}

void MjcfReader::readTendons(Element& section) {
  for (Element each : document_->children(section)) {
    if (each.tag() != "fixed") {
      noteMjcfElement(each, report_);
      if (each.tag() == "spatial") enter(kTendons, each, -1);
      continue;
    }
    document_->fill(each, "", "tendon");
    std::vector<std::string> copies = {""};
    for (Element part : document_->children(each)) {
      const std::string joint = prefix_ + part.text("joint");
      const auto known = copies_[kJoints].find(joint);
      if (known != copies_[kJoints].end() && !known_[kJoints].contains(joint)) copies = known->second;
    }
    for (const std::string& copy : copies) {
      suffix_ = copy;
      Element e = each;
      std::vector<Term> terms;
      double length = 0.0;
      for (Element part : document_->children(e)) {
        const int joint = find(kJoints, part, "joint");
        const double coefficient = part.number("coef", 0.0);
        noteMjcf(part, report_, "fixed/joint");
        if (joint < 0) continue;
        terms.push_back({joint, coefficient});
        length += coefficient * references_[static_cast<std::size_t>(joint)];
      }
      enter(kTendons, e, static_cast<int>(tendons_.size()));
      tendons_.push_back(terms);
      tendonLengths_.push_back(length);
      const std::string name = e.text("name", fmt::format("tendon{}", tendons_.size())) + suffix_;
      e.text("class");
      PassiveDynamics p;
      p.stiffness = firstOf(e, "stiffness");
      p.damping = firstOf(e, "damping");
      p.dryFriction = e.number("frictionloss", 0.0, xml::kNotNegative);
      const bool bounded = limited(e, "limited", "range") && enabled("limit");
      const auto range = e.numbers("range", {2});
      const auto rest = e.numbers("springlength", {1, 2});
      noteMjcf(e, report_);
      if (!enabled("spring")) p.stiffness = 0.0;
      if (!enabled("damper")) p.damping = 0.0;
      if (!enabled("frictionloss")) p.dryFriction = 0.0;
      const bool limits = bounded && range.size() == 2;
      if (!limits && !p.smooth() && !(p.dryFriction > 0.0)) continue;
      if (p.stiffness > 0.0 && rest.size() == 2 && rest[0] != rest[1])
        Report::once(report_.leftOut, "slack of springs of tendons (springlength of two numbers)");
      const double given = rest.empty() || rest[0] < 0.0 ? length : rest[0];
      std::erase_if(terms, [](const Term& t) { return t.coefficient == 0.0; });
      if (terms.size() != 1) {
        addSum(name, terms, p, given - length, limits ? range[0] - length : -xml::kInfinity,
               limits ? range[1] - length : xml::kInfinity);
        continue;
      }
      const double c = terms[0].coefficient;
      LinkJoint& joint = tree_.joints[static_cast<std::size_t>(terms[0].joint)];
      if (joint.coordinates.size() != 1) continue;
      JointCoordinate& q = joint.coordinates[0];
      if (p.stiffness > 0.0) {
        const double k = p.stiffness * c * c, own = q.passive.stiffness;
        q.passive.rest = (own * q.passive.rest + k * (given - length) / c) / (own + k);
        q.passive.stiffness = own + k;
      }
      q.passive.damping += p.damping * c * c;
      q.passive.dryFriction += p.dryFriction * std::abs(c);
      if (limits) {
        const double first = (range[0] - length) / c, second = (range[1] - length) / c;
        if (!q.limit.softness.soft()) q.limit.softness = softnessOf({});
        q.limit.lower = std::max(q.limit.lower, std::min(first, second));
        q.limit.upper = std::min(q.limit.upper, std::max(first, second));
      }
    }
    suffix_.clear();
  }
}

}  // namespace grashof::convert
