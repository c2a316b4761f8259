// Elements that say how a scenario is run, and what is expected of it.
#include <limits>

#include <fmt/format.h>

#include "engine/scenario/reader.h"

namespace grashof::xml {

void Reader::readOptions(Element e, const Placement&) {
  StepOptions& o = builder_.options();
  builder_.where().options = e.where();
  o.timestep = e.number("timestep", o.timestep);
  scenario_.duration = e.number("duration", scenario_.duration, kPositive);
  o.integrator = static_cast<Integrator>(e.choice("integrator", static_cast<int>(o.integrator),
                                                  {kIntegratorNames.begin(), kIntegratorNames.end()}));
  o.tolerance = e.number("tolerance", o.tolerance);
  builder_.gravity() = e.vector("gravity", builder_.gravity());
  o.projection = e.boolean("projection", o.projection);
  o.projectionTolerance = e.number("projection-tolerance", o.projectionTolerance);
  o.restitutionThreshold = e.number("restitution-threshold", o.restitutionThreshold);
  o.contactMargin = e.number("contact-margin", o.contactMargin);
  o.geometricStiffness = e.boolean("geometric-stiffness", o.geometricStiffness);
  o.limitMargin = e.number("limit-margin", o.limitMargin);
  o.divergenceSpeed = e.number("divergence-speed", o.divergenceSpeed);
  o.divergenceResidual = e.number("divergence-residual", o.divergenceResidual);
  o.divergenceEnergy = e.number("divergence-energy", o.divergenceEnergy);
  e.finishLeaf();
  if (o.timestep > 0.0 && scenario_.duration / o.timestep > kMaxSteps)
    e.error(fmt::format("duration / timestep is {:.3g} steps (at most {:.0e})",
                        scenario_.duration / o.timestep, kMaxSteps));
}

void Reader::readSolver(Element e, const Placement&) {
  SolverOptions& o = builder_.solver();
  builder_.where().solver = {e.file(), e.line(), "solver"};  // its name is not that of the element
  o.name = e.text("name", o.name);
  o.tolerance = e.number("tolerance", o.tolerance);
  o.toleranceKind = e.choice("tolerance-kind", 0, {"relative", "absolute"}) == 0 ? ToleranceKind::Relative
                                                                                 : ToleranceKind::Absolute;
  o.maxIterations = e.integer("max-iterations", o.maxIterations);
  o.proximal = e.number("proximal", o.proximal);
  o.jointProximal = e.number("joint-proximal", o.jointProximal);
  o.penaltyExponent = e.number("penalty-exponent", o.penaltyExponent);
  o.penaltyStep = e.number("penalty-step", o.penaltyStep);
  o.penaltyThreshold = e.number("penalty-threshold", o.penaltyThreshold);
  o.penalty = e.number("penalty", o.penalty);
  o.penaltyFactor = e.number("penalty-factor", o.penaltyFactor);
  o.acceleration =
      static_cast<Acceleration>(e.choice("acceleration", 0, {"default", "none", "nesterov", "anderson"}));
  o.relaxation = e.number("relaxation", o.relaxation);
  o.relaxationDecay = e.number("relaxation-decay", o.relaxationDecay);
  o.relaxationMin = e.number("relaxation-min", o.relaxationMin);
  o.deSaxce = e.boolean("de-saxce", o.deSaxce);
  o.facets = e.integer("facets", o.facets);
  o.regularization.stiction = e.number("stiction-regularization", o.regularization.stiction);
  o.regularization.impacts = e.boolean("impact-regularization", o.regularization.impacts);
  o.regularization.nearRigid = e.number("near-rigid", o.regularization.nearRigid);
  o.warmStart = e.boolean("warm-start", o.warmStart);
  e.finishLeaf();
}

void Reader::readStabilization(Element e, const Placement&) {
  Stabilization& s = builder_.stabilization();
  builder_.where().stabilization = e.where();
  s.alpha = e.number("alpha", s.alpha);
  s.decayRate = e.number("decay-rate", s.decayRate);
  s.beta = e.number("beta", s.beta);
  s.gamma = e.number("gamma", s.gamma);
  s.margin = e.number("margin", s.margin);
  s.maxRecoverySpeed = e.number("max-recovery-speed", s.maxRecoverySpeed);
  e.finishLeaf();
}

void Reader::readOutput(Element e, const Placement&) {
  OutputOptions& o = scenario_.output;
  o.trajectory = e.boolean("trajectory", o.trajectory);
  o.csv = e.boolean("csv", o.csv);
  o.contacts = e.boolean("contacts", o.contacts);
  o.interval = e.number("interval", o.interval, kNotNegative);
  e.finish();
  for (Element& child : e.children()) {
    if (child.tag() != "channel") {
      e.unknownChild(child, {"channel"});
      continue;
    }
    o.channels.push_back(child.requiredText("name"));
    child.finishLeaf();
  }
}

void Reader::readPerturb(Element e, const Placement&) {
  perturbation_.velocity = e.number("velocity", 0.0, kNotNegative);
  perturbation_.angularVelocity = e.number("angular-velocity", 0.0, kNotNegative);
  perturbation_.seed = static_cast<unsigned>(e.integer("seed", 1, 0, std::numeric_limits<int>::max()));
  e.finishLeaf();
}

void Reader::readExpect(Element e, const Placement&) {
  e.finish();
  for (Element& child : e.children()) {
    if (child.tag() == "divergence") {
      scenario_.expectDivergence = true;
      child.finishLeaf();
      continue;
    }
    if (child.tag() != "check") {
      e.unknownChild(child, {"check", "divergence"});
      continue;
    }
    Expectation x;
    x.channel = child.requiredText("channel");
    const std::string when = child.text("at", "always");
    if (when == "end") {
      x.when = When::End;
    } else if (when != "always") {
      x.when = When::At;
      std::string defect;
      const auto time = child.evaluated("at", when.c_str(), false, defect);
      if (time && time->front() >= 0.0)
        x.time = time->front();
      else
        child.error(fmt::format("at=\"{}\" is not allowed (always, end, or a time in s){}", when, defect));
    }
    if (child.has("value")) {
      const double value = child.number("value", 0.0);
      const double tolerance = child.requiredNumber("tolerance", kNotNegative);
      x.lower = value - tolerance;
      x.upper = value + tolerance;
      if (child.has("min") || child.has("max")) child.error("value and min/max exclude each other");
    } else {
      if (!child.has("min") && !child.has("max"))
        child.error("says nothing (needs min, max, or value and tolerance)");
      x.lower = child.number("min", x.lower);
      x.upper = child.number("max", x.upper);
      if (x.lower > x.upper) child.error("min is larger than max (swap them)");
    }
    const std::string moment = x.when == When::Always ? "always"
                               : x.when == When::End  ? "at the end"
                                                      : fmt::format("at {} s", x.time);
    x.text = std::isinf(x.lower) ? fmt::format("{} <= {:g} {}", x.channel, x.upper, moment)
             : std::isinf(x.upper)
                 ? fmt::format("{} >= {:g} {}", x.channel, x.lower, moment)
                 : fmt::format("{} in [{:.9g}, {:.9g}] {}", x.channel, x.lower, x.upper, moment);
    child.finishLeaf();
    scenario_.expectations.push_back(std::move(x));
  }
}

}  // namespace grashof::xml
