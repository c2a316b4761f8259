#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "joints/types.h"
#include "tools/convert/formats.h"
#include "tools/convert/mjcf_document.h"

namespace grashof::convert {
namespace {

using xml::Element;

class MjcfReader {
 public:
  MjcfReader(const std::string& path, const FileOptions& options, const std::string& keyframe, Report& report)
      : path_(path),
        options_(options),
        keyframe_(keyframe),
        report_(report),
        document_(path, options, found_) {
    tree_.file = path;
  }

  Tree read() {
    if (document_.load()) {
      tree_.name = document_.root().text("model", std::filesystem::path(path_).stem().string());
      const auto sections = document_.sections();
      for (Element e : sections)
        if (e.tag() == "compiler") readCompiler(e);
      for (Element e : sections)
        if (e.tag() == "option") readOption(e);
      for (Element e : sections)
        if (e.tag() == "default") document_.readDefaults(e);
      for (Element e : sections)
        if (e.tag() == "asset") readAssets(e);
      static const std::vector<std::string> known = {"compiler",  "option",   "default",  "asset",
                                                     "worldbody", "equality", "actuator", "keyframe",
                                                     "contact",   "include"};
      for (Element e : sections) {
        if (e.tag() == "worldbody") readChildren(e, kWorldLink, {}, "");
        if (std::find(known.begin(), known.end(), e.tag()) == known.end())
          Report::once(report_.leftOut, "<" + e.tag() + ">");
      }
      boundInertias();
      for (Element e : sections) {
        if (e.tag() == "equality") readEqualities(e);
        if (e.tag() == "actuator") readActuators(e);
        if (e.tag() == "contact") readContacts(e);
      }
      readKeyframe(sections);
      if (tree_.links.empty())
        found_.push_back({path_, 0, {}, "there is no <body> (a model moves at least one)"});
    }
    if (!found_.empty()) throw InputError(found_);
    materials();
    return std::move(tree_);
  }

 private:
  // Settings.

  void readCompiler(Element& e) {
    document_.readAngles(e);
    meshFolder_ = e.text("meshdir", e.text("assetdir", meshFolder_));
    if (e.has("inertiafromgeom")) fromGeoms_ = e.choice("inertiafromgeom", 2, {"false", "true", "auto"});
    autoLimits_ = e.boolean("autolimits", autoLimits_);
    leastMass_ = e.number("boundmass", leastMass_, xml::kNotNegative);
    leastInertia_ = e.number("boundinertia", leastInertia_, xml::kNotNegative);
    balance_ = e.boolean("balanceinertia", balance_);
    totalMass_ = e.number("settotalmass", totalMass_);
    e.text("convexhull");
    e.text("discardvisual");
    e.text("fusestatic");
    e.text("usethread");
    e.text("strippath");
    noteUnread(e, {}, report_);
  }

  void readOption(Element& e) {
    if (e.has("timestep")) tree_.timestep = e.number("timestep", 2e-3, {1e-9, 1.0, false});
    tree_.gravity = e.vector("gravity", tree_.gravity);
    noteUnread(e, {}, report_);
  }

  // Bodies.

  void readAssets(Element& section) {
    for (Element e : section.children()) {
      if (e.tag() != "mesh") {
        Report::once(report_.leftOut, "<" + e.tag() + "> in <asset>");
        continue;
      }
      document_.fill(e, "");
      const std::string file = e.text("file");
      const std::string name = e.text("name", std::filesystem::path(file).stem().string());
      const Vec3 scale = e.vector("scale", Vec3::Ones());
      const auto vertices = xml::parseNumbers(e.has("vertex") ? e.text("vertex") : "");
      e.text("class");
      noteUnread(e, {}, report_);
      try {
        if (!file.empty()) {
          const std::string path =
              findFile(path_, meshFolder_.empty() ? file : meshFolder_ + "/" + file, options_);
          if (path.empty()) {
            if (!options_.skipMissingMeshes)
              e.error(fmt::format(
                  "the mesh '{}' is not there (say where with --path, or leave such shapes out with "
                  "--skip-missing-meshes)",
                  file));
            missing_.push_back(name);
          } else {
            meshes_[name] = importMesh(path, scale);
          }
        } else if (vertices && vertices->size() >= 12 && vertices->size() % 3 == 0) {
          std::vector<Vec3> points;
          for (std::size_t i = 0; i < vertices->size(); i += 3)
            points.push_back(
                Vec3((*vertices)[i], (*vertices)[i + 1], (*vertices)[i + 2]).cwiseProduct(scale));
          meshes_[name] = std::make_shared<TriangleMesh>(convexHull(points));
        } else {
          e.error("a mesh needs a file, or a vertex list of at least four points");
        }
      } catch (const InputError& error) {
        e.error(error.what());
      }
    }
  }

  std::string unique(Element& e, const char* kind, int count) {
    return scenarioName(e.has("name") ? e.text("name") : fmt::format("{}{}", kind, count), report_);
  }

  /// The bodies, geoms and frames inside an element; `pose`: of a <frame> around them.
  void readChildren(Element& e, int link, const Pose& pose, const std::string& childClass) {
    for (Element child : e.children()) {
      const std::string tag = child.tag();
      if (tag == "body") {
        readBody(child, link, pose, childClass);
      } else if (tag == "geom") {
        readGeom(child, link, pose, childClass);
      } else if (tag == "frame") {
        const std::string inner = child.has("childclass") ? child.text("childclass") : childClass;
        const Pose inside = pose * document_.place(child);
        readChildren(child, link, inside, inner);
      } else if (tag == "site") {
        Report::once(report_.leftOut, "sites (they carry nothing that moves)");
      } else if (tag != "inertial" && tag != "joint" && tag != "freejoint") {
        Report::once(report_.leftOut, fmt::format("<{}> in <{}>", tag, e.tag()));
      }
    }
  }

  void readBody(Element& e, int parent, const Pose& outer, const std::string& outerClass) {
    Link link;
    link.line = e.line();
    link.name = unique(e, "body", static_cast<int>(tree_.links.size()) + 1);
    if (tree_.findLink(link.name) >= 0) e.error("there is a body of this name already (names differ)");
    const Pose pose = outer * document_.place(e);
    const std::string childClass = e.has("childclass") ? e.text("childclass") : outerClass;
    bool inertialGiven = false;
    std::vector<Element> joints;
    for (Element child : e.children()) {
      if (child.tag() == "inertial" && fromGeoms_ != 1) {
        readInertial(child, link);
        inertialGiven = true;
      }
      if (child.tag() == "joint" || child.tag() == "freejoint") joints.push_back(child);
    }
    // Between several joints stand links without mass.
    int base = parent;
    Pose inBase = pose;
    const std::string name = link.name;
    for (std::size_t k = 0; k + 1 < joints.size(); ++k) {
      Link between;
      between.name = fmt::format("{}_between{}", name, k + 1);
      between.line = e.line();
      tree_.links.push_back(between);
      virtual_.push_back(tree_.links.size() - 1);
      readJoint(joints[k], base, static_cast<int>(tree_.links.size()) - 1, inBase, childClass);
      base = static_cast<int>(tree_.links.size()) - 1;
      inBase = {};
    }
    tree_.links.push_back(std::move(link));
    const int index = static_cast<int>(tree_.links.size()) - 1;
    if (joints.empty()) {
      LinkJoint fixed;
      fixed.name = name + "_fixed";
      fixed.line = e.line();
      fixed.parent = parent;
      fixed.child = index;
      fixed.parentFrame = pose;
      tree_.joints.push_back(std::move(fixed));
    } else {
      readJoint(joints.back(), base, index, inBase, childClass);
    }
    e.text("class");
    noteUnread(e, {"body", "geom", "frame", "site", "inertial", "joint", "freejoint"}, report_);
    readChildren(e, index, {}, childClass);
    addGeomMass(index, inertialGiven);
  }

  void readInertial(Element& e, Link& link) {
    const Pose frame = document_.place(e);
    link.mass = e.requiredNumber("mass", xml::kNotNegative);
    link.center = frame.position;
    const auto full = e.numbers("fullinertia", {6});
    Mat3 i = e.vector("diaginertia", Vec3::Zero()).asDiagonal();
    if (!full.empty()) i << full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2];
    const Mat3 r = frame.rotation.toRotationMatrix();
    link.inertia = r * i * r.transpose();
    noteUnread(e, {}, report_);
  }

  void readJoint(Element& e, int parent, int child, const Pose& inParent, const std::string& childClass) {
    LinkJoint j;
    j.line = e.line();
    const bool freeJoint = e.tag() == "freejoint";
    if (!freeJoint) document_.fill(e, childClass);
    j.name = unique(e, "joint", static_cast<int>(tree_.joints.size()) + 1);
    if (tree_.findJoint(j.name) >= 0) e.error("there is a joint of this name already (names differ)");
    const int type = freeJoint ? 3 : e.choice("type", 0, {"hinge", "slide", "ball", "free"});
    const Vec3 position = e.vector("pos", Vec3::Zero());
    Vec3 axis = e.vector("axis", Vec3::UnitZ());
    if (!(axis.norm() > 1e-9)) {
      e.error("the axis has no length (give a direction)");
      axis = Vec3::UnitZ();
    }
    const auto inUnit = [&](double x) { return type == 0 ? document_.angle(x) : x; };
    const double reference = inUnit(e.number("ref", 0.0));
    JointAxis own;
    own.passive.stiffness = e.number("stiffness", 0.0, xml::kNotNegative);
    own.passive.rest = inUnit(e.number("springref", 0.0)) - reference;
    own.passive.damping = e.number("damping", 0.0, xml::kNotNegative);
    own.passive.armature = e.number("armature", 0.0, xml::kNotNegative);
    own.passive.dryFriction = e.number("frictionloss", 0.0, xml::kNotNegative);
    const auto range = e.numbers("range", {2});
    bool limited = autoLimits_ && !range.empty();
    if (e.has("limited")) {
      const std::string text = e.text("limited");
      if (text != "auto") limited = text == "true";
    }
    if (limited && range.size() == 2 && type < 2) {
      own.limit.lower = inUnit(range[0]) - reference;
      own.limit.upper = inUnit(range[1]) - reference;
      if (own.limit.lower > own.limit.upper)
        e.error("the lower end of range is larger than the upper (swap them)");
    } else if (limited && type == 2) {
      Report::once(report_.leftOut, "ranges of ball joints");
    }
    e.text("class");
    e.text("group");
    noteUnread(e, {}, report_);
    j.parent = parent;
    j.child = child;
    references_[j.name] = reference;
    const Quat turn =
        type < 2 ? Quat::FromTwoVectors(Vec3::UnitX(), axis.normalized()).normalized() : Quat::Identity();
    j.childFrame = {type == 3 ? Vec3(Vec3::Zero()) : position, turn};
    j.parentFrame = inParent * j.childFrame;
    if (type < 2) {
      j.kind = type == 0 ? LinkJointKind::Revolute : LinkJointKind::Prismatic;
      j.axes = {own};
    } else if (type == 2) {
      j.kind = LinkJointKind::Spherical;
      const PassiveDynamics& p = own.passive;
      if (p.smooth() || p.dryFriction > 0.0) {
        j.axes.assign(3, own);
        for (JointAxis& a : j.axes) a.passive.rest = 0.0;
        Report::once(report_.approximated,
                     "springs, dampers, armature of ball joints act on the rotation vector, not on the "
                     "angular velocity");
      }
    } else {
      j.kind = LinkJointKind::Free;
      if (parent >= 0) e.error("a free joint belongs to bodies of the <worldbody> (move the body there)");
    }
    tree_.joints.push_back(std::move(j));
  }

  struct GeomMass {
    int link;
    double mass;
    VolumeProperties properties;  // in the link's frame, per unit density
  };

  void readGeom(Element& e, int link, const Pose& outer, const std::string& childClass) {
    document_.fill(e, childClass);
    static const std::vector<std::string> types = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                                   "cylinder", "box",    "mesh",   "sdf"};
    const bool hasMesh = e.has("mesh");
    const int type = e.choice("type", hasMesh ? 7 : 2, types);
    Shape shape;
    const std::string owner = link < 0 ? "world" : tree_.links[static_cast<std::size_t>(link)].name;
    shape.name = e.has("name") ? e.text("name") : fmt::format("{}_geom{}", owner, ++geoms_);
    Pose own = document_.place(e);
    const auto size = e.numbers("size", {1, 2, 3});
    const auto need = [&](std::size_t n) {
      for (std::size_t i = 0; i < n; ++i)
        if (size.size() <= i || !(size[i] > 0.0)) {
          e.error(fmt::format("size needs {} lengths > 0 (m)", n));
          return false;
        }
      return true;
    };
    const auto fromTo = e.numbers("fromto", {6});
    double halfLength = size.size() > 1 ? size[1] : 0.0;
    if (!fromTo.empty()) {
      const Vec3 a(fromTo[0], fromTo[1], fromTo[2]), b(fromTo[3], fromTo[4], fromTo[5]);
      halfLength = 0.5 * (b - a).norm();
      if (!(halfLength > 0.0)) e.error("the two points of fromto coincide");
      // The z axis of the geom points from the second to the first point.
      own = {0.5 * (a + b), Quat::FromTwoVectors(Vec3::UnitZ(), (a - b).normalized()).normalized()};
    }
    bool good = true;
    switch (type) {
      case 0:
        shape.type = ShapeType::Plane;
        break;
      case 2:
        shape.type = ShapeType::Sphere;
        good = need(1);
        if (good) shape.radius = size[0];
        break;
      case 3:
      case 5:
        shape.type = type == 3 ? ShapeType::Capsule : ShapeType::Cylinder;
        good = need(fromTo.empty() ? 2 : 1);
        if (good) shape.radius = size[0], shape.length = 2.0 * halfLength;
        break;
      case 4:
        shape.type = ShapeType::Ellipsoid;
        good = need(3);
        if (good) shape.size = Vec3(size[0], size[1], size[2]);
        break;
      case 6:
        shape.type = ShapeType::Box;
        good = need(fromTo.empty() ? 3 : 1);
        if (good)
          shape.size = fromTo.empty() ? Vec3(2.0 * size[0], 2.0 * size[1], 2.0 * size[2])
                                      : Vec3(2.0 * size[0], 2.0 * (size.size() > 2 ? size[1] : size[0]),
                                             2.0 * halfLength);
        break;
      case 7:
        good = takeMesh(e, shape);
        break;
      default:
        Report::once(report_.leftOut, fmt::format("geoms of type {}", types[static_cast<std::size_t>(type)]));
        good = false;
    }
    shape.pose = outer * own;
    const double mass = e.number("mass", -1.0), density = e.number("density", 1000.0, xml::kNotNegative);
    const int groups = e.integer("contype", 1, 0, 0x7fffffff),
              touches = e.integer("conaffinity", 1, 0, 0x7fffffff);
    shape.collides = groups != 0 || touches != 0;
    shape.group = static_cast<std::uint32_t>(groups);
    shape.mask = static_cast<std::uint32_t>(touches);
    if (shape.collides && groups != touches) {
      shape.group = shape.mask = static_cast<std::uint32_t>(groups | touches);
      Report::once(report_.approximated, "geoms whose contype and conaffinity differ touch by both");
    }
    const auto friction = e.numbers("friction", {1, 2, 3});
    shape.material = frictionMaterial(friction.empty() ? 1.0 : friction[0]);
    for (const char* ignored : {"class", "rgba", "material", "group", "user"}) e.text(ignored);
    for (const char* soft : {"solref", "solimp", "solmix", "priority", "margin", "gap", "condim"})
      if (e.has(soft)) {
        e.text(soft);
        Report::once(report_.leftOut,
                     fmt::format("{} of geoms (contacts are rigid, with Coulomb friction)", soft));
      }
    noteUnread(e, {}, report_);
    if (!good) return;
    if (link < 0) {
      shape.body = kWorld;
      tree_.worldShapes.push_back(std::move(shape));
      return;
    }
    if (shape.type == ShapeType::Plane) {
      Report::once(report_.leftOut, "planes on bodies (planes belong to the world)");
      return;
    }
    VolumeProperties p = volumeProperties(shape);
    const Mat3 r = shape.pose.rotation.toRotationMatrix();
    p.center = shape.pose * p.center;
    p.inertia = r * p.inertia * r.transpose();
    if (p.volume > 0.0) geomMasses_.push_back({link, mass >= 0.0 ? mass : density * p.volume, p});
    tree_.links[static_cast<std::size_t>(link)].shapes.push_back(std::move(shape));
  }

  bool takeMesh(Element& e, Shape& shape) {
    const std::string name = e.requiredText("mesh");
    if (std::find(missing_.begin(), missing_.end(), name) != missing_.end()) {
      Report::once(report_.leftOut, "shapes whose mesh is not there: " + name);
      return false;
    }
    const auto mesh = meshes_.find(name);
    if (mesh == meshes_.end()) {
      if (!name.empty()) e.error(fmt::format("there is no <mesh name=\"{}\"> among the assets", name));
      return false;
    }
    shape.type = ShapeType::Hull;
    shape.mesh = std::make_shared<TriangleMesh>(convexHull(mesh->second->vertices));
    Report::once(report_.approximated, "meshes by their convex hulls");
    return true;
  }

  /// Mass of the geoms of a link without <inertial>.
  void addGeomMass(int index, bool inertialGiven) {
    if (fromGeoms_ == 0 || (fromGeoms_ == 2 && inertialGiven)) return;
    Link& link = tree_.links[static_cast<std::size_t>(index)];
    Vec3 moment = Vec3::Zero();
    link.mass = 0.0;
    for (const GeomMass& g : geomMasses_)
      if (g.link == index) {
        link.mass += g.mass;
        moment += g.mass * g.properties.center;
      }
    link.center = link.mass > 0.0 ? Vec3(moment / link.mass) : Vec3::Zero();
    link.inertia.setZero();
    for (const GeomMass& g : geomMasses_)
      if (g.link == index) {
        const Vec3 arm = g.properties.center - link.center;
        link.inertia += g.mass / g.properties.volume * g.properties.inertia +
                        g.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
      }
  }

  /// boundmass, boundinertia, balanceinertia, settotalmass of the compiler.
  void boundInertias() {
    double total = 0.0;
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      Link& link = tree_.links[i];
      if (std::find(virtual_.begin(), virtual_.end(), i) != virtual_.end()) continue;
      link.mass = std::max(link.mass, leastMass_);
      if (leastInertia_ > 0.0 || balance_) {
        const Eigen::SelfAdjointEigenSolver<Mat3> eigen(link.inertia);
        Vec3 p = eigen.eigenvalues().cwiseMax(leastInertia_);
        if (balance_ && p[0] + p[1] < p[2]) p.setConstant(p.mean());
        link.inertia = eigen.eigenvectors() * p.asDiagonal() * eigen.eigenvectors().transpose();
      }
      total += link.mass;
    }
    if (totalMass_ > 0.0 && total > 0.0)
      for (Link& link : tree_.links) {
        link.mass *= totalMass_ / total;
        link.inertia *= totalMass_ / total;
      }
  }

  // What joins and drives.

  int bodyOf(Element& e, const char* attribute, bool required) {
    const std::string name = required || e.has(attribute) ? e.requiredText(attribute) : "world";
    if (name == "world") return kWorldLink;
    const int link = tree_.findLink(name);
    if (link < 0 && !name.empty()) e.error(fmt::format("{}=\"{}\": there is no such body", attribute, name));
    return link;
  }

  int jointOf(Element& e, const char* attribute) {
    const std::string name = e.requiredText(attribute);
    const int joint = tree_.findJoint(name);
    if (joint < 0 && !name.empty())
      e.error(fmt::format("{}=\"{}\": there is no such joint", attribute, name));
    return joint;
  }

  /// Pose of a link with all coordinates zero.
  Pose zeroPose(int link) const {
    Pose pose;
    while (link >= 0) {
      const auto j = std::find_if(tree_.joints.begin(), tree_.joints.end(),
                                  [&](const LinkJoint& joint) { return joint.child == link; });
      if (j == tree_.joints.end()) break;
      pose = j->parentFrame * (j->childFrame.inverse() * pose);
      link = j->parent;
    }
    return pose;
  }

  void readEqualities(Element& section) {
    for (Element e : section.children()) {
      document_.fill(e, "");
      e.text("class");
      if (!e.boolean("active", true)) {
        report_.leftOut.push_back(fmt::format("<{}> {} (not active)", e.tag(), e.text("name")));
        continue;
      }
      for (const char* soft : {"solref", "solimp"})
        if (e.has(soft)) {
          e.text(soft);
          Report::once(report_.approximated, "equalities are rigid (solref, solimp not taken)");
        }
      const std::string name = unique(e, e.tag().c_str(), static_cast<int>(tree_.loops.size()) + 1);
      if (e.tag() == "connect" || e.tag() == "weld") {
        Loop loop;
        loop.name = name;
        loop.line = e.line();
        loop.linkA = bodyOf(e, "body1", true);
        loop.linkB = bodyOf(e, "body2", false);
        const Vec3 anchor = e.vector("anchor", Vec3::Zero());
        loop.type = e.tag() == "connect" ? &sphericalJoint() : &fixedJoint();
        if (e.tag() == "connect" && !e.has("anchor")) e.error("needs an anchor (body1's frame)");
        const auto relative = e.numbers("relpose", {7});
        e.text("torquescale");
        if (loop.linkA == -2 || loop.linkB == -2) continue;
        loop.frameA.position = e.tag() == "connect" ? anchor : Vec3(Vec3::Zero());
        loop.frameB = zeroPose(loop.linkB).inverse() * (zeroPose(loop.linkA) * loop.frameA);
        if (e.tag() == "weld" && relative.size() == 7) {
          const Quat q(relative[3], relative[4], relative[5], relative[6]);
          if (q.norm() > 1e-9)
            loop.frameB = Pose{Vec3(relative[0], relative[1], relative[2]), q.normalized()}.inverse();
        }
        tree_.loops.push_back(loop);
      } else if (e.tag() == "joint") {
        const auto poly = e.numbers("polycoef", {1, 2, 3, 4, 5});
        const int a = jointOf(e, "joint1");
        const int b = e.has("joint2") ? jointOf(e, "joint2") : -1;
        if (a < 0 || b == -2) continue;
        bool linear = b >= 0;
        for (std::size_t i = 2; i < poly.size(); ++i) linear = linear && poly[i] == 0.0;
        if (!linear) {
          report_.leftOut.push_back(
              fmt::format("<joint> equality {} (only a0 + a1 x between two joints is taken)", name));
          continue;
        }
        tree_.mimics.push_back({name, a, b,
                                poly.size() > 1 ? poly[1]
                                : poly.empty()  ? 1.0
                                                : 0.0,
                                poly.empty() ? 0.0 : poly[0]});
      } else {
        Report::once(report_.leftOut, "<" + e.tag() + "> in <equality>");
        continue;
      }
      noteUnread(e, {}, report_);
    }
  }

  void readActuators(Element& section) {
    for (Element e : section.children()) {
      document_.fill(e, "");
      const std::string kind = e.tag();
      const std::string name = unique(e, "actuator", static_cast<int>(tree_.signals.size()) + 1);
      if ((kind != "motor" && kind != "position" && kind != "velocity") || !e.has("joint")) {
        Report::once(report_.leftOut,
                     fmt::format("<{}> actuators{}", kind, e.has("joint") ? "" : " that act on no joint"));
        continue;
      }
      const int index = jointOf(e, "joint");
      const auto gears = e.numbers("gear", {1, 2, 3, 4, 5, 6});
      const double gear = gears.empty() ? 1.0 : gears[0];
      const double kp = e.number("kp", 1.0, xml::kNotNegative);
      const double kv = e.number("kv", kind == "velocity" ? 1.0 : 0.0, xml::kNotNegative);
      const auto force = e.numbers("forcerange", {2});
      const auto control = e.numbers("ctrlrange", {2});
      for (const char* ignored : {"class", "group", "user"}) e.text(ignored);
      const bool controlLimited = !control.empty() && e.text("ctrllimited", "true") != "false";
      const bool forceLimited = !force.empty() && e.text("forcelimited", "true") != "false";
      noteUnread(e, {}, report_);
      if (index < 0) continue;
      LinkJoint& joint = tree_.joints[static_cast<std::size_t>(index)];
      if (joint.axes.size() != 1 || gear == 0.0) {
        report_.leftOut.push_back(
            fmt::format("<{}> {} (its joint has not one coordinate, or its gear is 0)", kind, name));
        continue;
      }
      Actuator& a = joint.axes[0].actuator;
      if (a.kind != Actuator::Kind::None && !(a.kind == Actuator::Kind::Position && kind == "velocity")) {
        report_.leftOut.push_back(
            fmt::format("<{}> {} (joint {} has an actuator already)", kind, name, joint.name));
        continue;
      }
      if (a.kind == Actuator::Kind::Position) {
        a.derivativeGain += kv * gear * gear;
        report_.merged.push_back(
            fmt::format("velocity servo {} into the position servo of joint {}", name, joint.name));
        continue;
      }
      Signal s;
      s.name = name;
      if (kind == "motor") {
        a.kind = Actuator::Kind::Effort;
        if (controlLimited) limitEffort(a, name, "ctrlrange", control, gear);
      } else if (kind == "position") {
        a.kind = Actuator::Kind::Position;
        a.proportionalGain = kp * gear * gear;
        a.derivativeGain = kv * gear * gear;
        s.offset = -references_[joint.name];
      } else {
        a.kind = Actuator::Kind::Velocity;
        a.derivativeGain = kv * gear * gear;
      }
      if (kind != "motor" && controlLimited)
        report_.leftOut.push_back(fmt::format("ctrlrange of {} (limit its motion instead)", name));
      if (forceLimited) limitEffort(a, name, "forcerange", force, gear);
      a.signal = static_cast<int>(tree_.signals.size());
      tree_.signals.push_back(std::move(s));
    }
  }

  /// Effort limits are the same both ways here.
  void limitEffort(Actuator& a, const std::string& name, const char* attribute,
                   const std::vector<double>& range, double gear) {
    if (range[0] == -range[1] && range[1] > 0.0)
      a.effortLimit = std::min(a.effortLimit, std::abs(gear) * range[1]);
    else
      report_.leftOut.push_back(fmt::format("{} of {} (not symmetric)", attribute, name));
  }

  void readContacts(Element& section) {
    for (Element e : section.children()) {
      if (e.tag() != "exclude") {
        Report::once(report_.leftOut, "<" + e.tag() + "> in <contact>");
        continue;
      }
      const int a = bodyOf(e, "body1", true), b = bodyOf(e, "body2", true);
      if (a != -2 && b != -2 && a != b) tree_.excluded.emplace_back(a, b);
    }
  }

  void readKeyframe(const std::vector<Element>& sections) {
    bool found = keyframe_.empty();
    for (const Element& section : sections) {
      if (section.tag() != "keyframe") continue;
      for (Element e : section.children()) {
        if (keyframe_.empty()) {
          Report::once(report_.assumed, "the start is the model's own pose (--keyframe NAME takes another)");
          continue;
        }
        if (e.text("name") != keyframe_) continue;
        found = true;
        std::size_t needed = 0;
        for (const LinkJoint& j : tree_.joints)
          needed += j.kind == LinkJointKind::Free        ? 7u
                    : j.kind == LinkJointKind::Spherical ? 4u
                    : j.kind == LinkJointKind::Fixed     ? 0u
                                                         : 1u;
        const auto q = e.numbers("qpos", {needed});
        if (q.empty()) continue;
        std::size_t at = 0;
        for (LinkJoint& j : tree_.joints) {
          const auto quaternion = [&] {
            const Quat turn(q[at], q[at + 1], q[at + 2], q[at + 3]);
            at += 4;
            return turn.normalized();
          };
          if (j.kind == LinkJointKind::Free) {
            const Pose goal{Vec3(q[at], q[at + 1], q[at + 2]), Quat::Identity()};
            at += 3;
            const Pose moved = j.parentFrame.inverse() * Pose{goal.position, quaternion()};
            const Vec3 turn = logRotation(moved.rotation);
            j.initial = {moved.position.x(), moved.position.y(), moved.position.z(),
                         turn.x(),           turn.y(),           turn.z()};
          } else if (j.kind == LinkJointKind::Spherical) {
            const Vec3 turn = logRotation(quaternion());
            j.initial = {turn.x(), turn.y(), turn.z()};
          } else if (j.kind != LinkJointKind::Fixed) {
            j.initial = {q[at++] - references_[j.name]};
          }
        }
        e.text("time");
        noteUnread(e, {}, report_);
      }
    }
    if (!found) found_.push_back({path_, 0, "keyframe", fmt::format("there is no keyframe '{}'", keyframe_)});
  }

  int frictionMaterial(double friction) {
    for (std::size_t i = 0; i < frictions_.size(); ++i)
      if (frictions_[i] == friction) return static_cast<int>(i);
    frictions_.push_back(friction);
    return static_cast<int>(frictions_.size()) - 1;
  }

  /// MuJoCo takes the larger friction of two; surfaces say so where a mean would differ. The first is the
  /// default.
  void materials() {
    if (frictions_.empty()) frictions_.push_back(1.0);
    for (std::size_t i = 0; i < frictions_.size(); ++i)
      tree_.materials.push_back({i == 0 ? "default" : fmt::format("friction-{:g}", frictions_[i]),
                                 1000.0,
                                 {frictions_[i], 0.0, {}}});
    for (std::size_t i = 0; i < frictions_.size(); ++i)
      for (std::size_t k = i + 1; k < frictions_.size(); ++k)
        tree_.surfaces[{static_cast<int>(i), static_cast<int>(k)}] = {
            std::max(frictions_[i], frictions_[k]), 0.0, {}};
  }

  std::string path_;
  const FileOptions& options_;
  std::string keyframe_;
  Report& report_;
  std::vector<Diagnostic> found_;
  Tree tree_;
  MjcfDocument document_;
  bool autoLimits_ = true, balance_ = false;
  std::string meshFolder_;
  int fromGeoms_ = 2, geoms_ = 0;  // inertiafromgeom: never, always, where there is no <inertial>
  double leastMass_ = 0.0, leastInertia_ = 0.0, totalMass_ = -1.0;
  std::map<std::string, std::shared_ptr<const TriangleMesh>> meshes_;
  std::vector<std::string> missing_;
  std::vector<std::size_t> virtual_;
  std::vector<GeomMass> geomMasses_;
  std::map<std::string, double> references_;
  std::vector<double> frictions_;
};

}  // namespace

Tree readMjcf(const std::string& path, const FileOptions& options, const std::string& keyframe,
              Report& report) {
  return MjcfReader(path, options, keyframe, report).read();
}

}  // namespace grashof::convert
