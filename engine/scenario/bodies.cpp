#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

#include "engine/base/input_file.h"
#include "engine/scenario/fields.h"
#include "engine/scenario/reader.h"

namespace grashof::xml {
namespace {

constexpr std::uintmax_t kLargestGrid = std::uintmax_t{64} << 20;
constexpr std::size_t kMostHeights = 1'000'000;  // a field is some 700 bytes a height once it is a surface

/// The least rotation from one unit vector to another; half a turn is about an axis of the frame.
Quat turnTo(const Vec3& from, const Vec3& to) {
  if (from.dot(to) < -1.0 + 1e-14)
    return Quat(Eigen::AngleAxisd(std::numbers::pi, from.z() != 0.0 ? Vec3::UnitX() : Vec3::UnitZ()));
  return Quat::FromTwoVectors(from, to);
}

/// `color`, as in "#4e79a7"; empty: none.
std::string readColor(Element& e) {
  std::string color = e.text("color");
  const bool good = color.size() == 7 && color[0] == '#' &&
                    color.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
  if (good || color.empty()) return color;
  e.error(fmt::format("color=\"{}\" is not allowed (# and six hexadecimal digits, as in #4e79a7)", color));
  return {};
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

std::shared_ptr<const HeightGrid> readHeights(const Element& e, const std::string& path, double spacing) {
  auto grid = std::make_shared<HeightGrid>();
  grid->spacing = spacing;
  std::ifstream file;
  try {
    checkInputFile(path, kLargestGrid, "a text file with one row of heights a line");
    file.open(path);
  } catch (const InputError& error) {
    e.error(error.what());
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
    if (grid->heights.size() > kMostHeights) {
      e.error(fmt::format("{}: holds more than {} heights (a coarser grid, or several fields, would do)",
                          path, kMostHeights));
      return nullptr;
    }
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
  s.compliance = e.number("compliance");
  if (s.compliance > 0.0) s.kind = Softness::Kind::Compliant;
  const bool impeded = e.has("impedance") || e.has("reference");
  if (e.has("erp") || e.has("cfm")) {
    if (e.has("compliance") || impeded)
      e.error("erp and cfm exclude compliance, impedance and reference (keep one)");
    s.kind = Softness::Kind::Mixing;
    e.read("erp", s.erp);
    e.read("cfm", s.cfm);
    return s;
  }
  if (!impeded) return s;
  if (e.has("compliance")) e.error("compliance and impedance exclude each other (keep one)");
  s.kind = Softness::Kind::Impedance;
  s.mobility = e.number("mobility");
  const auto impedance = e.numbers("impedance");
  if (impedance.size() == 5) {
    s.impedance0 = impedance[0];
    s.impedanceWidth = impedance[1];
    s.width = impedance[2];
    s.midpoint = impedance[3];
    s.power = impedance[4];
  }
  const auto reference = e.numbers("reference");
  if (reference.size() == 2) {
    s.timeConstant = reference[0];
    s.dampingRatio = reference[1];
  }
  return s;
}

/// What <material> and <surface> have in common.
void Reader::readSurfaceValues(Element& e, SurfacePair& surface) {
  e.read("friction", surface.friction);
  e.read("restitution", surface.restitution);
  surface.softness = readSoftness(e);
  if (surface.softness.kind == Softness::Kind::Impedance)
    e.read("impedance-ratio", surface.softness.impedanceRatio);
  e.read("friction-across", surface.frictionAcross);
  frictionFields(surface, e.reading());
  lawFields(surface.law, e.reading());
}

void Reader::readMaterial(Element e, const Placement& placement) {
  Material m;
  m.name = newName(e, placement);
  e.read("density", m.density);
  readSurfaceValues(e, m.surface);
  e.finishLeaf();
  if (m.name == "default") {
    if (defaultMaterial_.line > 0)
      e.error(fmt::format("the default material is set in {}:{} already (keep one, or include with a prefix)",
                          defaultMaterial_.file, defaultMaterial_.line));
    defaultMaterial_ = e.where();
  }
  builder_.addMaterial(std::move(m), e.where());
}

void Reader::readSurface(Element e, const Placement& placement) {
  const MaterialId a = materialId(e, "a", placement), b = materialId(e, "b", placement);
  SurfacePair pair;
  readSurfaceValues(e, pair);
  e.finishLeaf();
  builder_.addSurface(a, b, pair, e.where());
}

/// The unit of the numbers in a mesh's file: `units`, else that of the scenario. STL and OBJ name none.
static Factor meshUnit(Element& e) {
  const std::string named = e.text("units");
  if (named.empty()) return e.context()->units.length;
  const std::optional<Unit> unit = parseUnit(named);
  if (unit && unit->dimension == Dimension{.length = 1}) return unit->si;
  e.error(fmt::format("units=\"{}\" is no unit of length (such as mm or in)", named));
  return {};
}

void Reader::readGeometry(Element& e, Shape& shape) {
  const bool heights = shape.type == ShapeType::HeightField;
  const double scale = heights ? e.requiredNumber("spacing") : meshUnit(e)(e.number("scale"));
  const std::string file = e.requiredText("file");
  if (file.empty()) return;
  const std::string path = e.filePath(file);
  if (heights) {
    shape.heights = readHeights(e, path, scale);
    return;
  }
  try {
    shape.mesh = readMesh(path, scale);
    if (shape.type == ShapeType::Hull)
      shape.mesh = std::make_shared<TriangleMesh>(convexHull(shape.mesh->vertices));
  } catch (const InputError& error) {
    e.error(error.what());
  }
}

Ends Reader::readEndPoints(Element& e) {
  Ends ends;
  if (!e.has("from") && !e.has("to")) return ends;
  const Vec3 from = e.vector("from"), to = e.vector("to", Vec3::UnitX());
  for (const char* one : {"from", "to"})
    if (!e.has(one)) e.error(missingDefect(one));
  for (const char* other : {"position", "rpy", "quaternion"})
    if (e.has(other)) e.error(fmt::format("from and to exclude {} (keep one)", other));
  ends.given = true;
  ends.center = 0.5 * (from + to);
  ends.length = (to - from).norm();
  if (ends.length > 0.0)
    ends.direction = (to - from) / ends.length;
  else
    e.error("from and to are the same point");
  return ends;
}

/// What `from` and `to` make of a shape: its z axis runs from the one to the other.
void Reader::stretch(Element& e, const Ends& ends, Shape& shape) {
  const ShapeType t = shape.type;
  shape.pose = {ends.center, turnTo(Vec3::UnitZ(), ends.direction)};
  shape.length = ends.length;
  if (e.has("length")) e.error("from and to exclude length (keep one)");
  if (t == ShapeType::Box) {
    const auto across = e.numbers("size", {2});
    if (!e.has("size"))
      e.error("attribute size is missing (with from and to two lengths > 0, m, across them)");
    if (across.size() == 2) shape.size = Vec3(across[0], across[1], ends.length);
  } else if (t != ShapeType::Capsule && t != ShapeType::Cylinder && t != ShapeType::Cone) {
    e.error(fmt::format("from and to are of capsule, cylinder, cone and box, not of {}", wordOf(t)));
  }
}

std::string Reader::linkName(Element& e, const char* attribute, const Placement& placement) {
  const std::string name = e.text(attribute);
  return name.empty() ? name : placement.prefix + name;
}

bool Reader::readShape(Element& e, const Placement& placement, Shape& shape, ShapeMass& mass) {
  const std::size_t errorsBefore = found_.size();
  shape.name = e.text("name");
  e.read("type", shape.type);  // a box, where it is wrong
  const Ends ends = readEndPoints(e);
  if (ends.given)
    stretch(e, ends, shape);
  else
    shape.pose = e.pose();
  shape.material = materialId(e, "material", placement).value;
  shape.link = linkName(e, "link", placement);
  shape.group = e.bits("groups", shape.group);
  shape.mask = e.bits("touches", shape.mask);
  shape.collides = e.boolean("collides");
  shape.frictionDirection = e.vector("friction-direction");
  shape.surfaceVelocity = e.vector("surface-velocity");
  shape.color = readColor(e);
  shape.resolution = e.number("resolution");
  if (shape.type == ShapeType::Plane || shape.type == ShapeType::Mesh || shape.type == ShapeType::HeightField)
    shape.thickness = e.number("thickness");
  const ShapeType t = shape.type;
  if ((t == ShapeType::Box && !ends.given) || t == ShapeType::Ellipsoid) {
    if (!e.has("size")) e.error("attribute size is missing (three lengths > 0, m)");
    shape.size = e.vector("size", Vec3::Ones());
  }
  if (t == ShapeType::Sphere || t == ShapeType::Capsule || t == ShapeType::Cylinder || t == ShapeType::Cone)
    shape.radius = e.requiredNumber("radius");
  if ((t == ShapeType::Capsule || t == ShapeType::Cylinder || t == ShapeType::Cone) && !ends.given)
    shape.length = e.requiredNumber("length");
  if (t == ShapeType::Hull || t == ShapeType::Mesh || t == ShapeType::HeightField) readGeometry(e, shape);
  e.read("density", mass.density);
  e.read("mass", mass.mass);
  e.finishLeaf();
  return found_.size() == errorsBefore;
}

namespace {

InertialDef readInertial(Element& e) {
  InertialDef inertial;
  inertial.where = e.where();
  inertial.mass = e.requiredNumber("mass");
  const auto values = e.numbers("inertia");
  const bool placed = e.has("position");
  const Pose frame = e.pose();
  e.finishLeaf();
  inertial.rotation = frame.rotation;
  if (!values.empty()) inertial.inertia = tensor(values);
  if (!values.empty() || placed) inertial.center = frame.position;
  return inertial;
}

}  // namespace

void Reader::readBody(Element e, const Placement& placement) {
  const std::size_t errorsBefore = found_.size();
  BodyDef body;
  body.name = newName(e, placement);
  body.where = e.where();
  const Ends ends = readEndPoints(e);
  if (ends.given) {
    body.pose = placement.pose * Pose{ends.center, turnTo(Vec3::UnitX(), ends.direction)};
    const std::shared_ptr<Context> inside = insideOf(e.context());
    inside->names["length"] = inside->units.length.inverse()(ends.length);
    e.readWithin(inside);
  } else {
    body.pose = placement.pose * e.pose();
  }
  body.velocity = placement.pose.rotation * e.vector("velocity");
  body.angularVelocity = placement.pose.rotation * e.vector("angular-velocity");
  e.finish();

  struct ReadShape {
    Shape shape;
    ShapeMass mass;
    Where where;
  };
  std::vector<ReadShape> shapes;
  for (Element& child : e.children()) {
    if (child.tag() == "inertial") {
      if (body.inertial) child.error("a second <inertial> (keep one)");
      body.inertial = readInertial(child);
    } else if (child.tag() == "shape") {
      ReadShape read;
      read.where = child.where();
      if (readShape(child, placement, read.shape, read.mass)) shapes.push_back(std::move(read));
    } else {
      e.unknownChild(child, {"inertial", "shape"});
    }
  }
  // What could not be read is not reported once more as missing.
  if (found_.size() > errorsBefore)
    body.inertial = InertialDef{.mass = 1.0, .inertia = Mat3::Identity(), .where = body.where};
  const BodyId id = builder_.addBody(std::move(body));
  for (ReadShape& s : shapes) builder_.addShape(id, std::move(s.shape), s.mass, std::move(s.where));
}

void Reader::readWorldShape(Element e, const Placement& placement) {
  Shape shape;
  ShapeMass mass;
  if (!readShape(e, placement, shape, mass)) return;
  shape.pose = placement.pose * shape.pose;
  builder_.addShape(kWorldBody, std::move(shape), mass, e.where());
}

void Reader::readWrench(Element e, const Placement& placement) {
  WrenchDef w;
  w.where = e.where();
  w.name = e.text("name");
  w.body = bodyId(e, "body", placement, false);
  w.force = e.vector("force");
  w.torque = e.vector("torque");
  w.point = e.vector("point");
  w.local = e.choice("frame") == 1;
  if (!e.text("motion").empty()) w.signal = signalId(e, placement);
  e.finishLeaf();
  if (!w.local) {
    w.force = placement.pose.rotation * w.force;
    w.torque = placement.pose.rotation * w.torque;
  }
  builder_.addWrench(std::move(w));
}

void Reader::readContacts(Element e, const Placement& placement) {
  const Neighbours neighbours = e.choice<Neighbours>("neighbours");
  if (e.has("neighbours")) neighbours_ = neighbours;
  e.finish();
  for (Element& child : e.children()) {
    if (child.tag() != "exclude") {
      e.unknownChild(child, {"exclude"});
      continue;
    }
    const BodyId a = bodyId(child, "a", placement, true), b = bodyId(child, "b", placement, true);
    const std::string linkA = linkName(child, "link-a", placement),
                      linkB = linkName(child, "link-b", placement);
    child.finishLeaf();
    builder_.exclude(a, linkA, b, linkB, child.where());
  }
}

void Reader::readAssemble(Element e, const Placement& placement) {
  e.finish();
  builder_.assemble();
  for (Element& child : e.children()) {
    if (child.tag() == "pin") {
      builder_.pin(bodyId(child, "body", placement, false), child.where());
    } else if (child.tag() == "input") {
      const JointId joint = jointId(child, "joint", placement);
      const int coordinate = child.integer("coordinate");
      child.alongAngle(isAngle(joint, coordinate));
      builder_.holdInput(joint, coordinate, child.requiredNumber("value"), child.where());
    } else {
      e.unknownChild(child, {"pin", "input"});
      continue;
    }
    child.finishLeaf();
  }
}

}  // namespace grashof::xml
