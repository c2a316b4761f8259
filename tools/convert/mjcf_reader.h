#pragma once
/// Private: reads an MJCF model into a tree of links. mjcf_reader.cpp: the order of reading, settings;
/// mjcf_bodies.cpp: bodies, frames, copies; mjcf_joints.cpp; mjcf_geoms.cpp: shapes and masses;
/// mjcf_meshes.cpp; mjcf_heights.cpp; mjcf_contacts.cpp: who touches whom, and how; mjcf_relations.cpp:
/// equalities, exclusions; mjcf_tendons.cpp; mjcf_wraps.h; mjcf_actuators.cpp; mjcf_keyframe.cpp;
/// mjcf_mobility.cpp: what follows from the mass matrix.

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/convert/formats.h"
#include "tools/convert/mesh_shapes.h"
#include "tools/convert/mjcf_document.h"
#include "tools/convert/mjcf_softness.h"

namespace grashof::convert {

class TreeInertia;

/// What <compiler> says.
struct MjcfCompiler {
  bool autoLimits = true, balance = false, stripPath = false, exactMeshes = false, fitBoxes = false;
  bool alignFree = false;
  std::string meshFolder;
  int fromGeoms = 2;  ///< inertiafromgeom: never, always, where there is no <inertial>
  std::vector<double> groupRange = {0.0, std::numeric_limits<double>::max()};
  double leastMass = 0.0, leastInertia = 0.0, totalMass = -1.0;
};

/// A file of a model, with what it includes.
struct MjcfFile {
  MjcfFile(const std::string& path, const FileOptions& options, std::vector<Diagnostic>& found)
      : document(path, options, found) {}
  MjcfDocument document;
  MjcfCompiler compiler{};
  std::string prefix{}, suffix{};        ///< of its names: as an attached model, and as a copy of it
  const MjcfFile* outer = nullptr;       ///< that attaches it
  std::vector<xml::Element> sections{};  ///< empty if it can't be read
};

class MjcfReader {
 public:
  MjcfReader(const std::string& path, const FileOptions& options, const std::string& keyframe, Report& report)
      : path_(path), options_(options), keyframe_(keyframe), report_(report) {
    tree_.file = path;
  }

  Tree read();

 private:
  enum Kind { kBodies, kJoints, kSites, kTendons, kGeoms, kKinds };

  struct GeomMass {
    int link = 0;
    double mass = 0.0;
    VolumeProperties properties;  // in the link's frame, per unit density
    Pose frame;                   // that MuJoCo gives the geom: of a mesh the principal axes
  };
  struct Site {
    int link = kWorldLink;
    Pose pose;  // in the link's frame
  };
  struct Mesh {
    std::shared_ptr<const TriangleMesh> mesh;  // null: missing or wrong, or a plugin would make it
    bool byPlugin = false;
    std::string inertia;                         // mode of its mass
    std::shared_ptr<const TriangleMesh> hull{};  // made when first asked for
    bool flat = false;                           // has no hull
  };
  /// One of them; neither: it is missing or wrong.
  struct HeightField {
    std::shared_ptr<const HeightGrid> grid{};
    std::shared_ptr<const TriangleMesh> mesh{};  // where steps along x and y differ
    double thickness = 0.0;                      // below the lowest elevation, m
  };
  /// What decides about the contacts of a geom.
  struct Surface {
    double friction = 1.0, torsional = 0.005, rolling = 1e-4;
    int condim = 3, priority = 0;
    double mix = 1.0, margin = 0.0;
    SoftParameters softness{};
    int link = kWorldLink, paired = 0;  // number among the geoms of <pair>s, from 1
    double mobility = 0.0;              // of the link in the mechanism, 1/kg; below 0: not known
    bool operator==(const Surface&) const = default;
  };
  /// contype and conaffinity, and the number among the geoms of <pair>s.
  struct Filter {
    std::uint32_t type = 1, affinity = 1;
    int paired = 0;
    bool operator==(const Filter&) const = default;
  };
  /// Where a geom went.
  struct GeomPlace {
    int link = kWorldLink;
    std::size_t index = 0;  // among the shapes of the link
  };
  /// What a <pair> says instead of what follows from its geoms.
  struct Pair {
    std::optional<double> friction, torsional, rolling, margin;
    std::optional<int> condim;
    std::array<std::vector<double>, 2> softness;  // solref, solimp
  };
  struct PlacedJoint {
    xml::Element element;
    Pose frame;  // of the <frame> around it
    std::string childClass;
  };
  /// A copy by a <replicate>.
  struct Copy {
    std::string suffix;
    const MjcfFile* file = nullptr;
  };
  /// A share of a joint's coordinate.
  struct Term {
    int joint = 0;
    double coefficient = 1.0;
  };
  /// A tendon: a sum of joint coordinates, or the length of a path; one of them is empty.
  struct Tendon {
    std::vector<Term> terms;
    std::vector<PathNode> path;
    double length = 0.0;  ///< at the reference, m or rad
  };
  /// A soft row whose inertia is that of the mechanism: the sum of those of its parts, over the square of
  /// what it is divided by.
  struct SoftRow {
    bool mimic = false;     // else a sum
    std::size_t index = 0;  // of the mimic or sum
    std::vector<Tendon> parts;
    double scale = 1.0;
  };
  /// An actuator: the force gain u + bias₀ + bias₁ L + bias₂ dL/dt acts along its length L, which is the sum
  /// of the terms. A range without numbers does not limit.
  struct Drive {
    std::string name, kind;
    std::vector<Term> terms;     // with the gear; none, nor a path: not taken
    std::vector<PathNode> path;  // of a spatial tendon, of which L is `gear` times the length
    double gear = 1.0;
    double zero = 0.0;  // L where the coordinates of the terms are 0
    double gain = 1.0;
    std::array<double, 3> bias{};
    double dampRatio = 0.0;
    int site = -1, frame = -1;  // on which it acts, and whose axes count; site < 0: no site
    int ball = -1;              // ball or free joint on whose link it acts; < 0: none
    bool inParent = false;      // of such a joint: by the axes of its parent
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();  // there, per unit
    bool active = false;                               // has an activation...
    bool integrates = false;                           // ... that counts instead of the control
    double activation = 0.0;                           // at the start
    std::vector<double> controls, forces;
    double control = 0.0;
    bool acts() const { return !terms.empty() || !path.empty() || site >= 0 || ball >= 0; }
    bool servo() const { return bias[1] != 0.0 || bias[2] != 0.0; }
  };
  using Names = std::map<std::string, int>;

  // mjcf_reader.cpp
  /// Opens a file and reads what its bodies need: compiler, defaults, assets.
  MjcfFile& open(const std::string& path, const std::string& prefix);
  /// Makes a file the one that is being read.
  void turnTo(MjcfFile& file);
  /// Reads what refers to bodies: tendons, equalities, actuators, contacts.
  void readRelations(const char* tag, const std::function<void(xml::Element&)>& read);
  const MjcfFile& current() const;
  bool attached() const { return document_ != &files_.front()->document; }
  void readCompiler(xml::Element& e);
  void readOption(xml::Element& e);
  void readFlags(xml::Element& e);
  bool enabled(const char* flag) const { return !disabled_.contains(flag); }
  /// Counts what is left out many times in a model; the report gets one line, with what helps.
  void countLeftOut(const std::string& what, const char* cure);
  void collectNames(const xml::Element& e);
  /// The name of an element in the scenario, unique among `used`: its own, cleaned, or made of `kind` and a
  /// number.
  std::string unique(xml::Element& e, const char* kind, std::set<std::string>& used);
  /// Enters what `e` describes under its own name, and that of its copy.
  void enter(Kind kind, xml::Element& e, int index);
  /// The index of what an attribute of `e` names; -2, and reported, when there is none.
  int find(Kind kind, xml::Element& e, const char* attribute);
  int findName(Kind kind, const std::string& name) const;
  /// The suffixes of the copies of what has this name, as far as the file that is being read has to do with
  /// them; empty: it has none, or is itself.
  std::vector<std::string> suffixesOf(Kind kind, const std::string& name) const;
  /// Calls `read` once, or once for each copy of what these attributes of `e` name.
  void forCopies(xml::Element& e, const std::vector<std::pair<Kind, const char*>>& references,
                 const std::function<void(xml::Element&)>& read);

  // mjcf_bodies.cpp
  /// The bodies, geoms and sites inside an element; `pose`: of the frames around them.
  void readChildren(xml::Element& e, int link, const Pose& pose, const std::string& childClass);
  /// Puts a body of another model, a <model> of the assets, at `pose`.
  void attach(xml::Element& e, int link, const Pose& pose);
  bool readPart(xml::Element& parent, const char* tag, const std::string& name, int link, const Pose& pose);
  void attachOwn(xml::Element& e, const char* tag, const std::string& prefix, int link, const Pose& pose);
  /// The copies of a <replicate>: `each` reads one, at its pose.
  void replicate(xml::Element& e, const Pose& pose, const std::function<void(const Pose&)>& each);
  void readBody(xml::Element& e, int parent, const Pose& outer, const std::string& outerClass);
  /// Reads the joints of a body, with massless links between several of them; returns the last one's index.
  int readJoints(std::vector<PlacedJoint>& joints, const Link& link, int parent, const Pose& pose);
  /// Returns the inertial frame.
  Pose readInertial(xml::Element& e, Link& link);
  /// Mass of the geoms of a link without <inertial>, and the inertial frame that they give.
  void addGeomMass(int index, std::optional<Pose>& inertial);
  /// Moves the frame of a link to the inertial frame, with all that is told in it.
  void moveFrame(int index, const Pose& inertial);
  /// boundmass, boundinertia, balanceinertia, settotalmass of the compiler.
  void boundInertias();
  /// True for links that are fixed to the world.
  bool standsStill(int link) const;
  /// Pose of a link with all coordinates zero.
  Pose zeroPose(int link) const;

  // mjcf_joints.cpp
  void collectJoints(xml::Element& e, const Pose& pose, const std::string& childClass,
                     std::vector<PlacedJoint>& joints);
  void readJoint(PlacedJoint& placed, int parent, int child, const Pose& inParent);
  /// Springs, dampers and limits of a joint of `type`; angles and lengths count from `reference`.
  JointCoordinate readCoordinate(xml::Element& e, int type, double reference);
  void giveCoordinates(xml::Element& e, int type, const JointCoordinate& own, LinkJoint& joint);
  double firstOf(xml::Element& e, const char* attribute);
  /// A limit with a margin acts that much sooner.
  void narrow(double& lower, double& upper, double margin);
  bool limited(xml::Element& e, const char* limited, const char* range) const;

  // mjcf_geoms.cpp
  void readGeom(xml::Element& e, int link, const Pose& outer, const std::string& childClass);
  bool readShape(xml::Element& e, Shape& shape, VolumeProperties& volume, Pose& pose);
  void takeBelt(const std::vector<double>& velocity, Shape& shape);
  /// Gives a shape to its link (-1: the world) and returns its index among the geoms, -1 if it was left out.
  /// `mass`: kg, negative: by `density`, kg/m³.
  int addShape(Shape shape, VolumeProperties volume, int link, double mass, double density);

  // mjcf_meshes.cpp
  void readMesh(xml::Element& e);
  /// The file of an asset; empty: it is not there. Throws InputError when it lies outside of the folders.
  std::string assetFile(const std::string& name) const;
  void loadMesh(xml::Element& e, const std::string& file, Mesh& mesh);
  bool takeMesh(xml::Element& e, Shape& shape, VolumeProperties& volume);
  /// A primitive in the place of a mesh; `pose`: where, in the mesh's frame.
  bool fitToMesh(xml::Element& e, Shape& shape, Pose& pose);

  // mjcf_heights.cpp
  void readHeights(xml::Element& e);
  static void takeElevations(int rows, int columns, const std::vector<double>& values,
                             const std::vector<double>& size, HeightField& field);
  bool takeHeights(xml::Element& e, Shape& shape);

  // mjcf_contacts.cpp
  void readContact(xml::Element& e, int link, Shape& shape);
  Shape& shapeOf(const GeomPlace& geom);
  bool touch(const Filter& a, const Filter& b) const;
  /// Gives the geoms of a <pair> a filter and a surface of their own.
  void readPair(xml::Element& e);
  /// Turns contype and conaffinity into groups.
  void makeGroups();
  /// Contacts that act before shapes touch: one distance for all, or geoms that grow.
  void applyMargins();
  std::vector<std::pair<int, Shape*>> allShapes();
  /// Surfaces that differ by their link only become one where that does not matter.
  void joinSurfaces();
  /// The surface of each pair of materials.
  static SurfacePair surfaceOf(const Surface& surface, const Softness& softness);
  /// How a contact of these words yields along its normal, over what it would as a cone.
  double yieldOf(const Surface& surface) const;
  /// How much less it yields along the surface.
  double ratioOf(const Surface& surface) const;
  void makeSurfaces();

  // mjcf_relations.cpp
  void readEqualities(xml::Element& section);
  void readLoop(xml::Element& e);
  void readJointEquality(xml::Element& e);
  void readTendonEquality(xml::Element& e);
  /// Couples by first = polynomial(other), both counted from the reference.
  void couple(const std::string& name, const Tendon& first, const Tendon& other,
              const std::array<double, 5>& polynomial, const SoftParameters& softness);
  void coupleByCam(const std::string& name, const Term& first, const Term& other,
                   const std::array<double, 5>& polynomial);
  void coupleSum(const std::string& name, const Tendon& first, const Tendon& other,
                 const std::map<int, double>& sum, const std::array<double, 5>& polynomial,
                 const SoftParameters& softness);
  void readContacts(xml::Element& section);

  // mjcf_tendons.cpp
  void readTendons(xml::Element& section);
  Tendon readFixed(xml::Element& e);
  Tendon readSpatial(xml::Element& e, const std::string& name);
  bool readWrap(xml::Element& part, const std::string& name, PathNode& node, int& side);
  bool takeSide(const std::string& name, const PathNode& before, const PathNode& after, int side,
                PathNode& node);
  void readTendonLaw(xml::Element& e, const std::string& name, const Tendon& tendon);
  void addToJoint(const Term& term, const CoordinateSum& law, double friction);
  /// True where each joint has one coordinate.
  bool simple(const std::vector<Term>& terms) const;
  /// A name that no sum has yet.
  std::string sumName(const std::string& name);
  /// Gives a sum the terms and the path of a tendon; false, and reported, where that cannot be.
  bool startSum(const std::string& name, const Tendon& tendon, CoordinateSum& sum);

  // mjcf_actuators.cpp
  void readActuators(xml::Element& section);
  Drive readDrive(xml::Element& e);
  void readGeneral(xml::Element& e, Drive& drive);
  /// What a drive acts on; none, and reported, when that cannot be taken.
  std::vector<Term> readTransmission(xml::Element& e, Drive& drive);
  /// The control of a drive, which moves nothing yet.
  void addControl(const Drive& drive);
  TreeControl& controlOf(const Drive& drive);
  /// Gives the joints their actuators: the sums of the drives on them.
  void makeActuators();
  /// The law of all drives of a joint together: effort constant - stiffness q - damping q̇ within the limit.
  struct DriveSum {
    double constant = 0.0, stiffness = 0.0, damping = 0.0, limit = 0.0;
    bool bounded = true;
  };
  DriveSum sumOf(int joint, const std::vector<const Drive*>& drives);
  void addActuator(int joint, const std::vector<const Drive*>& drives);
  /// A drive on a site: a wrench of what it gives at the start.
  std::vector<Term> takeSite(xml::Element& e, Drive& drive);
  void addSiteDrive(const Drive& drive);
  /// The same of ball and free joints, whose parent stands still.
  std::vector<Term> takeBall(xml::Element& e, int joint, Drive& drive);
  void addBallDrive(const Drive& drive);
  /// The force of what does not depend on the motion, at the control of the start.
  static double startForce(const Drive& drive);
  /// Bounds of the control by the range of what is moved, about its middle.
  void inheritRange(xml::Element& e, Drive& drive);
  /// Takes from the actuators of a joint those that one servo with a bound of its own does not share its
  /// bound with: they become force elements along the coordinate.
  void separateBounded(int joint, std::vector<const Drive*>& drives);
  /// A drive along a tendon that is not one joint: a force element of its own.
  void addTendonDrive(const Drive& drive);
  /// Moves servos of tendons over coupled joints to one of these joints.
  bool reduceToOneJoint(Drive& drive) const;

  // mjcf_keyframe.cpp
  void readKeyframes(const std::vector<xml::Element>& sections);
  void takeKey(xml::Element& e);

  // mjcf_mobility.cpp
  /// springdamper of joints, dampratio of servos, and the inertias to which soft rows refer.
  void resolveByInertia();

  std::string path_;
  const FileOptions& options_;
  std::string keyframe_;
  Report& report_;
  std::vector<Diagnostic> found_;
  Tree tree_;
  std::vector<std::unique_ptr<MjcfFile>> files_;  // the model, and those that it attaches
  // Of the file that is being read:
  MjcfDocument* document_ = nullptr;
  MjcfCompiler compiler_;
  std::string prefix_, suffix_;  // of names: of an attached model, of a copy
  int copiesMade_ = 0;           // made by <replicate>s
  int copiesAttached_ = 0;       // parts of a file that it attaches itself
  // option
  std::set<std::string> disabled_;  // flags
  std::set<int> disabledGroups_;    // of actuators
  bool sleeps_ = false;
  bool elliptic_ = false;  // cones of friction
  double impedanceRatio_ = 1.0;
  // names
  std::array<Names, kKinds> known_;                                      // by the names of the file
  std::array<std::map<std::string, std::vector<Copy>>, kKinds> copies_;  // by name
  std::set<std::string> given_;                                          // names that the file gives
  std::set<std::string> linkNames_, jointNames_, equalityNames_, signalNames_;
  std::map<std::string, std::pair<int, std::string>> countedOut_;
  // content
  std::map<std::string, Mesh> meshes_;
  std::map<std::string, HeightField> heightFields_;
  MissingMeshes missing_;
  std::map<std::string, std::string> models_;  // files that may be attached, by name
  std::vector<std::size_t> virtual_;           // links between several joints of a body
  std::vector<GeomMass> geomMasses_;
  std::vector<Site> sites_;
  std::set<int> aligned_;                        // free joints whose body has its inertial frame
  std::vector<double> references_;               // of each joint, m or rad
  std::map<int, std::array<double, 2>> ranges_;  // of joints that have one, m or rad, with the reference
  std::map<int, std::array<double, 2>> springDampers_;  // time constant, damping ratio, by joint
  std::vector<Tendon> tendons_;
  std::vector<SoftRow> softRows_;
  std::vector<Drive> drives_;
  std::vector<Surface> surfaces_;
  std::vector<Filter> filters_;
  std::vector<GeomPlace> geoms_;
  std::vector<int> paired_;                    // geoms of <pair>s
  std::map<std::pair<int, int>, Pair> pairs_;  // by their numbers, from 1, the smaller first
};

}  // namespace grashof::convert
