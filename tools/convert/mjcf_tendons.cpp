// Fixed tendons: sums of joint coordinates.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/convert/mjcf_features.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

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
      const std::string name = e.text("name", "without a name");
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
      const double c = terms.size() == 1 ? terms[0].coefficient : 0.0;
      if (c == 0.0) {
        report_.leftOut.push_back(
            fmt::format("springs, dampers, friction and limits of tendon {} (it has not one joint)", name));
        continue;
      }
      LinkJoint& joint = tree_.joints[static_cast<std::size_t>(terms[0].joint)];
      if (joint.coordinates.size() != 1) continue;
      JointCoordinate& q = joint.coordinates[0];
      if (p.stiffness > 0.0) {
        if (rest.size() == 2 && rest[0] != rest[1])
          Report::once(report_.leftOut, "slack of springs of tendons (springlength of two numbers)");
        const double given = rest.empty() || rest[0] < 0.0 ? length : rest[0];
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
