#pragma once
/// Makes models in code, and checks them; the scenario reader is one of its clients.
///
///   ModelBuilder b("pendulum");
///   const BodyId bob = b.addBody({.name = "bob", .pose = at(0.0, 0.0, -1.0)});
///   b.addShape(bob, sphereShape(0.05), {.mass = 0.2});
///   const FrameDef hinge{.axis = Vec3::UnitY()};
///   b.addJoint({.name = "pivot", .type = "revolute", .follower = bob, .frame = hinge});
///   World world(b.build());
///
/// Calls store their arguments, wrong ones too; build() checks everything and reports all defects at once, in
/// the words of the scenario reader. Numbers that are not finite are defects everywhere.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/model_content.h"
#include "engine/model/shapes.h"

namespace grashof {

class ModelBuilder {
 public:
  /// An empty model; it has the material "default".
  explicit ModelBuilder(std::string name);
  /// Opens a model for changes. Bodies and joints that it has keep their inertias and frames bit for bit.
  explicit ModelBuilder(const Model& model);

  std::string& name() { return content_.settings.name; }
  // How the model is stepped; checked by build(). Set `where` to have defects reported there.
  StepOptions& options() { return content_.settings.step; }
  Vec3& gravity() { return content_.settings.gravity; }  ///< m/s²
  Stabilization& stabilization() { return content_.settings.stabilization; }
  SolverOptions& solver() { return content_.settings.solver; }
  SettingsWhere& where() { return content_.settingsWhere; }

  /// Adds a material. One called "default" replaces the default material.
  MaterialId addMaterial(Material material, Where where = {});
  Material& material(MaterialId id) { return content_.materials[index(id)].material; }
  /// Sets the properties of a pair of materials, which may be the same one. Without an entry they follow from
  /// both materials, see Material.
  void addSurface(MaterialId a, MaterialId b, const SurfacePair& surface, Where where = {});

  BodyId addBody(BodyDef body);
  /// Adds a shape to a body, or to the world (planes and height fields only there). `shape.pose`: in the
  /// user's frame of the body; `shape.body` is not read, nor is `shape.material` when `material` is given.
  void addShape(BodyId body, Shape shape, const ShapeMass& mass = {}, Where where = {});

  SignalId addSignal(Signal signal, Where where = {});
  Signal& signal(SignalId id) { return content_.signals[index(id)].signal; }

  /// Adds a motor, which actuators name. Unlike a motion it may have any number of them.
  MotorId addMotor(Motor motor, Where where = {});
  Motor& motor(MotorId id) { return content_.motors[index(id)].motor; }

  JointId addJoint(JointDef joint);
  // What acts along a joint coordinate: each at most once.
  void addLimit(JointId joint, const Limit& limit, int coordinate = 0, Where where = {});
  void addDynamics(JointId joint, const PassiveDynamics& dynamics, int coordinate = 0, Where where = {});
  /// `reference`: force or torque, coordinate or rate, by the kind of the actuator. `actuator.motor`: the
  /// value of a MotorId, or -1.
  void addActuator(JointId joint, Actuator actuator, SignalId reference, int coordinate = 0,
                   Where where = {});
  /// Limit, dynamics and actuator of a coordinate, to be changed. @pre 0 <= coordinate < numDofs(joint)
  JointCoordinate& coordinate(JointId joint, int coordinate = 0) {
    return content_.joints[index(joint)].joint.coordinates[static_cast<std::size_t>(coordinate)];
  }
  /// A coupling; with backlash or an impedance force elements, see CouplingDef.
  void addCoupling(CouplingDef coupling);
  void addWrench(WrenchDef wrench);
  void addForce(ForceDef force);
  void addBushing(BushingDef bushing);
  void addVelocityConstraint(VelocityConstraintDef constraint);
  /// A named control, see World::controls(). Its targets have actuators or are force elements; of an opened
  /// model those that are no more are dropped.
  void addControl(ControlDef control);

  /// Shapes of these two never touch; either may be the world. With a link only the shapes that it has there
  /// (Shape::link).
  void exclude(BodyId a, BodyId b, Where where = {}) { exclude(a, {}, b, {}, std::move(where)); }
  void exclude(BodyId a, std::string linkA, BodyId b, std::string linkB, Where where = {});
  /// Which bodies that a joint joins may touch; Neighbours::World at first. Joints of an opened model are not
  /// affected.
  void setNeighbours(Neighbours touch) { content_.neighbours = touch; }

  /// Requests that bodies are brought onto the joints before a run, see assembly.h; pin() and holdInput() add
  /// conditions.
  void assemble();
  void pin(BodyId body, Where where = {});
  /// `value`: of the coordinate, m or rad.
  void holdInput(JointId joint, int coordinate, double value, Where where = {});

  /// Start values of all bodies that replace those of their definitions: poses of the CoM frames and world
  /// twists [v; ω] at the CoM. Joint frames are not affected.
  void setInitialPoses(std::span<const Pose> poses);
  void setInitialTwists(std::span<const Vec6> twists);

  /// Index of an item, or -1. `kind`: body, joint, coupling, motion, motor, material or element.
  int find(const std::string& kind, const std::string& name) const;
  std::vector<std::string> names(const std::string& kind) const;
  int numBodies() const { return static_cast<int>(content_.bodies.size()); }
  int numJoints() const { return static_cast<int>(content_.joints.size()); }
  int numShapes() const { return static_cast<int>(content_.shapes.size()); }
  int numSignals() const { return static_cast<int>(content_.signals.size()); }
  /// Degrees of freedom of a joint; 0 when its type is unknown.
  int numDofs(JointId joint) const;

  /// Adds a defect that the caller has found; build() throws it with the others.
  void report(Diagnostic defect) { defects_.report(std::move(defect)); }
  /// The model. Throws InputError with all defects: of one file in the order of their lines. The builder may
  /// be used further.
  std::shared_ptr<const Model> build() const;

 private:
  template <typename Kind>
  static std::size_t index(Id<Kind> id) {
    return static_cast<std::size_t>(id.value);
  }
  /// Of the constructor from a model.
  void openJoints(const Model& model);
  void openForces(const Model& model);
  void addBacklash(const CouplingDef& coupling);
  void addSoftCoupling(const CouplingDef& coupling);
  void checkElementCoupling(const CouplingDef& coupling, const char* property);
  static std::vector<CoordinateTermDef> termsOf(const CouplingDef& coupling);
  /// Stores the name of a new item and reports a wrong one.
  void addName(const char* kind, const std::string& name, int index, const Where& where);
  /// The joint's coordinate; null, and reported, when there is none.
  JointCoordinate* findCoordinate(JointId joint, int coordinate, const char* tag, Where& where);

  ModelContent content_;
  Defects defects_;
};

}  // namespace grashof
