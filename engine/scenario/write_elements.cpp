#include "engine/scenario/write_elements.h"

#include <array>
#include <cmath>

namespace grashof::xml {
namespace {

/// A body that an element names, and places in its user's frame.
class ElementWriter {
 public:
  ElementWriter(const Model& model, Writer& out) : model_(model), out_(out) {}

  void force(const ForceElement& f) {
    const ForceLaw& law = f.law;
    if (f.onSum()) return sum(f);
    const bool general = f.onJoint() || f.signal >= 0 || !law.overLength.empty() || !law.overSpeed.empty();
    out_.open(law.gas ? "gas-spring" : general ? "force" : "spring").attribute("name", f.name);
    ends(f);
    out_.unlessUsual("damping", law.damping);
    if (law.gas)
      gas(*law.gas);
    else
      spring(law);
    if (f.signal >= 0) out_.attribute("motion", model_.signals[static_cast<std::size_t>(f.signal)].name);
    table("length", law.overLength);
    table("speed", law.overSpeed);
    out_.close();
  }

  void bushing(const Bushing& b) {
    out_.open("bushing").attribute("name", b.name);
    out_.attribute("base", bodyName(b.base)).attribute("follower", bodyName(b.follower));
    matrix("stiffness", b.stiffness);
    matrix("damping", b.damping);
    const Vec6& p = b.preload;
    if (!p.isZero(0.0)) out_.attribute("preload", numbers({p[0], p[1], p[2], p[3], p[4], p[5]}));
    frame("base-frame", b.base, b.baseFrame);
    frame("follower-frame", b.follower, b.followerFrame);
    out_.close();
  }

  void velocity(const VelocityConstraint& c) {
    const bool rolling = c.kind == VelocityConstraintKind::Rolling;
    out_.open(rolling ? "rolling" : "knife-edge").attribute("name", c.name);
    out_.attribute("base", bodyName(c.base)).attribute("follower", bodyName(c.follower));
    out_.attribute("point", inUserFrame(c.follower) * c.point);
    if (!c.axis.isZero(0.0))
      out_.attribute(rolling ? "axis" : "across", inUserFrame(c.follower).rotation * c.axis);
    if (rolling)
      out_.attribute("radius", c.radius).attribute("normal", inUserFrame(c.base).rotation * c.normal);
    out_.close();
  }

 private:
  void sum(const ForceElement& f) {
    const ForceLaw& law = f.law;
    out_.open(f.path.empty() ? "tendon" : "cable").attribute("name", f.name);
    out_.unlessUsual("stiffness", law.stiffness);
    out_.unlessUsual("damping", law.damping);
    out_.unlessUsual("pretension", -law.preload);
    if (f.lengthSignal < 0) out_.attribute("length", law.length);
    out_.unlessUsual("inextensible", law.rigid);
    out_.unlessUsual("unilateral", f.commandSide);
    writeSoftness(law.softness, out_);
    writeMesh(f.mesh, out_);
    const int signal = f.lengthSignal >= 0 ? f.lengthSignal : f.signal;
    if (signal >= 0) out_.attribute("motion", model_.signals[static_cast<std::size_t>(signal)].name);
    if (f.lengthSignal >= 0) out_.attribute("command", "length");
    for (const CableSupport& s : f.path) support(s);
    for (const CoordinateTerm& t : f.terms)
      if (f.path.empty())
        writeTerm(model_, t, out_);
      else
        drum(t);
    out_.close();
  }

  void support(const CableSupport& s) {
    constexpr std::array<const char*, 3> tags = {"point", "pulley", "sphere"};
    out_.open(tags[static_cast<std::size_t>(s.kind)]).attribute("body", bodyName(s.body));
    out_.attribute("position", inUserFrame(s.body) * s.position);
    if (s.begins) out_.attribute("divisor", 1.0 / s.share);
    if (s.kind != CableNodeKind::Point)
      out_.attribute("radius", s.radius).unlessUsual("friction", s.friction);
    if (s.kind == CableNodeKind::Cylinder) {
      out_.attribute("axis", inUserFrame(s.body).rotation * s.axis);
      if (s.sense < 0.0) out_.attribute("sense", "negative");
      out_.unlessUsual("turns", s.turns);
    }
    out_.close();
  }

  void drum(const CoordinateTerm& t) {
    out_.open("drum").attribute("joint", model_.joints[static_cast<std::size_t>(t.joint)].name);
    out_.unlessUsual("coordinate", t.coordinate);
    out_.attribute("radius", std::abs(t.coefficient));
    if (t.coefficient < 0.0) out_.attribute("sense", "negative");
    out_.close();
  }

  std::string bodyName(int body) const {
    return body < 0 ? "world" : model_.bodies[static_cast<std::size_t>(body)].name;
  }
  Pose inUserFrame(int body) const {
    return body < 0 ? Pose() : model_.bodies[static_cast<std::size_t>(body)].userFrame.inverse();
  }

  void ends(const ForceElement& f) {
    if (f.onJoint()) {
      out_.attribute("joint", model_.joints[static_cast<std::size_t>(f.joint)].name);
      out_.unlessUsual("coordinate", f.coordinate);
      return;
    }
    out_.attribute("body1", bodyName(f.bodyA)).attribute("point1", inUserFrame(f.bodyA) * f.pointA);
    out_.attribute("body2", bodyName(f.bodyB)).attribute("point2", inUserFrame(f.bodyB) * f.pointB);
  }

  void spring(const ForceLaw& law) {
    out_.unlessUsual("stiffness", law.stiffness);
    out_.unlessUsual("preload", law.preload);
    out_.attribute("length", law.length);
    if (law.side != ForceSide::Both) out_.attribute("unilateral", wordOf(law.side));
  }

  void gas(const GasColumn& g) {
    out_.attribute("length", g.length).attribute("force", g.force);
    out_.attribute("compressed-length", g.compressed);
    out_.attribute("compressed-force", g.forceAt(g.compressed)).attribute("exponent", g.exponent);
  }

  void table(const char* over, const ForceTable& table) {
    if (table.empty()) return;
    std::string samples;
    for (std::size_t i = 0; i < table.samples().size(); ++i)
      samples += (i > 0 ? " " : "") + numbers({table.samples()[i], table.forces()[i]});
    out_.open("table").attribute("over", over).attribute("samples", samples).close();
  }

  void matrix(const char* name, const Mat6& m) {
    if (m.isZero(0.0)) return;
    const bool diagonal = Mat6(m.diagonal().asDiagonal()) == m;
    std::string text;
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c)
        if (!diagonal || r == c) text += (text.empty() ? "" : " ") + numbers({m(r, c)});
    out_.attribute(name, text);
  }

  void frame(const char* tag, int body, const Pose& frame) {
    const Pose seen = body < 0 ? frame : inUserFrame(body) * frame;
    out_.open(tag).attribute("position", seen.position);
    if (!seen.rotation.vec().isZero(0.0)) out_.attribute("quaternion", seen.rotation);
    out_.close();
  }

  const Model& model_;
  Writer& out_;
};

}  // namespace

void writeSoftness(const Softness& s, Writer& out) {
  if (s.kind == Softness::Kind::Compliant) out.attribute("compliance", s.compliance);
  if (s.kind == Softness::Kind::Mixing) out.attribute("erp", s.erp).attribute("cfm", s.cfm);
  if (s.kind != Softness::Kind::Impedance) return;
  out.attribute("impedance", numbers({s.impedance0, s.impedanceWidth, s.width, s.midpoint, s.power}));
  out.attribute("reference", numbers({s.timeConstant, s.dampingRatio}));
  out.unlessUsual("mobility", s.mobility);
  if (s.impedanceRatio != 1.0) out.attribute("impedance-ratio", s.impedanceRatio);
}

void writeMesh(const Mesh& mesh, Writer& out) {
  if (mesh.kind == Mesh::Kind::Teeth) {
    out.attribute("pressure-angle", mesh.pressureAngle);
    out.unlessUsual("helix-angle", mesh.helixAngle);
  } else if (mesh.kind == Mesh::Kind::Belt) {
    out.attribute("belt-radius", mesh.radius);
    out.unlessUsual("slack-tension", mesh.slack);
  }
}

void writeTerm(const Model& model, const CoordinateTerm& term, Writer& out) {
  out.open("term").attribute("joint", model.joints[static_cast<std::size_t>(term.joint)].name);
  out.unlessUsual("coordinate", term.coordinate);
  out.attribute("coefficient", term.coefficient).close();
}

void writeElements(const Model& model, Writer& out) {
  ElementWriter writer(model, out);
  for (const ForceElement& force : model.forces) writer.force(force);
  for (const Bushing& bushing : model.bushings) writer.bushing(bushing);
  for (const VelocityConstraint& constraint : model.velocityConstraints) writer.velocity(constraint);
}

void writeControls(const Model& model, Writer& out) {
  for (const ControlInput& c : model.controls) {
    out.open("control").attribute("name", c.name);
    if (std::isfinite(c.lower)) out.attribute("lower", c.lower);
    if (std::isfinite(c.upper)) out.attribute("upper", c.upper);
    out.unlessUsual("start", c.start);
    for (const ControlTarget& t : c.targets) {
      out.open("drive");
      if (t.element >= 0)
        out.attribute("element", model.forces[static_cast<std::size_t>(t.element)].name);
      else
        out.attribute("joint", model.joints[static_cast<std::size_t>(t.joint)].name);
      out.unlessUsual("coordinate", t.coordinate);
      out.attribute("gain", t.gain);
      out.unlessUsual("offset", t.offset);
      out.close();
    }
    out.close();
  }
}

}  // namespace grashof::xml
