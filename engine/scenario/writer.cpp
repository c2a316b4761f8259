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
#include "engine/scenario/fields.h"
#include "engine/scenario/write_elements.h"
#include "engine/scenario/write_source.h"
#include "engine/scenario/xml_writer.h"

namespace grashof {
namespace {

using xml::numbers;

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

  void place(const Pose& pose) {
    if (!pose.position.isZero(0.0)) out_.attribute("position", pose.position);
    if (!(pose.rotation.vec().isZero(0.0))) out_.attribute("quaternion", pose.rotation);
  }

  std::string bodyName(int body) const {
    return body < 0 ? "world" : model_.bodies[static_cast<std::size_t>(body)].name;
  }

  void writeOptions() {
    const StepOptions& o = model_.step;
    out_.open("options");
    out_.attribute("timestep", o.timestep).attribute("duration", scenario_.duration);
    out_.unlessUsual("integrator", o.integrator).unlessUsual("tolerance", o.tolerance);
    out_.attribute("gravity", model_.gravity);
    xml::stepFields(o, out_.writing());
    out_.close();

    const SolverOptions& s = model_.solver;
    out_.open("solver").attribute("name", s.name);
    xml::solverFields(s, out_.writing());
    out_.close();

    const Stabilization& b = model_.stabilization;
    out_.open("stabilization");
    xml::stabilizationFields(b, out_.writing());
    out_.close();
  }

  void writeSoftness(const Softness& s) { xml::writeSoftness(s, out_); }

  void writeSurface(const SurfacePair& s) {
    out_.attribute("friction", s.friction).attribute("restitution", s.restitution);
    if (s.frictionAcross) out_.attribute("friction-across", *s.frictionAcross);
    xml::frictionFields(s, out_.writing());
    writeSoftness(s.softness);
    xml::lawFields(s.law, out_.writing());
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
      out_.unlessUsual("phase", s.phase_rad);
      out_.unlessUsual("offset", s.offset);
      out_.unlessUsual("ramp", s.ramp);
    } else {
      std::string samples;
      for (std::size_t i = 0; i < s.times.size(); ++i)
        samples += (i > 0 ? " " : "") + numbers({s.times[i], s.values[i]});
      out_.attribute("type", "series").attribute("samples", samples);
      out_.unlessUsual("interpolation", s.interpolation);
    }
    out_.close();
  }

  void writeMotor(const Motor& m) {
    out_.open("motor").attribute("name", m.name);
    xml::motorFields(m, out_.writing());
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
    out_.attribute("type", xml::wordOf(t));
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
    out_.unlessUsual("collides", shape.collides);
    out_.unlessUsual("resolution", shape.resolution);
    out_.unlessUsual("thickness", shape.thickness);
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
    xml::clearanceFields(c, out_.writing());
    writeSoftness(c.softness);
    out_.close();
  }

  void writeAxis(int index, const JointCoordinate& axis) {
    const auto open = [&](const char* tag) {
      out_.open(tag);
      out_.unlessUsual("coordinate", index);
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
      xml::dynamicsFields(p, out_.writing());
      out_.close();
    }
    const Actuator& a = axis.actuator;
    if (a.kind == Actuator::Kind::None) return;
    open("actuator");
    out_.attribute("type", xml::wordOf(a.kind));
    out_.attribute("motion", model_.signals[static_cast<std::size_t>(a.signal)].name);
    if (const Motor* motor = model_.motorOf(a)) out_.attribute("motor", motor->name);
    if (a.kind == Actuator::Kind::Position) out_.attribute("kp", a.proportionalGain);
    if (a.servo()) out_.attribute("kd", a.derivativeGain);
    if (a.kind != Actuator::Kind::Motion && a.limited()) out_.attribute("effort-limit", a.effortLimit);
    out_.close();
  }

  void writeLinear(const Coupling& c) {
    out_.open("coupling").attribute("name", c.name).attribute("type", "linear");
    out_.unlessUsual("offset", c.offset);
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
    out_.unlessUsual(cam ? "follower-coordinate" : "coordinate-a", c.coordinateA);
    out_.unlessUsual(cam ? "cam-coordinate" : "coordinate-b", c.coordinateB);
    if (cam) {
      // Without the samples that closing the profile has added.
      const std::size_t skip = c.period > 0.0 ? 2 : 0;
      std::string samples;
      for (std::size_t i = skip; i + skip < c.profile.times.size(); ++i)
        samples += (i > skip ? " " : "") + numbers({c.profile.times[i], c.profile.values[i]});
      out_.attribute("samples", samples);
      out_.unlessUsual("interpolation", c.profile.interpolation);
    } else {
      out_.attribute("ratio", c.ratio);
    }
    out_.unlessUsual("offset", c.offset);
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
    out_.unlessUsual("offset", c.offset);
    out_.unlessUsual("friction-coefficient", c.friction.thread);
    out_.unlessUsual("thread-radius", c.friction.threadRadius);
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
      out_.unlessUsual("link-a", pair.a.link);
      out_.attribute("b", bodyName(pair.b.body));
      out_.unlessUsual("link-b", pair.b.link);
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
      out_.unlessUsual("coordinate", input.coordinate);
      out_.attribute("value", input.value).close();
    }
    out_.close();
  }

  void writeOutput() {
    const OutputOptions& o = scenario_.output;
    out_.open("output");
    xml::outputFields(o, out_.writing());
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
