#pragma once
/// Private: reads an SDF model or world into a tree of links. sdf_reader.cpp: worlds, models, what is
/// reported; sdf_links.cpp: links and their masses; sdf_shapes.cpp: shapes and surfaces; sdf_joints.cpp;
/// sdf_axes.cpp: axes that should be parallel.

#include <map>
#include <optional>
#include <sdf/Collision.hh>
#include <sdf/Joint.hh>
#include <sdf/Link.hh>
#include <sdf/Model.hh>
#include <sdf/Visual.hh>
#include <sdf/World.hh>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/convert/formats.h"
#include "tools/convert/grow_tree.h"
#include "tools/convert/mesh_shapes.h"
#include "tools/convert/surfaces.h"

namespace grashof::convert {

class SdfReader {
 public:
  SdfReader(const std::string& path, const FileOptions& options, Report& report);

  Tree read();

 private:
  /// Where a model stands, and what counts for all its parts.
  struct Scope {
    Pose pose;           // of the model in the world
    std::string prefix;  // of its names
    std::string path;    // of its element, for messages
    bool fixed = false;
    bool selfCollide = false;
  };
  /// A link, or a place in the world that stands for one that stands still.
  struct Placed {
    int link = kWorldLink;
    Pose pose;          // in the world
    std::string still;  // of what stands still: its name
  };
  /// Rotations about the reference body: of the parent about the first axis, of the child about the second.
  struct Gearbox {
    std::string name;
    Where where;
    int reference = kWorldLink, parent = kWorldLink, child = kWorldLink;
    Vec3 axis1, axis2;  // in the world
    double ratio = 1.0;
  };
  /// A coordinate of a tree joint as a rotation about an axis, with its sign.
  struct Turning {
    int edge = -1;
    double sign = 1.0;
  };
  /// A linear coupling of two edges, by their names: q_a = ratio q_b + offset.
  struct Ratio {
    std::string name, a, b;
    double ratio = 1.0, offset = 0.0;
  };

  // sdf_reader.cpp
  void readWorld(const sdf::World& world);
  void readModel(const sdf::Model& model, const Scope& around);
  /// Reports what is left out of an element and its children, and numbers that are none. `parent`: the tag of
  /// the element around it.
  void note(const sdf::ElementPtr& e, const std::string& parent);
  void noteItem(const std::string& tag, const std::string& parent, const std::string& item);
  void checkNumbers(const sdf::ElementPtr& e);
  Where whereIs(const sdf::ElementPtr& e, const std::string& path) const;
  void error(const Where& where, const std::string& message);
  /// Adds what the library reports; false if it reports something.
  bool sound(const sdf::Errors& errors, const Where& where);
  /// `in`: the frame in which the pose is wanted; empty: the one that the library says.
  Pose poseOf(const sdf::SemanticPose& pose, const std::string& in, const Where& where);
  /// `name`, or one made of it that is not among `used`, to which it is added.
  std::string unique(const std::string& name, std::set<std::string>& used);
  /// Lets the links that no joint holds move freely.
  void freeRoots();

  // sdf_links.cpp
  void readLink(const sdf::Link& link, const Scope& scope, std::vector<std::pair<int, bool>>& collide);
  void readInertial(const sdf::Link& source, const Where& where, const std::vector<double>& densities,
                    Link& link);
  /// Gives a link mass, centre and inertia of its first shapes, which collide, at `densities` (kg/m³; 0: the
  /// link's). False: they have no volume.
  static bool weigh(const sdf::ElementPtr& inertial, const std::vector<double>& densities, Link& link);
  /// Excludes the pairs of links of a model that do not both touch their own model.
  void excludePairs(const std::vector<std::pair<int, bool>>& collide);

  // sdf_shapes.cpp
  void readCollision(const sdf::Collision& collision, const Where& link, const std::string& name,
                     std::vector<Shape>& shapes, bool fixed);
  void readVisual(const sdf::Visual& visual, const Where& link, const std::string& name,
                  std::vector<Shape>& shapes);
  bool readGeometry(const sdf::Geometry& geometry, const Where& where, Shape& shape, bool fixed);
  void readSurface(const sdf::ElementPtr& surface, const Where& where, Shape& shape);

  // sdf_joints.cpp
  void readJoint(const sdf::Joint& joint, const Scope& scope);
  /// Joints between the models of a world: SDF has them from 1.10 on, libsdformat 12 keeps them as texts.
  void readWorldJoints();
  void readWorldJoint(const tinyxml2::XMLElement& e);
  /// What a name in a joint of the world means; reported: nothing.
  Pose namedPose(const std::string& name, const Where& where);
  /// Where a joint stands in the world.
  Pose frameOf(const sdf::Joint& joint, const Scope& scope, const Placed& child, const Where& where);
  /// The edges of a joint of a type that has them.
  void addJoint(const sdf::Joint& source, LinkEdge edge, const Pose& frame, const Where& where,
                const Scope& scope);
  void addTwoTurns(const sdf::Joint& source, const LinkEdge& edge, const Pose& frame, const Where& where);
  /// Bounds of a motor on a joint's only axis.
  void boundMotor(const sdf::Joint& source, Motor& sheet);
  /// The joint that an edge's follows, if it does.
  void readMimic(const sdf::Joint& source, LinkEdge& edge, const Where& where, const Scope& scope);
  void addScrew(const sdf::Joint& source, const LinkEdge& edge, const Pose& frame, const Where& where);
  void addGearbox(const sdf::Joint& source, const LinkEdge& edge, const Pose& frame, const Where& where,
                  const Scope& scope);
  /// The link that a name in a joint means; false, and reported: there is none.
  bool findPlaced(const std::string& name, const Scope& scope, const Where& where, Placed& placed);
  Vec3 axisOf(const sdf::Joint& joint, unsigned index, const Where& where);
  JointCoordinate coordinateOf(const sdf::Joint& joint, unsigned index, const Where& where);
  /// Leaves out a bound that zero, where an SDF starts, is beyond.
  void keepStart(const std::string& name, Limit& limit);
  /// Gives an edge its frames: the joint's, turned by `turn`.
  void placeEdge(LinkEdge& edge, const Pose& frame, const Quat& turn) const;
  Pose worldPose(int link) const;
  int addBetween(const std::string& name, const Pose& pose, int line);
  Turning turningOf(int reference, int link, const Vec3& axis) const;
  /// Turns gearboxes into couplings, once all joints are known.
  void coupleGearboxes();
  /// Keeps the joints of couplings in the tree where loops are cut.
  void rankCoupled();
  void addCouplings();

  // sdf_axes.cpp
  /// Makes axes of a mechanism with loops parallel that are so but for rounding.
  void alignAxes();

  std::string path_;
  const FileOptions& options_;
  Report& report_;
  std::vector<Diagnostic> found_;
  Tree tree_;
  MeshShapes meshes_;
  bool scene_ = false;  // a world: models that no joint holds move freely
  std::map<std::string, Placed> placed_;
  std::vector<Pose> worldPoses_;            // of the links
  std::map<std::string, Pose> modelPoses_;  // in the world
  std::optional<Where> worldJoint_;         // while a joint of the world is read: its place
  Pose worldJointFrame_;                    // of it
  std::vector<LinkEdge> edges_;
  std::vector<Gearbox> gearboxes_;
  std::vector<Ratio> ratios_;
  SurfaceBook surfaces_{PairRule::Smaller};
  MissingMeshes sizeless_;
  std::set<int> autoInertials_;  // lines of the file with <inertial auto="true">
  std::set<std::string> shapeNames_, jointNames_;
};

}  // namespace grashof::convert
