#pragma once
/// Private: writes a scenario as MJCF. mjcf_writer.cpp: the file, bodies, joints; mjcf_write_shapes.cpp:
/// geoms; mjcf_write_relations.cpp: equalities, contacts; mjcf_write_tendons.cpp: force elements;
/// mjcf_write_actuators.cpp: actuators, the keyframe.

#include <array>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/scenario/xml_writer.h"
#include "tools/convert/formats.h"
#include "tools/convert/meshes.h"
#include "tools/convert/mjcf_soft_plan.h"
#include "tools/convert/spanning_tree.h"

namespace grashof::convert {

class MjcfWriter {
 public:
  MjcfWriter(const Scenario& scenario, const std::string& path, SoftPlan plan, Report& report);
  void write();
  /// Of a shape of the model, in the file.
  const std::string& shapeName(std::size_t shape) const { return shapeNames_[shape]; }
  /// Of what has been written.
  const std::vector<RowMobility>& softRows() const { return softRows_; }

 private:
  // mjcf_writer.cpp
  /// A name that no other item of the kind has; `wanted` where it is free.
  std::string unique(const char* kind, const std::string& wanted);
  /// What is called by its name in the report: "springs a, b".
  void leaveOut(const std::string& what, const std::vector<std::string>& names, const char* why = "");
  void nameItems();
  void writeOption();
  void writeBody(int body);
  void writeInertial(double mass, const Vec3& center, const Mat3& inertia);
  void place(const Pose& pose);
  /// The simple joints of a joint inside the body that lies at `body` in the world at the start. `against`:
  /// the body is the joint's base.
  void writeJoint(std::size_t index, const Pose& body, bool against);
  void writeCoordinate(std::size_t index, const SimpleJoint& simple, const Vec3& axis);
  void writeFreeRates(int body, const Pose& frame);
  /// Loops that no equality closes: a light body carries the joint, and is welded to the follower.
  void ghostsOf(int base);
  const std::string& coordinateName(std::size_t joint, int coordinate) const {
    return coordinateNames_[joint][static_cast<std::size_t>(coordinate)];
  }
  double initial(std::size_t joint, int coordinate) const {
    const int own = model_.coordinateStart[joint] + coordinate;
    return start_.coordinates[static_cast<std::size_t>(own)];
  }
  static bool closable(const Joint& joint);
  bool loop(std::size_t joint) const;
  /// Whether a coordinate is one of a joint that is written: of the tree, or of a light body.
  bool written(int joint, int coordinate) const;
  std::string bodyName(int body) const {
    return body < 0 ? "world" : model_.bodies[static_cast<std::size_t>(body)].name;
  }
  /// The impedance as solref and solimp under these names; as hard as may be, and reported, where it is none.
  /// `what`: in words.
  void softness(const Softness& softness, const char* reference, const char* impedance, const char* what);
  /// The same of a limit or equality of this name; `own`: the inverse inertia of its bodies alone.
  void softRow(bool limit, const std::string& name, const Softness& softness, double own);
  /// How the bodies of a joint give way along a row, 1/kg or 1/(kg m²).
  double mobilityOf(const Joint& joint, const JointRow& row) const;
  /// The mean of the first three rows.
  double mobilityOf(std::size_t joint) const;
  void reportRest();

  // mjcf_write_shapes.cpp
  void writeMeshes();
  void writeShapes(int body);
  /// Those of a link that is a body of its own, or the rest of a body.
  void writeShapesOf(const ShapeSet& set);
  /// False, and reported, where MJCF has no such shape.
  bool writeForm(const Shape& shape);
  void writeSurface(std::size_t shape);
  /// Friction and condim of a geom, or of a pair.
  void writeFriction(const SurfacePair& surface, bool pair);
  void reportSurfaces();
  /// The bodies of the file that have the shapes of a set.
  std::vector<std::string> bodiesOf(const ShapeSet& set) const;
  void writeSites(int body);

  // mjcf_write_relations.cpp
  bool parentsTouch() const;
  void writeEqualities();
  void writeLoop(std::size_t joint);
  void writeWeld(std::size_t joint);
  void equality(const char* tag, const std::string& name, const std::string& a, const std::string& b,
                std::size_t joint);
  /// What a soft joint of the place has beside it for the orientation, which make a weld.
  void findWelds();
  /// `kind`: see Sum.
  void writeCoupling(char kind, const Coupling& coupling, const Softness& softness);
  void writeContacts();

  // mjcf_write_tendons.cpp
  /// A force element as a tendon; what keeps its length is an equality.
  struct Tendon {
    std::string name{};
    std::size_t element = 0;
    double start = 0.0;  // length at the start
    double sign = 1.0;   // of the file's length in that of the element
  };
  /// A sum of coordinates that a coupling keeps (kind 'c'; 's': a soft one), or on which a control ('u')
  /// acts.
  struct Sum {
    char kind = 'c';
    std::string of{}, name{};  // name of the coupling or control; of the tendon
    std::vector<CoordinateTerm> terms{};
  };
  /// A point of a force element on a body, or what the element wraps there.
  struct SitePoint {
    std::string name{};
    int body = kWorld;
    Vec3 position = Vec3::Zero();  // in the user's frame
    double radius = 0.0;           // of a geom, m; 0: a site
    bool sphere = false;
    Vec3 axis = Vec3::UnitZ();         // of a cylinder, in the user's frame
    std::string sideName{};            // site on the side on which a cylinder is passed
    Vec3 sidePosition = Vec3::Zero();  // in the user's frame
  };
  /// A distance joint.
  struct Rod {
    std::string name{};
    std::size_t joint = 0;
    std::vector<SitePoint> sites{};
  };
  void planTendons();
  void planPath(std::size_t element, Tendon& tendon);
  void planRod(std::size_t joint);
  void planSums();
  const Sum* sumOf(char kind, const std::string& of) const;
  /// Why an element is no tendon; empty: it is one.
  std::string hindrance(const ForceElement& element) const;
  /// Where the spring of an element has no force. @pre stiffness > 0
  double restOf(const ForceElement& element) const;
  static std::vector<CoordinateTerm> termsOf(const ForceElement& element);
  void writeTendons();
  void writeTendon(const Tendon& tendon);
  void writeSite(const SitePoint& site);
  void writeLaw(const Tendon& tendon, double sign);
  void writeTerms(const std::vector<CoordinateTerm>& terms, double sign);
  const Tendon* tendonOf(int element) const;

  // mjcf_write_actuators.cpp
  const Actuator& actuatorOf(int joint, int coordinate) const {
    return model_.joints[static_cast<std::size_t>(joint)]
        .coordinates[static_cast<std::size_t>(coordinate)]
        .actuator;
  }
  /// What acts: force = gain u + bias, the latter affine.
  struct Drive {
    std::string name{}, joint{}, tendon{};  // one of the last two
    double gain = 1.0;
    std::array<double, 3> bias{};
    double limit = 0.0;  // of the force; 0: none
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
    double control = 0.0;  // at the start
  };
  void writeActuators();
  void writeDrive(const Drive& drive);
  void writeControl(const ControlInput& control);
  void writeTarget(const ControlInput& control, const ControlTarget& target, std::size_t number);
  void writeOwn(int joint, int coordinate);
  /// The law of an actuator whose reference is the control; false, and reported, where it cannot be written.
  bool lawOf(int joint, int coordinate, Drive& drive);
  void noteMotion(int signal);
  /// Sites of wrenches that do not change, where actuators without control give them.
  void planWrenches();
  void writeWrenches();
  /// Force per unit of the reference of an actuator.
  static double unitOf(const Actuator& actuator);
  bool servoAt(const ControlTarget& target) const;
  /// The first control that moves what `target` does.
  std::size_t firstControlOf(const ControlTarget& target) const;
  void writeKeyframe();

  const Scenario& scenario_;
  const Model& model_;
  std::string path_;
  SoftPlan plan_;
  Report& report_;
  std::vector<int> turnOf_;  // of each joint: the one that makes a weld of it; -1: none
  std::vector<bool> turns_;  // joints that do
  SpanningTree tree_;
  double size_;                                            // of the mechanism, m
  std::vector<std::vector<int>> children_;                 // of the world, then of each body
  std::map<ShapeSet, std::string> linkBodies_;             // links that are bodies of their own, with names
  std::map<std::string, std::set<std::string>> used_;      // names, by kind
  std::vector<std::vector<std::string>> coordinateNames_;  // of each joint
  std::vector<std::string> shapeNames_, ghostNames_;       // of each shape, of each joint
  std::map<const TriangleMesh*, std::string> meshNames_;
  std::vector<JointGeometry> geometry_;
  State start_;
  std::vector<double> rates_, controls_;  // of the keyframe, in the order of the file
  std::vector<Tendon> tendons_;
  std::vector<Sum> sums_;
  std::vector<Rod> rods_;
  std::map<std::size_t, std::vector<SitePoint>> sites_;  // by force element
  std::map<std::size_t, SitePoint> wrenchSites_;         // by wrench
  std::string axesSite_;                                 // of the world, whose axes wrenches have
  std::set<std::pair<int, int>> driven_;                 // coordinates whose actuator is written
  std::set<int> drivenElements_;
  std::vector<std::string> moving_;  // motions over time
  std::vector<RowMobility> softRows_;
  xml::Writer out_;
  MeshFolder meshes_;
};

}  // namespace grashof::convert
