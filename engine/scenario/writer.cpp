#include "engine/scenario/writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/base/output_file.h"
#include "engine/scenario/write_elements.h"
#include "engine/scenario/write_source.h"
#include "engine/scenario/xml_writer.h"

namespace grashof {
namespace {

using xml::numbers;

constexpr std::array<const char*, 10> kShapeTypes = {
    "plane", "box", "sphere", "capsule", "cylinder", "cone", "ellipsoid", "hull", "mesh", "height-field"};

std::string meshText(const TriangleMesh& mesh) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const Vec3& v : mesh.vertices) fmt::format_to(out, "v {} {} {}\n", v.x(), v.y(), v.z());
  for (const std::array<int, 3>& t : mesh.triangles)
    fmt::format_to(out, "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

class ScenarioWriter {
 public:
  /// `path`: of the scenario; empty for text().
  ScenarioWriter(const Scenario& scenario, const std::string& path)
      : scenario_(scenario), model_(*scenario.model), path_(path) {}

  /// Writes the files.
  void write(const std::string& remark) {
    compose(remark);
    out_.save(path_);
  }
  /// The text of all files instead.
  std::string text() {
    compose({});
    return out_.text() + others_;
  }

 private:
  void compose(const std::string& remark) {
    if (!remark.empty()) out_.comment(remark);
    out_.open("scenario").attribute("name", scenario_.name);
    writeOptions();
    writeMaterials();
    for (const Signal& s : model_.signals) writeMotion(s);
    for (const Motor& m : model_.motors) writeMotor(m);
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) writeBody(static_cast<int>(b));
    for (const Shape& shape : model_.shapes)
      if (shape.body == kWorld) writeShape(shape, shape.pose);
    for (const Joint& joint : model_.joints) writeJoint(joint);
    for (const Coupling& c : model_.couplings) writeCoupling(c);
    for (const ExternalWrench& w : model_.wrenches) writeWrench(w);
    xml::writeElements(model_, out_);
    xml::writeControls(model_, out_);
    writeContacts();
    writeAssemble();
    writeOutput();
    writeExpect();
    out_.close();
  }

  template <typename T>
  void unless(const char* name, const T& value, const T& usual) {
    if (!(value == usual)) out_.attribute(name, value);
  }

  void place(const Pose& pose) {
    if (!pose.position.isZero(0.0)) out_.attribute("position", pose.position);
    if (!(pose.rotation.vec().isZero(0.0))) out_.attribute("quaternion", pose.rotation);
  }

  std::string bodyName(int body) const {
    return body < 0 ? "world" : model_.bodies[static_cast<std::size_t>(body)].name;
  }

  void writeOptions() {
    const StepOptions& o = model_.step;
    const StepOptions usual;
    out_.open("options");
    out_.attribute("timestep", o.timestep).attribute("duration", scenario_.duration);
    if (o.integrator != usual.integrator)
      out_.attribute("integrator", std::string(kIntegratorNames[static_cast<std::size_t>(o.integrator)]));
    unless("tolerance", o.tolerance, usual.tolerance);
    out_.attribute("gravity", model_.gravity);
    unless("projection", o.projection, usual.projection);
    unless("projection-tolerance", o.projectionTolerance, usual.projectionTolerance);
    unless("restitution-threshold", o.restitutionThreshold, usual.restitutionThreshold);
    unless("contact-margin", o.contactMargin, usual.contactMargin);
    unless("geometric-stiffness", o.geometricStiffness, usual.geometricStiffness);
    unless("limit-margin", o.limitMargin, usual.limitMargin);
    unless("divergence-speed", o.divergenceSpeed, usual.divergenceSpeed);
    unless("divergence-residual", o.divergenceResidual, usual.divergenceResidual);
    unless("divergence-energy", o.divergenceEnergy, usual.divergenceEnergy);
    out_.close();

    const SolverOptions& s = model_.solver;
    const SolverOptions plain;
    out_.open("solver").attribute("name", s.name);
    unless("tolerance", s.tolerance, plain.tolerance);
    if (s.toleranceKind == ToleranceKind::Absolute) out_.attribute("tolerance-kind", "absolute");
    unless("max-iterations", s.maxIterations, plain.maxIterations);
    unless("proximal", s.proximal, plain.proximal);
    unless("joint-proximal", s.jointProximal, plain.jointProximal);
    unless("penalty", s.penalty, plain.penalty);
    unless("penalty-factor", s.penaltyFactor, plain.penaltyFactor);
    unless("penalty-exponent", s.penaltyExponent, plain.penaltyExponent);
    unless("penalty-step", s.penaltyStep, plain.penaltyStep);
    unless("penalty-threshold", s.penaltyThreshold, plain.penaltyThreshold);
    constexpr std::array<const char*, 4> kAccelerations = {"default", "none", "nesterov", "anderson"};
    if (s.acceleration != plain.acceleration)
      out_.attribute("acceleration", kAccelerations[static_cast<std::size_t>(s.acceleration)]);
    unless("relaxation", s.relaxation, plain.relaxation);
    unless("relaxation-decay", s.relaxationDecay, plain.relaxationDecay);
    unless("relaxation-min", s.relaxationMin, plain.relaxationMin);
    unless("de-saxce", s.deSaxce, plain.deSaxce);
    unless("facets", s.facets, plain.facets);
    unless("stiction-regularization", s.regularization.stiction, plain.regularization.stiction);
    unless("impact-regularization", s.regularization.impacts, plain.regularization.impacts);
    unless("near-rigid", s.regularization.nearRigid, plain.regularization.nearRigid);
    unless("warm-start", s.warmStart, plain.warmStart);
    out_.close();

    const Stabilization& b = model_.stabilization;
    const Stabilization mild;
    out_.open("stabilization");
    unless("alpha", b.alpha, mild.alpha);
    unless("decay-rate", b.decayRate, mild.decayRate);
    unless("beta", b.beta, mild.beta);
    unless("gamma", b.gamma, mild.gamma);
    unless("margin", b.margin, mild.margin);
    unless("max-recovery-speed", b.maxRecoverySpeed, mild.maxRecoverySpeed);
    out_.close();
  }

  void writeSoftness(const Softness& s) { xml::writeSoftness(s, out_); }

  void writeSurface(const SurfacePair& s) {
    out_.attribute("friction", s.friction).attribute("restitution", s.restitution);
    if (s.frictionAcross) out_.attribute("friction-across", *s.frictionAcross);
    unless("rolling-friction", s.rollingFriction, 0.0);
    unless("torsional-friction", s.torsionalFriction, 0.0);
    unless("static-ratio", s.staticRatio, 1.0);
    unless("stribeck-speed", s.stribeckSpeed, SurfacePair{}.stribeckSpeed);
    writeSoftness(s.softness);
    const ContactLaw& law = s.law;
    const ContactLaw plain;
    unless("stiffness", law.stiffness, plain.stiffness);
    unless("exponent", law.exponent, plain.exponent);
    unless("young-modulus", law.youngModulus, plain.youngModulus);
    unless("poisson-ratio", law.poissonRatio, plain.poissonRatio);
    unless("edge-radius", law.edgeRadius, plain.edgeRadius);
    unless("hydroelastic-modulus", law.hydroelasticModulus, plain.hydroelasticModulus);
    unless("hunt-crossley", law.huntCrossley, plain.huntCrossley);
    unless("relaxation-time", law.relaxationTime, plain.relaxationTime);
    unless("tangential-stiffness", law.tangentialStiffness, plain.tangentialStiffness);
    unless("stiction-speed", law.stictionSpeed, plain.stictionSpeed);
  }

  void writeMaterials() {
    for (const Material& m : model_.materials) {
      out_.open("material").attribute("name", m.name).attribute("density", m.density);
      writeSurface(m.surface);
      out_.close();
    }
    for (const auto& [pair, s] : model_.surfacePairs) {
      out_.open("surface");
      out_.attribute("a", model_.materials[static_cast<std::size_t>(pair.first)].name);
      out_.attribute("b", model_.materials[static_cast<std::size_t>(pair.second)].name);
      writeSurface(s);
      out_.close();
    }
  }

  void writeMotion(const Signal& s) {
    out_.open("motion").attribute("name", s.name);
    if (s.kind == Signal::Kind::Constant) {
      out_.attribute("type", "constant").attribute("value", s.offset);
    } else if (s.kind == Signal::Kind::Sine) {
      out_.attribute("type", "sine").attribute("amplitude", s.amplitude);
      out_.attribute("frequency", s.frequency_Hz);
      unless("phase", s.phase_rad, 0.0);
      unless("offset", s.offset, 0.0);
      unless("ramp", s.ramp, 0.0);
    } else {
      std::string samples;
      for (std::size_t i = 0; i < s.times.size(); ++i)
        samples += (i > 0 ? " " : "") + numbers({s.times[i], s.values[i]});
      out_.attribute("type", "series").attribute("samples", samples);
      writeInterpolation(s.interpolation);
    }
    out_.close();
  }

  void writeInterpolation(Interpolation kind) {
    if (kind == Interpolation::Linear) out_.attribute("interpolation", "linear");
    if (kind == Interpolation::Smooth) out_.attribute("interpolation", "smooth");
  }

  void writeMotor(const Motor& m) {
    const Motor usual;
    out_.open("motor").attribute("name", m.name);
    unless("gear-ratio", m.gearRatio, usual.gearRatio);
    unless("efficiency", m.efficiency, usual.efficiency);
    unless("back-efficiency", m.backEfficiency, usual.backEfficiency);
    unless("rotor-inertia", m.rotorInertia, usual.rotorInertia);
    unless("stall-torque", m.stallTorque, usual.stallTorque);
    unless("no-load-speed", m.noLoadSpeed, usual.noLoadSpeed);
    unless("torque-limit", m.torqueLimit, usual.torqueLimit);
    unless("speed-limit", m.speedLimit, usual.speedLimit);
    unless("rms-torque", m.rmsTorque, usual.rmsTorque);
    unless("torque-constant", m.torqueConstant, usual.torqueConstant);
    unless("resistance", m.resistance, usual.resistance);
    unless("voltage", m.voltage, usual.voltage);
    out_.close();
  }

  void writeBody(int index) {
    const Body& body = model_.bodies[static_cast<std::size_t>(index)];
    const Pose user = body.initialPose * body.userFrame;  // the user's frame in the world
    const Pose center = body.userFrame.inverse();         // the centre of mass in the user's frame
    out_.open("body").attribute("name", body.name);
    place(user);
    const Vec3 spin = body.initialTwist.tail<3>();
    const Vec3 velocity =
        body.initialTwist.head<3>() + spin.cross(body.initialPose.rotation * body.userFrame.position);
    if (!body.initialTwist.isZero(0.0))
      out_.attribute("velocity", velocity).attribute("angular-velocity", spin);
    const Mat3& i = body.inertia;
    out_.open("inertial").attribute("mass", body.mass);
    out_.attribute("inertia", numbers({i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2)}));
    place(center);
    out_.close();
    for (const Shape& shape : model_.shapes)
      if (shape.body == index) writeShape(shape, center * shape.pose);
    out_.close();
  }

  static std::string bits(std::uint32_t set) {
    std::string text;
    for (unsigned b = 0; b < 32; ++b)
      if (set & (1u << b)) text += (text.empty() ? "" : " ") + std::to_string(b);
    return text;
  }

  void writeShape(const Shape& shape, const Pose& pose) {
    const ShapeType t = shape.type;
    out_.open("shape").attribute("name", shape.name);
    out_.attribute("type", kShapeTypes[static_cast<std::size_t>(t)]);
    if (!shape.link.empty()) out_.attribute("link", shape.link);
    place(pose);
    if (t == ShapeType::Box || t == ShapeType::Ellipsoid) out_.attribute("size", shape.size);
    if (t == ShapeType::Sphere || t == ShapeType::Capsule || t == ShapeType::Cylinder || t == ShapeType::Cone)
      out_.attribute("radius", shape.radius);
    if (t == ShapeType::Capsule || t == ShapeType::Cylinder || t == ShapeType::Cone)
      out_.attribute("length", shape.length);
    if (t == ShapeType::Hull || t == ShapeType::Mesh)
      out_.attribute("file", meshFile(*shape.mesh, shape.name));
    if (t == ShapeType::HeightField) {
      out_.attribute("spacing", shape.heights->spacing);
      out_.attribute("file", heightFile(*shape.heights, shape.name));
    }
    if (shape.material > 0)
      out_.attribute("material", model_.materials[static_cast<std::size_t>(shape.material)].name);
    const Shape usual;
    if (shape.collides && shape.group != usual.group) out_.attribute("groups", bits(shape.group));
    if (shape.collides && shape.mask != usual.mask) out_.attribute("touches", bits(shape.mask));
    unless("collides", shape.collides, true);
    unless("resolution", shape.resolution, usual.resolution);
    unless("thickness", shape.thickness, usual.thickness);
    if (!shape.color.empty()) out_.attribute("color", shape.color);
    if (!shape.frictionDirection.isZero(0.0)) out_.attribute("friction-direction", shape.frictionDirection);
    if (!shape.surfaceVelocity.isZero(0.0)) out_.attribute("surface-velocity", shape.surfaceVelocity);
    out_.close();
  }

  /// Writes a further file, into the folder beside the scenario. Returns its path from there.
  std::string writeFile(const std::string& name, const std::string& ending, const std::string& text) {
    std::string safe;
    for (const char c : name)
      safe += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '_';
    const std::filesystem::path scenario(path_);
    const std::string folder = scenario.stem().string() + "-meshes";
    std::string file = folder + "/" + fmt::format("{}-{}{}", safe, ++files_, ending);
    if (path_.empty()) {
      others_ += text;
      return file;
    }
    makeFolder((scenario.parent_path() / folder).string());
    saveText((scenario.parent_path() / file).string(), text);
    return file;
  }

  std::string meshFile(const TriangleMesh& mesh, const std::string& name) {
    std::string& file = meshes_[&mesh];
    if (file.empty()) file = writeFile(name, ".obj", meshText(mesh));
    return file;
  }

  std::string heightFile(const HeightGrid& grid, const std::string& name) {
    std::string text;
    for (int r = 0; r < grid.rows; ++r)
      for (int c = 0; c < grid.columns; ++c)
        text += fmt::format("{}{}", grid.heights[r * grid.columns + c], c + 1 < grid.columns ? " " : "\n");
    return writeFile(name, ".txt", text);
  }

  void writeFrame(const char* tag, int body, const Pose& frame) {
    out_.open(tag);
    place(body < 0 ? frame : model_.bodies[static_cast<std::size_t>(body)].userFrame.inverse() * frame);
    out_.close();
  }

  void writeJoint(const Joint& joint) {
    out_.open("joint").attribute("name", joint.name).attribute("type", std::string(joint.type->name()));
    out_.attribute("base", bodyName(joint.base)).attribute("follower", bodyName(joint.follower));
    if (joint.type->name() == "distance") out_.attribute("length", joint.parameters.length);
    writeSoftness(joint.softness);
    writeFrame("base-frame", joint.base, joint.baseFrame);
    writeFrame("follower-frame", joint.follower, joint.followerFrame);
    if (joint.clearance.any()) writeClearance(joint.clearance);
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i)
      writeAxis(static_cast<int>(i), joint.coordinates[i]);
    out_.close();
  }

  void writeClearance(const Clearance& c) {
    out_.open("clearance").attribute("radial", c.radial);
    unless("journal-radius", c.journalRadius, 0.0);
    unless("friction", c.friction, 0.0);
    unless("restitution", c.restitution, 0.0);
    writeSoftness(c.softness);
    out_.close();
  }

  void writeAxis(int index, const JointCoordinate& axis) {
    const auto open = [&](const char* tag) {
      out_.open(tag);
      unless("coordinate", index, 0);
    };
    if (axis.limit.bounded()) {
      open("limit");
      if (std::isfinite(axis.limit.lower)) out_.attribute("lower", axis.limit.lower);
      if (std::isfinite(axis.limit.upper)) out_.attribute("upper", axis.limit.upper);
      writeSoftness(axis.limit.softness);
      out_.close();
    }
    const PassiveDynamics& p = axis.passive;
    if (p.stiffness > 0.0 || p.damping > 0.0 || p.armature > 0.0 || p.frictional()) {
      open("dynamics");
      unless("stiffness", p.stiffness, 0.0);
      unless("rest", p.rest, 0.0);
      unless("damping", p.damping, 0.0);
      unless("armature", p.armature, 0.0);
      unless("friction", p.dryFriction, 0.0);
      unless("friction-coefficient", p.bearing.coefficient, 0.0);
      unless("journal-radius", p.bearing.radius, 0.0);
      unless("thrust-radius", p.bearing.thrustRadius, 0.0);
      unless("bearing-length", p.bearing.length, 0.0);
      unless("static-ratio", p.staticRatio, 1.0);
      unless("stribeck-speed", p.stribeckSpeed, PassiveDynamics{}.stribeckSpeed);
      out_.close();
    }
    const Actuator& a = axis.actuator;
    if (a.kind == Actuator::Kind::None) return;
    constexpr std::array<const char*, 5> kKinds = {"", "effort", "position", "velocity", "motion"};
    open("actuator");
    out_.attribute("type", kKinds[static_cast<std::size_t>(a.kind)]);
    out_.attribute("motion", model_.signals[static_cast<std::size_t>(a.signal)].name);
    if (const Motor* motor = model_.motorOf(a)) out_.attribute("motor", motor->name);
    if (a.kind == Actuator::Kind::Position) out_.attribute("kp", a.proportionalGain);
    if (a.servo()) out_.attribute("kd", a.derivativeGain);
    if (a.kind != Actuator::Kind::Motion && a.limited()) out_.attribute("effort-limit", a.effortLimit);
    out_.close();
  }

  void writeLinear(const Coupling& c) {
    out_.open("coupling").attribute("name", c.name).attribute("type", "linear");
    unless("offset", c.offset, 0.0);
    writeTerm(model_, {c.jointA, c.coordinateA, 1.0}, out_);
    writeTerm(model_, {c.jointB, c.coordinateB, -c.ratio}, out_);
    for (const CoordinateTerm& t : c.more) writeTerm(model_, {t.joint, t.coordinate, -t.coefficient}, out_);
    out_.close();
  }

  void writeCoupling(const Coupling& c) {
    if (c.kind == CouplingKind::Linear) return writeLinear(c);
    if (c.kind == CouplingKind::Screw && c.friction.any()) return writeScrew(c);
    const std::string& a = model_.joints[static_cast<std::size_t>(c.jointA)].name;
    const std::string& b = model_.joints[static_cast<std::size_t>(c.jointB)].name;
    const bool cam = c.kind == CouplingKind::Cam;
    out_.open("coupling").attribute("name", c.name).attribute("type", cam ? "cam" : "gear");
    out_.attribute(cam ? "follower" : "joint-a", a).attribute(cam ? "cam" : "joint-b", b);
    unless(cam ? "follower-coordinate" : "coordinate-a", c.coordinateA, 0);
    unless(cam ? "cam-coordinate" : "coordinate-b", c.coordinateB, 0);
    if (cam) {
      // Without the samples that closing the profile has added.
      const std::size_t skip = c.period > 0.0 ? 2 : 0;
      std::string samples;
      for (std::size_t i = skip; i + skip < c.profile.times.size(); ++i)
        samples += (i > skip ? " " : "") + numbers({c.profile.times[i], c.profile.values[i]});
      out_.attribute("samples", samples);
      writeInterpolation(c.profile.interpolation);
    } else {
      out_.attribute("ratio", c.ratio);
    }
    unless("offset", c.offset, 0.0);
    if (c.friction.forward > 0.0 || c.friction.backward > 0.0) {
      out_.attribute("efficiency", 1.0 / (1.0 + c.friction.forward));
      if (c.friction.backward != c.friction.forward)
        out_.attribute("back-efficiency", 1.0 - c.friction.backward);
    }
    xml::writeMesh(c.mesh, out_);
    out_.close();
  }

  void writeScrew(const Coupling& c) {
    out_.open("coupling").attribute("name", c.name).attribute("type", "screw");
    out_.attribute("joint", model_.joints[static_cast<std::size_t>(c.jointA)].name);
    out_.attribute("pitch", 2.0 * std::numbers::pi * c.ratio);
    unless("offset", c.offset, 0.0);
    unless("friction-coefficient", c.friction.thread, 0.0);
    unless("thread-radius", c.friction.threadRadius, 0.0);
    out_.close();
  }

  void writeWrench(const ExternalWrench& w) {
    const Body& body = model_.bodies[static_cast<std::size_t>(w.body)];
    out_.open("wrench");
    if (!w.name.empty()) out_.attribute("name", w.name);
    out_.attribute("body", body.name).attribute("force", w.force).attribute("torque", w.torque);
    out_.attribute("point", body.userFrame.inverse() * w.point);
    if (w.local) out_.attribute("frame", "body");
    if (w.signal >= 0) out_.attribute("motion", model_.signals[static_cast<std::size_t>(w.signal)].name);
    out_.close();
  }

  /// Pairs that a joint excludes anyway are left out, unless some of them may touch: then all are told.
  void writeContacts() {
    std::set<ExcludedPair> jointed;
    for (const Joint& joint : model_.joints)
      if (excludes(joint, Neighbours::World)) jointed.insert({joint.base, joint.follower});
    const bool touch =
        !std::includes(model_.exclusions.begin(), model_.exclusions.end(), jointed.begin(), jointed.end());
    out_.open("contacts");
    if (touch) out_.attribute("neighbours", true);
    for (const ExcludedPair& pair : model_.exclusions) {
      if (!touch && jointed.contains(pair)) continue;
      out_.open("exclude").attribute("a", bodyName(pair.a.body));
      unless("link-a", pair.a.link, std::string());
      out_.attribute("b", bodyName(pair.b.body));
      unless("link-b", pair.b.link, std::string());
      out_.close();
    }
    out_.close();
  }

  void writeAssemble() {
    if (!model_.assembly) return;
    out_.open("assemble");
    for (const int body : model_.assembly->pinned) out_.open("pin").attribute("body", bodyName(body)).close();
    for (const AssemblyInput& input : model_.assembly->inputs) {
      out_.open("input").attribute("joint", model_.joints[static_cast<std::size_t>(input.joint)].name);
      unless("coordinate", input.coordinate, 0);
      out_.attribute("value", input.value).close();
    }
    out_.close();
  }

  void writeOutput() {
    const OutputOptions& o = scenario_.output;
    out_.open("output");
    unless("trajectory", o.trajectory, true);
    unless("csv", o.csv, false);
    unless("contacts", o.contacts, false);
    out_.attribute("interval", o.interval);
    for (const std::string& channel : o.channels) out_.open("channel").attribute("name", channel).close();
    out_.close();
  }

  void writeExpect() {
    if (scenario_.expectations.empty() && !scenario_.expectDivergence) return;
    out_.open("expect");
    for (const Expectation& x : scenario_.expectations) {
      out_.open("check").attribute("channel", x.channel);
      if (x.when == When::End) out_.attribute("at", "end");
      if (x.when == When::At) out_.attribute("at", x.time);
      if (std::isfinite(x.lower)) out_.attribute("min", x.lower);
      if (std::isfinite(x.upper)) out_.attribute("max", x.upper);
      out_.close();
    }
    if (scenario_.expectDivergence) out_.open("divergence").close();
    out_.close();
  }

  const Scenario& scenario_;
  const Model& model_;
  std::string path_, others_;  // others: the text of all files but the scenario, for text()
  xml::Writer out_;
  std::map<const TriangleMesh*, std::string> meshes_;
  int files_ = 0;
};

}  // namespace

std::string motionDigest(Scenario scenario) {
  scenario.name.clear();
  scenario.duration = 0.0;
  scenario.output = {};
  scenario.expectations.clear();
  scenario.expectDivergence = false;
  std::uint64_t digest = 0xCBF29CE484222325ULL;  // FNV-1a
  for (const char c : ScenarioWriter(scenario, "").text())
    digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return fmt::format("{:016x}", digest);
}

void writeScenario(const Scenario& scenario, const std::string& path, const std::string& remark) {
  if (!scenario.source) return ScenarioWriter(scenario, path).write(remark);
  if (xml::saysAll(scenario)) return xml::writeSource(*scenario.source, path, remark);
  ScenarioWriter(scenario, path)
      .write(fmt::format("{}{}this model was changed in code: expressions and templates are evaluated{}{}",
                         remark, remark.empty() ? "" : "; ",
                         scenario.source->evaluated.empty() ? "" : " with ",
                         fmt::join(scenario.source->evaluated, ", ")));
}

}  // namespace grashof
