// Actuators, by name where the scenario names controls, and the keyframe.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/listed.h"
#include "tools/convert/mjcf_writer.h"
#include "tools/convert/tidy.h"

namespace grashof::convert {
namespace {

constexpr double kServo = 100.0;  // gain of what stands for a prescribed motion

}  // namespace

double MjcfWriter::unitOf(const Actuator& a) {
  switch (a.kind) {
    case Actuator::Kind::Position:
      return a.proportionalGain;
    case Actuator::Kind::Velocity:
      return a.derivativeGain;
    case Actuator::Kind::Motion:
      return kServo;
    default:
      return 1.0;
  }
}

bool MjcfWriter::servoAt(const ControlTarget& t) const {
  return actuatorOf(t.joint, t.coordinate).kind != Actuator::Kind::Effort;
}

std::size_t MjcfWriter::firstControlOf(const ControlTarget& target) const {
  const auto moves = [&](const ControlInput& c) {
    return std::any_of(c.targets.begin(), c.targets.end(), [&](const ControlTarget& t) {
      return t.joint == target.joint && t.element == target.element && t.coordinate == target.coordinate;
    });
  };
  const auto first = std::find_if(model_.controls.begin(), model_.controls.end(), moves);
  return static_cast<std::size_t>(first - model_.controls.begin());
}

void MjcfWriter::noteMotion(int signal) {
  if (signal < 0) return;
  const Signal& s = model_.signals[static_cast<std::size_t>(signal)];
  if (s.kind != Signal::Kind::Constant) moving_.push_back(s.name);
}

void MjcfWriter::writeDrive(const Drive& d) {
  const bool affine = d.bias != std::array<double, 3>{};
  out_.open(affine || d.gain != 1.0 ? "general" : "motor").attribute("name", unique("actuator", d.name));
  if (d.tendon.empty())
    out_.attribute("joint", d.joint);
  else
    out_.attribute("tendon", d.tendon);
  if (affine || d.gain != 1.0) out_.attribute("gainprm", tidyNumbers({d.gain}));
  if (affine)
    out_.attribute("biastype", "affine")
        .attribute("biasprm", tidyNumbers({d.bias[0], d.bias[1], d.bias[2]}, std::abs(d.gain)));
  if (d.limit > 0.0)
    out_.attribute("forcelimited", true).attribute("forcerange", tidyNumbers({-d.limit, d.limit}));
  if (std::isfinite(d.lower) || std::isfinite(d.upper))
    out_.attribute("ctrllimited", true)
        .attribute("ctrlrange", tidyNumbers({std::max(d.lower, -1e6), std::min(d.upper, 1e6)}));
  out_.close();
  controls_.push_back(std::clamp(d.control, d.lower, d.upper));
}

bool MjcfWriter::lawOf(int joint, int coordinate, Drive& d) {
  const Actuator& a = actuatorOf(joint, coordinate);
  const Joint& own = model_.joints[static_cast<std::size_t>(joint)];
  if (!written(joint, coordinate)) {
    report_.leftOut.push_back(
        fmt::format("the actuator of {} (no joint of MJCF has this coordinate)",
                    own.type->numDofs() == 1 ? own.name : fmt::format("{}_{}", own.name, coordinate)));
    return false;
  }
  d.joint = coordinateName(static_cast<std::size_t>(joint), coordinate);
  double kp = a.proportionalGain, kd = a.derivativeGain;
  if (a.kind == Actuator::Kind::Motion) {
    kp = kServo;
    kd = 0.1 * kServo;
    Report::once(report_.approximated,
                 fmt::format("prescribed motions are position servos with kp = {:g}, to be tuned", kp));
  }
  if (a.kind == Actuator::Kind::Position || a.kind == Actuator::Kind::Motion) {
    d.gain = kp;
    d.bias = {0.0, -kp, -kd};
  }
  if (a.kind == Actuator::Kind::Velocity) {
    d.gain = kd;
    d.bias = {0.0, 0.0, -kd};
  }
  const DriveBounds bounds = model_.boundsOf(a);
  if (bounds.bounded() && a.kind != Actuator::Kind::Motion) d.limit = std::min(bounds.limit, bounds.stall);
  if (bounds.line())
    Report::once(report_.approximated,
                 "torque-speed lines of motors are limits of the effort at the stall torque");
  d.control = model_.signals[static_cast<std::size_t>(a.signal)].value(0.0);
  noteMotion(a.signal);
  return true;
}

/// An actuator whose control is its reference.
void MjcfWriter::writeOwn(int joint, int coordinate) {
  Drive d;
  if (!lawOf(joint, coordinate, d)) return;
  d.name = d.joint + "_drive";
  writeDrive(d);
}

/// What a named control does to one actuator or element. The first that moves an actuator is its servo.
void MjcfWriter::writeTarget(const ControlInput& control, const ControlTarget& t, std::size_t number) {
  Drive d;
  if (t.element >= 0) {
    const Tendon* tendon = tendonOf(t.element);
    if (!tendon) return;  // reported as an element
    d.tendon = tendon->name;
    d.gain = tendon->sign * t.gain;
    // An offset against the length at the start is that of the spring, which has no motion in MuJoCo.
    const bool follows = model_.forces[tendon->element].lengthSignal >= 0;
    d.bias[0] = tendon->sign * t.offset;
    if (follows && control.start != 0.0 && t.offset != 0.0)
      Report::once(report_.assumed, "tendons whose spring moves rest where it does at the start");
    drivenElements_.insert(t.element);
  } else {
    if (!lawOf(t.joint, t.coordinate, d)) return;
    const bool first = driven_.insert({t.joint, t.coordinate}).second;
    const double reference = d.control, unit = d.gain;
    d.gain = unit * t.gain;
    d.bias[0] = unit * t.offset;
    if (!first) {
      d.bias[1] = d.bias[2] = 0.0;
      if (d.limit > 0.0)
        Report::once(report_.approximated, "bounds of efforts that several controls give are those of one");
      d.limit = 0.0;
    }
    d.control = t.gain != 0.0 ? (reference - t.offset) / t.gain : 0.0;
  }
  const auto moves = [&](const ControlInput& c) {
    return std::any_of(c.targets.begin(), c.targets.end(), [&](const ControlTarget& other) {
      return other.joint == t.joint && other.element == t.element && other.coordinate == t.coordinate;
    });
  };
  if (t.element >= 0 || std::count_if(model_.controls.begin(), model_.controls.end(), moves) > 1)
    d.control = control.start;
  d.name = control.name;
  d.lower = control.lower;
  d.upper = control.upper;
  if (number == 1)
    report_.approximated.push_back(
        fmt::format("control {} moves several actuators: those called {}_2 and so on are to have its value",
                    control.name, control.name));
  writeDrive(d);
}

void MjcfWriter::writeControl(const ControlInput& control) {
  if (const Sum* sum = sumOf('u', control.name)) {
    Drive d{.name = control.name, .tendon = sum->name};
    d.lower = control.lower;
    d.upper = control.upper;
    d.control = control.start;
    for (const CoordinateTerm& t : sum->terms) {
      if (actuatorOf(t.joint, t.coordinate).kind == Actuator::Kind::Effort)
        driven_.insert({t.joint, t.coordinate});
      noteMotion(actuatorOf(t.joint, t.coordinate).signal);
    }
    return writeDrive(d);
  }
  if (control.targets.empty())
    report_.leftOut.push_back(fmt::format("control {} (it moves nothing)", control.name));
  for (std::size_t i = 0; i < control.targets.size(); ++i) writeTarget(control, control.targets[i], i);
}

void MjcfWriter::planWrenches() {
  for (std::size_t i = 0; i < model_.wrenches.size(); ++i) {
    const ExternalWrench& w = model_.wrenches[i];
    const bool constant =
        w.signal < 0 || model_.signals[static_cast<std::size_t>(w.signal)].kind == Signal::Kind::Constant;
    if (!constant || w.body < 0) continue;
    const Pose inverse = model_.bodies[static_cast<std::size_t>(w.body)].userFrame.inverse();
    const std::string wanted = w.name.empty() ? bodyName(w.body) + "_wrench" : w.name;
    wrenchSites_[i] = {unique("site", wanted), w.body, inverse * w.point};
    if (!w.local && axesSite_.empty()) axesSite_ = unique("site", "world_axes");
  }
}

/// An actuator with a bias alone.
void MjcfWriter::writeWrenches() {
  for (const auto& [i, site] : wrenchSites_) {
    const ExternalWrench& w = model_.wrenches[i];
    const double factor = w.signal < 0 ? 1.0 : model_.signals[static_cast<std::size_t>(w.signal)].value(0.0);
    const Quat turn = model_.bodies[static_cast<std::size_t>(w.body)].userFrame.rotation.conjugate();
    const Vec3 force = factor * (w.local ? Vec3(turn * w.force) : w.force),
               torque = factor * (w.local ? Vec3(turn * w.torque) : w.torque);
    out_.open("general").attribute("name", unique("actuator", site.name)).attribute("site", site.name);
    if (!w.local) out_.attribute("refsite", axesSite_);
    out_.attribute("gear",
                   tidyNumbers({force.x(), force.y(), force.z(), torque.x(), torque.y(), torque.z()}, 1e-9));
    out_.attribute("gainprm", "0").attribute("biastype", "affine").attribute("biasprm", "1 0 0").close();
    controls_.push_back(0.0);
  }
}

void MjcfWriter::writeActuators() {
  out_.open("actuator");
  for (const ControlInput& control : model_.controls) writeControl(control);
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t c = 0; c < model_.joints[j].coordinates.size(); ++c) {
      const std::pair place(static_cast<int>(j), static_cast<int>(c));
      if (actuatorOf(place.first, place.second).kind != Actuator::Kind::None && !driven_.contains(place))
        writeOwn(place.first, place.second);
    }
  for (const Tendon& tendon : tendons_) {
    const ForceElement& e = model_.forces[tendon.element];
    noteMotion(e.signal);
    noteMotion(e.lengthSignal);
    if (e.signal < 0 || drivenElements_.contains(static_cast<int>(tendon.element))) continue;
    // What a signal commands of a sum is a tension.
    const double sign = tendon.sign * (e.onSum() ? -1.0 : 1.0);
    writeDrive({.name = tendon.name + "_drive",
                .tendon = tendon.name,
                .control = sign * model_.signals[static_cast<std::size_t>(e.signal)].value(0.0)});
  }
  writeWrenches();
  out_.close();
  leaveOut("motions over time", moving_, " (the keyframe 'start' holds the controls at t = 0)");
}

}  // namespace grashof::convert
