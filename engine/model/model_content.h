#pragma once
/// What a ModelBuilder holds between its calls. Internal: only engine/model/*.cpp use it.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/definitions.h"
#include "engine/model/model.h"

namespace grashof {

/// Where the settings of a model were written.
struct SettingsWhere {
  Where model{};
  Where options{{}, 0, "options"}, solver{{}, 0, "solver"}, stabilization{{}, 0, "stabilization"};
};

/// Largest coefficient of friction: beyond it the cone is a half-space to all digits, and slip costs nothing
/// that the residual could show.
inline constexpr double kMostFriction = 1e4;

/// Items as they were added. `made`: taken from a model: its frames are already those of the engine.
struct ModelContent {
  struct MaterialEntry {
    Material material;
    Where where;
  };
  struct SurfaceEntry {
    MaterialId a, b;
    SurfacePair surface;
    Where where;
  };
  struct BodyEntry {
    BodyDef def;
    std::optional<Body> made;
  };
  struct ShapeEntry {
    BodyId body;
    Shape shape;
    ShapeMass mass;
    Where where;
    bool made = false;
  };
  struct SignalEntry {
    Signal signal;
    Where where;
  };
  struct MotorEntry {
    Motor motor;
    Where where;
  };
  struct CoordinateWhere {
    Where limit, dynamics, actuator;
    bool hasDynamics = false;
  };
  struct JointEntry {
    JointDef def;
    Joint joint;  ///< type and coordinates; frames, too, when made
    std::vector<CoordinateWhere> where;
    bool made = false;
  };
  struct CouplingEntry {
    CouplingDef def;
    std::optional<Coupling> made;
  };
  struct WrenchEntry {
    WrenchDef def;
    std::optional<ExternalWrench> made;
  };
  struct ForceEntry {
    ForceDef def;
    std::optional<ForceElement> made;
  };
  struct BushingEntry {
    BushingDef def;
    std::optional<Bushing> made;
  };
  struct VelocityEntry {
    VelocityConstraintDef def;
    std::optional<VelocityConstraint> made;
  };
  struct ControlEntry {
    ControlDef def;
    bool made = false;
  };
  struct ExclusionEntry {
    BodyId a, b;
    std::string linkA, linkB;
    Where where;
  };
  struct PinEntry {
    BodyId body;
    Where where;
  };
  struct InputEntry {
    JointId joint;
    int coordinate = 0;
    double value = 0.0;
    Where where;
  };

  Model settings;  ///< name, gravity, options; what else it holds is empty
  SettingsWhere settingsWhere;
  std::vector<MaterialEntry> materials;
  std::vector<SurfaceEntry> surfaces;
  std::vector<BodyEntry> bodies;
  std::vector<ShapeEntry> shapes;
  std::vector<SignalEntry> signals;
  std::vector<MotorEntry> motors;
  std::vector<JointEntry> joints;
  std::vector<CouplingEntry> couplings;
  std::vector<WrenchEntry> wrenches;
  std::vector<ForceEntry> forces;
  std::vector<BushingEntry> bushings;
  std::vector<VelocityEntry> velocities;
  std::vector<ControlEntry> controls;
  std::vector<ExclusionEntry> exclusions;
  std::vector<PinEntry> pins;
  std::vector<InputEntry> inputs;
  bool assembled = false;  ///< the model has an AssemblySetup
  Neighbours neighbours = Neighbours::World;
  std::vector<Pose> initialPoses;    ///< empty: those of the bodies
  std::vector<Vec6> initialTwists;   ///< empty: those of the bodies
  std::map<std::string, int> names;  ///< "body/crank" -> index
};

// The parts of ModelBuilder::build(), in the order in which they run. Each adds its items to `model` and
// reports what is wrong with them.
void placeMaterials(const ModelContent& content, Model& model, Defects& defects);
void placeBodies(const ModelContent& content, Model& model, Defects& defects);
void placeSignals(const ModelContent& content, Model& model, Defects& defects);
void placeMotors(const ModelContent& content, Model& model, Defects& defects);
void placeJoints(const ModelContent& content, Model& model, Defects& defects);
void placeCouplings(const ModelContent& content, Model& model, Defects& defects);
void placeWrenches(const ModelContent& content, Model& model, Defects& defects);
void placeForces(const ModelContent& content, Model& model, Defects& defects);
void placeVelocities(const ModelContent& content, Model& model, Defects& defects);
void placeBushings(const ModelContent& content, Model& model, Defects& defects);
void placeControls(const ModelContent& content, Model& model, Defects& defects);
void placeFilters(const ModelContent& content, Model& model, Defects& defects);
void placeStart(const ModelContent& content, Model& model, Defects& defects);

// Checks of values.
/// The terms of a sum over joint coordinates, which differ. `owner`: where terms without a place are
/// reported.
void checkTerms(std::span<const CoordinateTermDef> terms, const Model& model, const Where& owner,
                Defects& defects);
/// Teeth or a belt between two coordinates. The joints are there.
void checkMesh(const Mesh& mesh, const CoordinateTerm& a, const CoordinateTerm& b, const Model& model,
               const Where& where, Defects& defects);
void checkSettings(const ModelContent& content, Defects& defects);
void checkMotor(const Motor& motor, const Where& where, Defects& defects);
void checkShape(const Shape& shape, const Where& where, Defects& defects);
void checkCoordinate(const JointCoordinate& coordinate, const ModelContent::CoordinateWhere& where,
                     std::size_t signals, std::size_t motors, Defects& defects);
void checkSoftness(const Softness& softness, const Where& where, Defects& defects);

/// The frames of something that joins `base` to `follower`, in their CoM frames (in the world for the world):
/// given once in the world by `frame`, or once in each body. `normalIsZ`: axes are those of the z axis, as of
/// planar joints. Reports what is wrong with them.
struct FramePair {
  Pose base, follower;
};
struct FramesDef {
  const std::optional<FrameDef>&frame, &baseFrame, &followerFrame;
  const Pose& placement;
  const Where& where;
};
FramePair placeFrames(const FramesDef& def, const Model& model, int base, int follower, bool normalIsZ,
                      Defects& defects);

/// Reports a reference to a body that there is not. False when it cannot be used.
bool checkBody(BodyId body, bool worldAllowed, const char* attribute, std::size_t bodies, const Where& where,
               Defects& defects);
template <typename Kind>
bool usable(Id<Kind> id, std::size_t size) {
  return id.value >= 0 && static_cast<std::size_t>(id.value) < size;
}

}  // namespace grashof
