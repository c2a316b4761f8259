#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/convert/mjcf_features.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

namespace {

/// A class gives all kinds of actuators what it says of any of them...
const std::vector<std::string> kSharingKinds = {"general", "motor", "position", "velocity", "intvelocity"};
/// ... in these attributes.
const std::vector<std::string> kCommon = {"ctrlrange",    "ctrllimited", "forcerange",
                                          "forcelimited", "gear",        "group"};

}  // namespace

void MjcfReader::readActuators(Element& section) {
  for (Element each : document_->children(section)) {
    document_->fill(each, "");
    for (const std::string& kind : kSharingKinds)
      if (kind != each.tag()) document_->fill(each, "", kind, kCommon);
    forCopies(each, {{kJoints, "joint"}, {kJoints, "jointinparent"}, {kTendons, "tendon"}, {kSites, "site"}},
              [&](Element& e) {
                Drive drive = readDrive(e);
                if (!attached() || drive.acts()) drives_.push_back(std::move(drive));
              });
  }
}

MjcfReader::Drive MjcfReader::readDrive(Element& e) {
  Drive d;
  d.kind = e.tag();
  d.name = unique(e, "actuator", signalNames_);
  e.text("class");
  if (d.kind == "general") {
    readGeneral(e, d);
  } else if (d.kind == "position") {
    d.gain = e.number("kp", 1.0, xml::kNotNegative);
    d.bias = {0.0, -d.gain, -e.number("kv", 0.0, xml::kNotNegative)};
    d.dampRatio = e.number("dampratio", 0.0, xml::kNotNegative);
  } else if (d.kind == "intvelocity") {
    d.gain = e.number("kp", 1.0, xml::kNotNegative);
    d.bias = {0.0, -d.gain, -e.number("kv", 0.0, xml::kNotNegative)};
    d.active = d.integrates = true;
  } else if (d.kind == "velocity") {
    d.gain = e.number("kv", 1.0, xml::kNotNegative);
    d.bias = {0.0, 0.0, -d.gain};
  } else if (d.kind != "motor") {
    e.text("tendon");
    d.active = d.kind == "muscle" || d.kind == "cylinder";
    for (const char* own : {"joint", "jointinparent", "site", "refsite", "body", "slidersite", "cranksite"})
      e.text(own);
    countLeftOut(fmt::format("<{}> actuators", d.kind),
                 d.kind == "muscle"
                     ? "there are no muscles; give their tendons a motor, or a cable a motion of its tension"
                     : "write them as motor, position, velocity, or general with an affine bias");
    return d;
  }
  const std::vector<Term> terms = readTransmission(e, d);
  d.controls = e.numbers("ctrlrange", {2});
  inheritRange(e, d);
  d.forces = e.numbers("forcerange", {2});
  const bool inherited = !d.controls.empty() && !e.has("ctrlrange");
  if (!limited(e, "ctrllimited", inherited ? "inheritrange" : "ctrlrange") || !enabled("clampctrl"))
    d.controls.clear();
  if (!limited(e, "forcelimited", "forcerange")) d.forces.clear();
  const bool works = enabled("actuation") && !disabledGroups_.contains(e.integer("group", 0));
  noteMjcf(e, report_);
  if (works && d.kind != "none") {
    d.terms = terms;
  } else {
    d.path.clear();
    d.site = d.ball = -1;
  }
  if (d.integrates && d.acts())
    report_.approximated.push_back(fmt::format(
        "<{}> {} stays at its activation of the start: its control is not integrated", e.tag(), d.name));
  return d;
}

void MjcfReader::readGeneral(Element& e, Drive& drive) {
  const int gain = e.choice("gaintype", 0, {"fixed", "affine", "muscle", "user"});
  const int bias = e.choice("biastype", 0, {"none", "affine", "muscle", "user"});
  const std::string dynamics = e.text("dyntype", "none");
  const auto numbers = [&](const char* attribute) {
    const auto all = xml::parseNumbers(e.has(attribute) ? e.text(attribute) : "");
    if (!all) e.error(fmt::format("{} needs numbers", attribute));
    return all.value_or(std::vector<double>{});
  };
  const std::vector<double> gains = numbers("gainprm"), biases = numbers("biasprm");
  e.text("dynprm");
  drive.gain = gains.empty() ? 1.0 : gains[0];
  if (bias == 1)
    for (std::size_t i = 0; i < std::min<std::size_t>(biases.size(), 3); ++i) drive.bias[i] = biases[i];
  if (gain == 2 || bias == 2) {
    countLeftOut("<general> muscles",
                 "there are no muscles; give their tendons a motor, or a cable a motion of its tension");
    drive.kind = "none";
  } else if (gain != 0 || bias > 1) {
    report_.leftOut.push_back(
        fmt::format("<general> {} (its gain or bias is neither fixed nor affine)", drive.name));
    drive.kind = "none";
  } else if (dynamics == "filter" || dynamics == "filterexact") {
    const std::vector<double> times = numbers("dynprm");
    drive.active = true;
    report_.approximated.push_back(fmt::format("<general> {} acts without its filter, {:g} s too soon",
                                               drive.name, times.empty() ? 1.0 : times[0]));
  } else if (dynamics == "integrator") {
    drive.active = drive.integrates = true;
  } else if (dynamics != "none") {
    drive.active = true;
    report_.leftOut.push_back(fmt::format("<general> {} (dyntype {})", drive.name, dynamics));
    drive.kind = "none";
  }
}

std::vector<MjcfReader::Term> MjcfReader::readTransmission(Element& e, Drive& drive) {
  const auto gears = e.numbers("gear", {1, 2, 3, 4, 5, 6});
  const double gear = gears.empty() ? 1.0 : gears[0];
  const auto refuse = [&](const char* why) {
    report_.leftOut.push_back(fmt::format("<{}> {} ({})", e.tag(), drive.name, why));
    return std::vector<Term>{};
  };
  std::vector<Term> terms;
  for (const char* place : {"site", "refsite"}) e.text(place);  // of what acts on a joint, nothing
  if (e.has("tendon")) {
    const int tendon = find(kTendons, e, "tendon");
    if (tendon == -2) return {};
    drive.path = tendons_[static_cast<std::size_t>(tendon)].path;
    drive.gear = gear;
    if (!drive.path.empty() && gear != 0.0) return {};
    for (const Term& t : tendons_[static_cast<std::size_t>(tendon)].terms)
      if (t.coefficient * gear != 0.0) terms.push_back({t.joint, t.coefficient * gear});
  } else if (e.has("joint") || e.has("jointinparent")) {
    const int joint = find(kJoints, e, e.has("joint") ? "joint" : "jointinparent");
    if (joint == -2) return {};
    const LinkJointKind kind =
        joint < 0 ? LinkJointKind::Fixed : tree_.joints[static_cast<std::size_t>(joint)].kind;
    if (kind == LinkJointKind::Spherical || kind == LinkJointKind::Free) return takeBall(e, joint, drive);
    if (gear != 0.0) terms.push_back({joint, gear});
  } else if (e.has("site")) {
    return takeSite(e, drive);
  } else {
    return refuse(e.has("cranksite") ? "a crank that slides: its force is not there"
                  : e.has("body")    ? "adhesion: its force is not there"
                                     : "acts on no joint, tendon or site");
  }
  for (const Term& t : terms) drive.zero += t.coefficient * references_[static_cast<std::size_t>(t.joint)];
  for (const Term& t : terms)
    if (tree_.joints[static_cast<std::size_t>(t.joint)].coordinates.size() != 1 ||
        tree_.joints[static_cast<std::size_t>(t.joint)].kind == LinkJointKind::Fixed)
      return refuse("its joint has not one coordinate");
  return terms.empty() ? refuse("its gear is 0") : terms;
}

std::vector<MjcfReader::Term> MjcfReader::takeSite(Element& e, Drive& drive) {
  const int site = find(kSites, e, "site"), frame = e.has("refsite") ? find(kSites, e, "refsite") : -1;
  if (site == -2 || frame == -2) return {};
  std::vector<double> gear = e.numbers("gear", {1, 2, 3, 4, 5, 6});
  if (gear.empty()) gear = {1.0};
  gear.resize(6, 0.0);
  const auto refuse = [&](const char* why) {
    report_.leftOut.push_back(fmt::format("<{}> {} ({})", e.tag(), drive.name, why));
    return std::vector<Term>{};
  };
  // Without a refsite the length of the drive is always 0, with one it is that of the way from there.
  if (drive.bias[2] != 0.0 || (drive.bias[1] != 0.0 && frame >= 0))
    return refuse("a servo on a site: its force is not there");
  if (frame >= 0 && !standsStill(sites_[static_cast<std::size_t>(frame)].link))
    return refuse("its refsite moves: its force is not there");
  drive.site = site;
  drive.frame = frame;
  drive.force = Vec3(gear[0], gear[1], gear[2]);
  drive.torque = Vec3(gear[3], gear[4], gear[5]);
  return {};
}

double MjcfReader::startForce(const Drive& d) {
  const double force = d.gain * d.control + d.bias[0];
  if (d.forces.empty()) return force;
  return std::clamp(force, std::min(d.forces[0], d.forces[1]), std::max(d.forces[0], d.forces[1]));
}

std::vector<MjcfReader::Term> MjcfReader::takeBall(Element& e, int joint, Drive& drive) {
  const LinkJoint& j = tree_.joints[static_cast<std::size_t>(joint)];
  const bool free = j.kind == LinkJointKind::Free;
  const auto refuse = [&](const char* why) {
    report_.leftOut.push_back(fmt::format("<{}> {} ({})", e.tag(), drive.name, why));
    return std::vector<Term>{};
  };
  if (drive.servo()) return refuse("a servo of a ball or free joint: its force is not there");
  if (!standsStill(j.parent))
    return refuse("its ball joint joins two bodies that move: its torque is not there");
  std::vector<double> gear = e.numbers("gear", {1, 2, 3, 4, 5, 6});
  if (gear.empty()) gear = {1.0};
  gear.resize(6, 0.0);
  drive.ball = joint;
  drive.inParent = !e.has("joint");
  const Vec3 first(gear[0], gear[1], gear[2]), second(gear[3], gear[4], gear[5]);
  drive.force = free ? first : Vec3(Vec3::Zero());
  drive.torque = free ? second : first;
  return {};
}

void MjcfReader::addBallDrive(const Drive& d) {
  const LinkJoint& j = tree_.joints[static_cast<std::size_t>(d.ball)];
  const Quat parent = zeroPose(j.parent).rotation;
  const double force = startForce(d);
  // Forces are those of the world, or of the parent; moments those of the body, or of the parent.
  const Vec3 push = force * (parent * d.force),
             twist = force * (d.inParent ? Vec3(parent * d.torque) : d.torque);
  TreeWrench w{.name = d.name, .link = j.child, .force = push};
  if (d.inParent) w.torque = twist;
  const bool both = !w.force.isZero(0.0);
  if (both || !w.torque.isZero(0.0)) tree_.wrenches.push_back(w);
  if (!d.inParent && !twist.isZero(0.0))
    tree_.wrenches.push_back(
        {.name = both ? d.name + "_moment" : d.name, .link = j.child, .torque = twist, .local = true});
  if (d.gain != 0.0)
    report_.approximated.push_back(fmt::format(
        "<{}> {} on a ball or free joint is a wrench of {:g} times its gear, that of the ctrl at the start: "
        "controls do not change it",
        d.kind, d.name, force));
}

void MjcfReader::inheritRange(Element& e, Drive& d) {
  if (d.kind != "position" || !e.has("inheritrange")) return;
  const double share = e.number("inheritrange", 0.0, xml::kNotNegative);
  if (share == 0.0) return;
  if (e.has("ctrlrange")) return e.error("has both ctrlrange and inheritrange (leave one out)");
  const char* place = e.has("joint") ? "joint" : e.has("jointinparent") ? "jointinparent" : nullptr;
  const int joint = place ? find(kJoints, e, place) : -1;
  const auto range = ranges_.find(joint);
  if (range == ranges_.end() || !(range->second[0] < range->second[1])) {
    if (place) return e.error("inheritrange: its joint has no range (give one, or a ctrlrange)");
    return Report::once(report_.leftOut, "inheritrange of actuators on tendons (write a ctrlrange)");
  }
  const double middle = 0.5 * (range->second[0] + range->second[1]),
               half = 0.5 * share * (range->second[1] - range->second[0]);
  d.controls = {middle - half, middle + half};
}

void MjcfReader::addSiteDrive(const Drive& d) {
  const Site& site = sites_[static_cast<std::size_t>(d.site)];
  const double force = startForce(d);
  TreeWrench w{.name = d.name, .link = site.link, .point = site.pose.position, .local = d.frame < 0};
  Quat axes = site.pose.rotation;
  if (d.frame >= 0) {
    const Site& frame = sites_[static_cast<std::size_t>(d.frame)];
    axes = zeroPose(frame.link).rotation * frame.pose.rotation;
  }
  w.force = force * (axes * d.force);
  w.torque = force * (axes * d.torque);
  if (d.gain != 0.0)
    report_.approximated.push_back(
        fmt::format("<{}> {} on a site is a wrench of {:g} times its gear, that of the ctrl at the start: "
                    "controls do not "
                    "change it",
                    d.kind, d.name, force));
  if (site.link >= 0 && !(w.force.isZero(0.0) && w.torque.isZero(0.0))) tree_.wrenches.push_back(w);
}

bool MjcfReader::reduceToOneJoint(Drive& drive) const {
  std::vector<Term> terms;
  const auto add = [&](int joint, double coefficient) {
    for (Term& t : terms)
      if (t.joint == joint) {
        t.coefficient += coefficient;
        return;
      }
    terms.push_back({joint, coefficient});
  };
  for (const Term& t : drive.terms) {
    const auto follows = std::find_if(tree_.mimics.begin(), tree_.mimics.end(), [&](const Mimic& m) {
      return m.jointA == t.joint && !m.profile && m.offset == 0.0;
    });
    add(follows == tree_.mimics.end() ? t.joint : follows->jointB,
        follows == tree_.mimics.end() ? t.coefficient : t.coefficient * follows->ratio);
  }
  if (terms.size() != 1) return false;
  drive.terms = terms;
  return true;
}

void MjcfReader::addControl(const Drive& d) {
  TreeControl control{.name = d.name, .start = d.control};
  const auto bound = [&](double a, double b) {
    // Where both ranges have nothing in common the latter counts, as of values that are clamped twice.
    control.lower = std::clamp(control.lower, std::min(a, b), std::max(a, b));
    control.upper = std::clamp(control.upper, std::min(a, b), std::max(a, b));
  };
  if (!d.controls.empty()) bound(d.controls[0], d.controls[1]);
  // The force of what is no servo follows from the control alone, and so do bounds of it.
  if (!d.servo() && !d.forces.empty() && d.gain != 0.0)
    bound((d.forces[0] - d.bias[0]) / d.gain, (d.forces[1] - d.bias[0]) / d.gain);
  tree_.controls.push_back(std::move(control));
}

TreeControl& MjcfReader::controlOf(const Drive& drive) {
  return tree_.controls[static_cast<std::size_t>(&drive - drives_.data())];
}

void MjcfReader::makeActuators() {
  std::map<int, std::vector<const Drive*>> byJoint;
  for (Drive& d : drives_) {
    if (!d.controls.empty())
      d.control = std::clamp(d.control, std::min(d.controls[0], d.controls[1]),
                             std::max(d.controls[0], d.controls[1]));
    addControl(d);
    if (d.integrates) d.control = d.activation;
    if (d.site >= 0) {
      addSiteDrive(d);
      continue;
    }
    if (d.ball >= 0) {
      addBallDrive(d);
      continue;
    }
    if (!d.path.empty() || (d.terms.size() > 1 && d.servo())) {
      // Only servos of joints have a limit of their force.
      if (!d.path.empty() || d.forces.empty() || !reduceToOneJoint(d)) {
        addTendonDrive(d);
        continue;
      }
      report_.merged.push_back(
          fmt::format("servo {} of a tendon acts on joint {}, to which the others are coupled", d.name,
                      tree_.joints[static_cast<std::size_t>(d.terms[0].joint)].name));
    }
    for (const Term& t : d.terms) byJoint[t.joint].push_back(&d);
  }
  for (auto& [joint, drives] : byJoint) {
    separateBounded(joint, drives);
    addActuator(joint, drives);
  }
}

void MjcfReader::separateBounded(int joint, std::vector<const Drive*>& drives) {
  const LinkJoint& j = tree_.joints[static_cast<std::size_t>(joint)];
  const auto bounded = [](const Drive* d) { return d->servo() && !d->forces.empty(); };
  // A bound of the joint counts for the sum.
  if (drives.size() < 2 || std::count_if(drives.begin(), drives.end(), bounded) != 1 ||
      j.coordinates[0].actuator.limited())
    return;
  const auto stays = [&](const Drive* d) {
    return bounded(d) || d->terms.size() != 1 || d->dampRatio > 0.0 || d->bias[1] > 0.0 || d->bias[2] > 0.0;
  };
  const auto rest = std::stable_partition(drives.begin(), drives.end(), stays);
  for (auto d = rest; d != drives.end(); ++d) {
    report_.merged.push_back(fmt::format(
        "{} acts on joint {} as a force element, so that another's forcerange bounds that one alone",
        (*d)->name, j.name));
    addTendonDrive(**d);
  }
  drives.erase(rest, drives.end());
}

void MjcfReader::addTendonDrive(const Drive& d) {
  // Along the sum x, of which L is `g` times x + zero: F = constant - stiffness x - damping dx/dt.
  const double g = d.path.empty() ? 1.0 : d.gear;
  double force = d.gain * d.control + d.bias[0];
  const double stiffness = -g * g * d.bias[1], damping = -g * g * d.bias[2];
  if (stiffness < 0.0 || damping < 0.0) {
    report_.leftOut.push_back(fmt::format("<{}> {} (pushes away from where it is)", d.kind, d.name));
    return;
  }
  const bool servo = stiffness > 0.0 || damping > 0.0;
  if (!d.forces.empty() && servo)
    report_.leftOut.push_back(
        fmt::format("forcerange of {} (force elements along tendons have no limit)", d.name));
  else if (!d.forces.empty())
    force = std::clamp(force, std::min(d.forces[0], d.forces[1]), std::max(d.forces[0], d.forces[1]));
  if (d.dampRatio > 0.0)
    report_.leftOut.push_back(fmt::format("dampratio of {} (a servo of a tendon)", d.name));
  CoordinateSum sum;
  if (!startSum(d.name, {d.terms, d.path, 0.0}, sum)) return;
  sum.stiffness = stiffness;
  sum.damping = damping;
  const double constant = g * force - stiffness * d.zero;
  Signal s;
  s.name = d.name;
  sum.command = stiffness > 0.0 ? SumCommand::Length : SumCommand::Tension;
  s.offset = stiffness > 0.0 ? constant / stiffness : -constant;
  if (stiffness == 0.0)
    Report::once(
        report_.merged,
        "motions of force elements that drive tendons are tensions, the opposite of MuJoCo's forces");
  sum.signal = static_cast<int>(tree_.signals.size());
  // A command adds to what the length over time does, which stays at that of the start.
  if (!d.integrates)
    controlOf(d).shares.push_back({.sum = static_cast<int>(tree_.sums.size()),
                                   .gain = g * d.gain,
                                   .offset = stiffness > 0.0 ? -g * d.gain * d.control : g * d.bias[0]});
  tree_.signals.push_back(std::move(s));
  tree_.sums.push_back(std::move(sum));
}

MjcfReader::DriveSum MjcfReader::sumOf(int index, const std::vector<const Drive*>& drives) {
  DriveSum sum;
  for (const Drive* d : drives) {
    const auto term =
        std::find_if(d->terms.begin(), d->terms.end(), [&](const Term& t) { return t.joint == index; });
    const double g = term->coefficient;
    double force = d->gain * d->control + d->bias[0];
    const bool servo = d->servo();
    double most = xml::kInfinity;
    if (!d->forces.empty()) {
      if (!servo)
        force = std::clamp(force, std::min(d->forces[0], d->forces[1]), std::max(d->forces[0], d->forces[1]));
      most = std::max(std::abs(d->forces[0]), std::abs(d->forces[1]));
      if (drives.size() > 1 && servo)
        report_.approximated.push_back(
            fmt::format("forcerange of {} (other actuators drive joint {}, too: the sum of all is bounded, "
                        "by the sum of their "
                        "bounds, if each has one)",
                        d->name, tree_.joints[static_cast<std::size_t>(index)].name));
      if (d->forces[0] != -d->forces[1] && servo)
        report_.approximated.push_back(fmt::format(
            "forcerange of {} is taken as {:g} either way (efforts have one limit)", d->name, most));
    }
    if (!servo && !d->controls.empty()) {
      const double reach = std::max(std::abs(d->gain * d->controls[0] + d->bias[0]),
                                    std::abs(d->gain * d->controls[1] + d->bias[0]));
      most = std::min(most, reach);
    }
    sum.bounded = sum.bounded && most < xml::kInfinity;
    sum.limit += std::abs(g) * most;
    sum.constant += g * (force + d->bias[1] * d->zero);
    sum.stiffness -= g * g * d->bias[1];
    sum.damping -= g * g * d->bias[2];
  }
  return sum;
}

void MjcfReader::addActuator(int index, const std::vector<const Drive*>& drives) {
  LinkJoint& joint = tree_.joints[static_cast<std::size_t>(index)];
  Actuator& a = joint.coordinates[0].actuator;
  const auto [constant, stiffness, damping, limit, bounded] = sumOf(index, drives);
  if (stiffness < 0.0 || damping < 0.0) {
    report_.leftOut.push_back(
        fmt::format("<{}> {} (pushes away from where it is)", drives[0]->kind, drives[0]->name));
    return;
  }
  Signal s;
  const bool own = drives.size() == 1 && drives[0]->terms.size() == 1;
  s.name = own || (drives[0]->terms.size() == 1) ? drives[0]->name : joint.name + "_drive";
  for (int n = 2; !own && drives[0]->terms.size() != 1 && signalNames_.contains(s.name); ++n)
    s.name = fmt::format("{}_drive{}", joint.name, n);
  signalNames_.insert(s.name);
  if (!own) {
    std::string names;
    for (const Drive* d : drives) names += (names.empty() ? "" : ", ") + d->name;
    report_.merged.push_back(
        fmt::format("actuators {} of joint {} into motion {}", names, joint.name, s.name));
  }
  if (bounded && limit > 0.0) a.effortLimit = std::min(a.effortLimit, limit);
  if (stiffness > 0.0) {
    a.kind = Actuator::Kind::Position;
    a.proportionalGain = stiffness;
    s.offset = constant / stiffness;
  } else if (damping > 0.0) {
    a.kind = Actuator::Kind::Velocity;
    s.offset = constant / damping;
  } else {
    a.kind = Actuator::Kind::Effort;
    s.offset = constant;
  }
  a.derivativeGain = damping;
  const double unit = stiffness > 0.0 ? stiffness : damping > 0.0 ? damping : 1.0;
  for (const Drive* d : drives) {
    const auto term =
        std::find_if(d->terms.begin(), d->terms.end(), [&](const Term& t) { return t.joint == index; });
    if (d->integrates) continue;
    const double g = term->coefficient / unit;
    controlOf(*d).shares.push_back(
        {.joint = index, .gain = g * d->gain, .offset = g * (d->bias[0] + d->bias[1] * d->zero)});
  }
  a.signal = static_cast<int>(tree_.signals.size());
  tree_.signals.push_back(std::move(s));
}

}  // namespace grashof::convert
