// Elements that say how a scenario is run, and what is expected of it.
#include <fmt/format.h>

#include "engine/scenario/fields.h"
#include "engine/scenario/reader.h"

namespace grashof::xml {

void Reader::readOptions(Element e, const Placement&) {
  StepOptions& o = builder_.options();
  builder_.where().options = e.where();
  e.read("timestep", o.timestep);
  e.read("duration", scenario_.duration);
  e.read("integrator", o.integrator);
  e.read("tolerance", o.tolerance);
  e.read("gravity", builder_.gravity());
  stepFields(o, e.reading());
  e.finishLeaf();
  if (o.timestep > 0.0 && scenario_.duration / o.timestep > kMaxSteps)
    e.error(fmt::format("duration / timestep is {:.3g} steps (at most {:.0e})",
                        scenario_.duration / o.timestep, kMaxSteps));
}

void Reader::readSolver(Element e, const Placement&) {
  builder_.where().solver = {e.file(), e.line(), "solver"};  // its name is not that of the element
  readSolverOptions(e, builder_.solver());
}

void readSolverOptions(Element& e, SolverOptions& o) {
  o.name = e.text("name");
  solverFields(o, e.reading());
  e.finishLeaf();
}

void Reader::readStabilization(Element e, const Placement&) {
  Stabilization& s = builder_.stabilization();
  builder_.where().stabilization = e.where();
  stabilizationFields(s, e.reading());
  e.finishLeaf();
}

void Reader::readOutput(Element e, const Placement&) {
  OutputOptions& o = scenario_.output;
  outputFields(o, e.reading());
  e.read("interval", o.interval);
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
  perturbation_.velocity = e.number("velocity");
  perturbation_.angularVelocity = e.number("angular-velocity");
  perturbation_.seed = static_cast<unsigned>(e.integer("seed"));
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
    const std::string when = child.text("at");
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
      const double value = child.number("value");
      const double tolerance = child.requiredNumber("tolerance");
      x.lower = value - tolerance;
      x.upper = value + tolerance;
      if (child.has("min") || child.has("max")) child.error("value and min/max exclude each other");
    } else {
      if (!child.has("min") && !child.has("max"))
        child.error("says nothing (needs min, max, or value and tolerance)");
      child.read("min", x.lower);
      child.read("max", x.upper);
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
