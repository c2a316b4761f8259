#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "engine/scenario/reader.h"

namespace grashof::xml {
namespace {

const std::vector<std::string> kShapeTypes = {"plane", "box",       "sphere", "capsule", "cylinder",
                                              "cone",  "ellipsoid", "hull",   "mesh",    "height-field"};

/// Reports what is physically impossible about an inertia tensor.
void checkInertia(const Element& e, const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia);
  const Vec3& i = eigen.eigenvalues();
  if (!(i[0] > 0.0))
    e.error(
        fmt::format("the inertia tensor is not positive definite: principal moments {:.6g} {:.6g} {:.6g} "
                    "(order is ixx iyy izz ixy ixz iyz, kg m^2)",
                    i[0], i[1], i[2]));
  else if (i[0] + i[1] < i[2] * (1.0 - 1e-6))
    e.error(fmt::format(
        "the inertia tensor violates the triangle inequality: principal moments {:.6g} + {:.6g} < "
        "{:.6g}, which no distribution of mass has (check the order ixx iyy izz ixy ixz iyz)",
        i[0], i[1], i[2]));
}

Mat3 tensor(const std::vector<double>& v) {
  Mat3 m = Vec3(v[0], v[1], v[2]).asDiagonal();
  if (v.size() == 6) {
    m(0, 1) = m(1, 0) = v[3];
    m(0, 2) = m(2, 0) = v[4];
    m(1, 2) = m(2, 1) = v[5];
  }
  return m;
}

/// Inertia moved from the centre of mass by `arm`.
Mat3 steiner(double mass, const Vec3& arm) {
  return mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
}

std::shared_ptr<const HeightGrid> readHeights(const Element& e, const std::string& path, double spacing) {
  auto grid = std::make_shared<HeightGrid>();
  grid->spacing = spacing;
  std::ifstream file(path);
  if (!file) {
    e.error(fmt::format("{}: cannot be read (a text file with one row of heights a line)", path));
    return nullptr;
  }
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::replace(line.begin(), line.end(), ',', ' ');
    if (line.empty() || line[0] == '#') continue;
    const auto row = parseNumbers(line);
    if (!row || (grid->columns > 0 && static_cast<int>(row->size()) != grid->columns)) {
      e.error(fmt::format("{}:{}: needs {} finite numbers (all rows are equally long)", path, number,
                          std::max(grid->columns, 2)));
      return nullptr;
    }
    if (row->empty()) continue;
    grid->columns = static_cast<int>(row->size());
    grid->heights.insert(grid->heights.end(), row->begin(), row->end());
    ++grid->rows;
  }
  if (grid->columns < 2 || grid->rows < 2) {
    e.error(fmt::format("{}: needs at least 2 x 2 heights", path));
    return nullptr;
  }
  return grid;
}

}  // namespace

Softness Reader::readSoftness(Element& e) {
  Softness s;
  s.compliance = e.number("compliance", 0.0, kNotNegative);
  if (s.compliance > 0.0) s.kind = Softness::Kind::Compliant;
  if (!e.has("impedance") && !e.has("reference")) return s;
  if (e.has("compliance")) e.error("compliance and impedance exclude each other (keep one)");
  s.kind = Softness::Kind::Impedance;
  const auto in01 = [](double x) { return x > 0.0 && x < 1.0; };
  if (e.has("impedance")) {
    const auto v = e.numbers("impedance", {5});
    if (v.size() != 5) return s;
    s.impedance0 = v[0];
    s.impedanceWidth = v[1];
    s.width = v[2];
    s.midpoint = v[3];
    s.power = v[4];
    if (!in01(v[0]) || !in01(v[1]) || !(v[2] > 0.0) || !in01(v[3]) || !(v[4] >= 1.0))
      e.error(
          "impedance must be d0 dw width midpoint power with d0, dw, midpoint in (0, 1), width > 0, power >= "
          "1");
  }
  if (e.has("reference")) {
    const auto v = e.numbers("reference", {2});
    if (v.size() != 2) return s;
    s.timeConstant = v[0];
    s.dampingRatio = v[1];
    if (!(v[0] > 0.0) || !(v[1] > 0.0))
      e.error("reference must be a time constant > 0 (s) and a damping ratio > 0");
  }
  return s;
}

void Reader::readMaterial(Element e, const Placement& placement) {
  Material m;
  if (e.text("name") == "default" && placement.prefix.empty()) {
    m.name = "default";
  } else {
    m.name = newName(e, placement, "material");
  }
  m.density = e.number("density", m.density, kPositive);
  m.surface.friction = e.number("friction", m.surface.friction, kNotNegative);
  m.surface.restitution = e.number("restitution", m.surface.restitution, kShare);
  m.surface.softness = readSoftness(e);
  e.finishLeaf();
  if (m.name == "default")
    model_.materials[0] = m;
  else
    model_.materials.push_back(m);
}

void Reader::readSurface(Element e, const Placement& placement) {
  const int a = materialIndex(e, "a", placement), b = materialIndex(e, "b", placement);
  SurfacePair pair;
  pair.friction = e.number("friction", pair.friction, kNotNegative);
  pair.restitution = e.number("restitution", pair.restitution, kShare);
  pair.softness = readSoftness(e);
  e.finishLeaf();
  if (!model_.surfacePairs.emplace(std::minmax(a, b), pair).second)
    e.error("this pair of materials has been given already (keep one)");
}

bool Reader::readShape(Element& e, const Placement& placement, Shape& shape, double& density, double& mass) {
  const std::size_t errorsBefore = found_.size();
  shape.name = e.text("name", fmt::format("shape{}", model_.shapes.size()));
  if (!e.has("type")) e.error("attribute type is missing (one of: plane, box, sphere, ...)");
  shape.type = static_cast<ShapeType>(e.choice("type", 1, kShapeTypes));
  shape.pose = e.pose();
  shape.material = materialIndex(e, "material", placement);
  shape.group = e.bits("groups", shape.group);
  shape.mask = e.bits("touches", shape.mask);
  shape.collides = e.boolean("collides", true);
  const ShapeType t = shape.type;
  if (t == ShapeType::Box || t == ShapeType::Ellipsoid) {
    if (!e.has("size")) e.error("attribute size is missing (three lengths > 0, m)");
    shape.size = e.vector("size", Vec3::Ones());
    if (!(shape.size.minCoeff() > 0.0)) e.error("size must be three lengths > 0 (m)");
  }
  if (t == ShapeType::Sphere || t == ShapeType::Capsule || t == ShapeType::Cylinder || t == ShapeType::Cone)
    shape.radius = e.requiredNumber("radius", kPositive);
  if (t == ShapeType::Capsule || t == ShapeType::Cylinder || t == ShapeType::Cone)
    shape.length = e.requiredNumber("length", kPositive);
  if (t == ShapeType::Hull || t == ShapeType::Mesh) {
    const double scale = e.number("scale", 1.0, kPositive);
    const std::string file = e.requiredText("file");
    if (!file.empty()) try {
        shape.mesh = readMesh(besideFile(e.file(), file), scale);
        if (t == ShapeType::Hull)
          shape.mesh = std::make_shared<TriangleMesh>(convexHull(shape.mesh->vertices));
      } catch (const InputError& error) {
        e.error(error.what());
      }
  }
  if (t == ShapeType::HeightField) {
    const double spacing = e.requiredNumber("spacing", kPositive);
    const std::string file = e.requiredText("file");
    if (!file.empty()) shape.heights = readHeights(e, besideFile(e.file(), file), spacing);
  }
  density = e.number("density", model_.materials[shape.material].density, kPositive);
  mass = e.number("mass", 0.0, kPositive);
  e.finishLeaf();
  return found_.size() == errorsBefore;
}

void Reader::readBody(Element e, const Placement& placement) {
  Body body;
  body.name = newName(e, placement, "body");
  const std::size_t errorsBefore = found_.size();
  const Pose user = placement.pose * e.pose();
  const Vec3 velocity = placement.pose.rotation * e.vector("velocity", Vec3::Zero());
  const Vec3 spin = placement.pose.rotation * e.vector("angular-velocity", Vec3::Zero());
  e.finish();

  std::optional<double> mass;
  std::optional<Mat3> inertia;
  std::optional<Vec3> center;
  double shapeMass = 0.0;
  Vec3 shapeMoment = Vec3::Zero();
  std::vector<std::pair<double, VolumeProperties>> parts;  // density and properties, in the user's frame
  const std::size_t firstShape = model_.shapes.size();
  bool inertialSeen = false;
  for (Element& child : e.children()) {
    if (child.tag() == "inertial") {
      if (inertialSeen) child.error("a second <inertial> (keep one)");
      inertialSeen = true;
      mass = child.requiredNumber("mass", kPositive);
      const auto values = child.numbers("inertia", {3, 6});
      const bool placed = child.has("position");
      const Pose frame = child.pose();
      child.finishLeaf();
      if (!values.empty()) {
        const Mat3 r = frame.rotation.toRotationMatrix();
        inertia = r * tensor(values) * r.transpose();
        checkInertia(child, tensor(values));
        center = frame.position;
      }
      if (placed) center = frame.position;
    } else if (child.tag() == "shape") {
      Shape shape;
      double density = 0.0, own = 0.0;
      if (!readShape(child, placement, shape, density, own)) continue;
      if (shape.type == ShapeType::Plane || shape.type == ShapeType::HeightField) {
        child.error(
            "a plane or height field can't be part of a body (put it under <scenario>: it belongs to the "
            "world)");
        continue;
      }
      VolumeProperties p = volumeProperties(shape);
      if (!(p.volume > 0.0) && !inertialSeen) {
        // A closed mesh with its triangles inside out has a negative volume.
        child.error(
            "the mesh encloses no positive volume (is it closed, with its triangles counter-clockwise seen "
            "from outside? or give the body an <inertial> before it)");
        continue;
      }
      if (own > 0.0) density = own / p.volume;
      const Mat3 r = shape.pose.rotation.toRotationMatrix();
      p.center = shape.pose * p.center;
      p.inertia = r * p.inertia * r.transpose();
      if (p.volume > 0.0) {
        parts.emplace_back(density, p);
        shapeMass += density * p.volume;
        shapeMoment += density * p.volume * p.center;
      }
      model_.shapes.push_back(std::move(shape));
    } else {
      e.unknownChild(child, {"inertial", "shape"});
    }
  }
  if (!mass && parts.empty()) {
    if (found_.size() == errorsBefore)
      e.error("has no mass (give it an <inertial>, or a <shape> with a volume)");
  }
  if (mass && !inertia && parts.empty() && found_.size() == errorsBefore)
    e.error("has a mass but no inertia (give <inertial> an inertia, or the body a <shape>)");
  if (found_.size() == errorsBefore) {
    if (!center) center = Vec3(parts.empty() ? Vec3::Zero() : Vec3(shapeMoment / shapeMass));
    if (!inertia) {
      Mat3 sum = Mat3::Zero();
      for (const auto& [density, p] : parts)
        sum += density * (p.inertia + steiner(p.volume, p.center - *center));
      inertia = sum * (mass ? *mass / shapeMass : 1.0);
      checkInertia(e, *inertia);
    }
    body.mass = mass.value_or(shapeMass);
    body.inertia = 0.5 * (*inertia + inertia->transpose());
    body.userFrame.position = -*center;
    body.initialPose = {user * *center, user.rotation};
    body.initialTwist << velocity + spin.cross(user.rotation * *center), spin;
  }
  const int index = static_cast<int>(model_.bodies.size());
  for (std::size_t s = firstShape; s < model_.shapes.size(); ++s) {
    model_.shapes[s].body = index;
    if (center) model_.shapes[s].pose.position -= *center;
  }
  model_.bodies.push_back(std::move(body));
  frames_.push_back({user});
}

void Reader::readWorldShape(Element e, const Placement& placement) {
  Shape shape;
  double density, mass;
  if (!readShape(e, placement, shape, density, mass)) return;
  shape.body = kWorld;
  shape.pose = placement.pose * shape.pose;
  model_.shapes.push_back(std::move(shape));
}

void Reader::readWrench(Element e, const Placement& placement) {
  ExternalWrench w;
  w.name = e.text("name");
  const int body = bodyIndex(e, "body", placement, false);
  w.force = e.vector("force", Vec3::Zero());
  w.torque = e.vector("torque", Vec3::Zero());
  const Vec3 point = e.vector("point", Vec3::Zero());
  w.local = e.choice("frame", 0, {"world", "body"}) == 1;
  w.signal = signalIndex(e, placement, false);
  e.finishLeaf();
  if (body < 0 || w.signal < -1) return;
  w.body = body;
  w.point = model_.bodies[body].userFrame * point;
  if (!w.local) {
    w.force = placement.pose.rotation * w.force;
    w.torque = placement.pose.rotation * w.torque;
  }
  if (w.force.isZero(0.0) && w.torque.isZero(0.0)) e.error("has neither force nor torque (give one)");
  model_.wrenches.push_back(std::move(w));
}

}  // namespace grashof::xml
