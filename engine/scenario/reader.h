#pragma once
/// State shared by the parts of the scenario reader. Internal: only engine/scenario/*.cpp include it.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/model_builder.h"
#include "engine/scenario/scenario.h"
#include "engine/scenario/words.h"
#include "engine/scenario/xml_element.h"

namespace grashof::xml {

/// Where the elements of one file or copy are placed: include, use and replicate add to both.
struct Placement {
  Pose pose;           ///< of the file's world in the scenario's world
  std::string prefix;  ///< of the names in the file
};

/// Attributes of an include or use that give values to parameters.
struct Arguments {
  Element* giver = nullptr;  ///< null: there is none
  bool taken = false;        ///< all that are known have been read
};

/// A segment between two points.
struct Ends {
  bool given = false;
  Vec3 center = Vec3::Zero(), direction = Vec3::UnitX();
  double length = 0.0;  ///< m
};

/// What the children of an element are part of.
enum class Block { File, IncludedFile, Copy };

class Reader {
 public:
  explicit Reader(Scenario& scenario);

  /// `arguments`: of the include; their giver is null for the scenario's own file.
  void readFile(const std::string& path, const Placement& placement, Arguments& arguments,
                const std::vector<Override>& overrides);
  /// The same for XML that is no file: `path` names it in messages, its folder is where files are looked for.
  void readText(const std::string& text, const std::string& path, const std::vector<Override>& overrides);
  /// Reads the elements that refer to names, builds the model and checks the scenario. Throws InputError with
  /// all defects. `durationOverridden`: conditions at times beyond the end are not defects then.
  void finish(bool durationOverridden);

 private:
  // reader.cpp
  /// Counts a file of `size` bytes; false when there are too many.
  bool admit(const std::string& path, std::uintmax_t size, const Element* includedBy);
  /// A defect of a whole file; of an included one where it is included.
  void report(const std::string& path, int line, const std::string& message, const Element* includedBy);
  void readContent(const std::string& text, const std::string& path, const Placement& placement,
                   Arguments& arguments, const std::vector<Override>& overrides);
  void readDocument(tinyxml2::XMLDocument& document, const std::string& path, const Placement& placement,
                    Arguments& arguments, const std::vector<Override>& overrides);
  void readRoot(Element root, const Placement& placement, Arguments& arguments);
  /// Reads the children of an element, whose parameters are those of its context.
  void readBlock(Element& block, const Placement& placement, Block kind);
  void readInclude(Element e, const Placement& placement);
  /// Adds the expressions of elements to what the builder found wrong with their values.
  void nameExpressions(std::vector<Diagnostic>& defects) const;
  /// Reads the elements that were deferred until all names are known.
  void resolve();
  /// Conditions and channels, which need the model.
  void checkExpectations(bool durationOverridden);
  void perturb();
  // parameters.cpp
  /// Puts a context with the <parameter>s of `block` inside of the one it has; arguments take the place of
  /// their values. `listed`: they are those of the scenario.
  std::shared_ptr<Context> defineParameters(Element& block, Arguments& arguments, bool listed);
  /// The value of a <parameter>, in the units of its file, and all that it says.
  double parameterValue(Element& e, Parameter& parameter, const Context& context, Arguments& arguments);
  /// The bounds of a tolerance, and how values spread within them. `value`: what percents are of.
  void readBounds(Element& e, const char* attribute, double value, Parameter& parameter);
  void readTolerance(Element e);
  /// Sets the parameters and deviations that overrides name.
  void applyParameters(tinyxml2::XMLElement& root, const std::vector<Override>& overrides);
  static bool setDeviation(tinyxml2::XMLElement& root, tinyxml2::XMLElement& tolerance, const std::string& of,
                           const std::string& name, const std::string& value,
                           std::vector<std::string>& known);
  /// Keeps the text of a scenario that says more than its model.
  void keepSource();
  // copies.cpp
  void readReplicate(Element e, const Placement& placement);
  void readUse(Element e, const Placement& placement);
  void defineTemplates(Element& block);
  Element* findTemplate(const Element& e, const std::string& name);
  /// Counts a copy of `content`; false when there are too many in all.
  bool admitCopy(Element& e, const Element& content);
  // settings.cpp
  void readOptions(Element e, const Placement&);
  void readSolver(Element e, const Placement&);
  void readStabilization(Element e, const Placement&);
  void readOutput(Element e, const Placement&);
  void readExpect(Element e, const Placement&);
  void readPerturb(Element e, const Placement&);
  // bodies.cpp
  void readSurfaceValues(Element& e, SurfacePair& surface);
  void readMaterial(Element e, const Placement& placement);
  void readSurface(Element e, const Placement& placement);
  void readBody(Element e, const Placement& placement);
  /// The name of a link, with the prefix of the file; empty without the attribute.
  static std::string linkName(Element& e, const char* attribute, const Placement& placement);
  bool readShape(Element& e, const Placement& placement, Shape& shape, ShapeMass& mass);
  /// `from` and `to` of a body or shape.
  static Ends readEndPoints(Element& e);
  static void stretch(Element& e, const Ends& ends, Shape& shape);
  /// Reads the file that a hull, mesh or height field is made of.
  void readGeometry(Element& e, Shape& shape);
  void readWorldShape(Element e, const Placement& placement);
  void readWrench(Element e, const Placement& placement);
  void readContacts(Element e, const Placement& placement);
  void readAssemble(Element e, const Placement& placement);
  // joints.cpp
  void readMotion(Element e, const Placement& placement);
  void readMotor(Element e, const Placement& placement);
  void readJoint(Element e, const Placement& placement);
  FrameDef readFrame(Element& e);
  Clearance readClearance(Element& e);
  /// Whether a coordinate of a joint is an angle; false for one that there is not.
  bool isAngle(JointId joint, int coordinate) const;
  void readLimit(Element& e, JointId joint);
  void readDynamics(Element& e, JointId joint);
  void readActuator(Element& e, const Placement& placement, JointId joint);
  void readCoupling(Element e, const Placement& placement);
  /// The <term> children, which are all that `e` has.
  /// `belts`: whether the element may be one.
  static Mesh readTeeth(Element& e, bool belts);
  std::vector<CoordinateTermDef> readTerms(Element& e, const Placement& placement);
  // elements.cpp
  void readSpring(Element e, const Placement& placement);
  void readGasSpring(Element e, const Placement& placement);
  void readForce(Element e, const Placement& placement);
  void readCable(Element e, const Placement& placement);
  void readTendon(Element e, const Placement& placement);
  void readSumLaw(Element& e, const Placement& placement, ForceDef& force);
  CableSupportDef readSupport(Element& e, const Placement& placement);
  void readBushing(Element e, const Placement& placement);
  void readControl(Element e, const Placement& placement);
  void readKnifeEdge(Element e, const Placement& placement);
  void readRolling(Element e, const Placement& placement);
  void readEnds(Element& e, const Placement& placement, ForceDef& force);
  static void readSpringLaw(Element& e, ForceDef& force);
  static Mat6 readStiffness(Element& e, const char* name);

  /// Full name of a new item; empty when it is missing.
  std::string newName(Element& e, const Placement& placement);
  // References by name: reported() when there is no such item.
  BodyId bodyId(Element& e, const char* attribute, const Placement& placement, bool worldAllowed);
  JointId jointId(Element& e, const char* attribute, const Placement& placement);
  SignalId signalId(Element& e, const Placement& placement);
  MotorId motorId(Element& e, const Placement& placement);
  MaterialId materialId(Element& e, const char* attribute, const Placement& placement);
  int lookUp(Element& e, const char* attribute, const std::string& wanted, const char* kind);
  /// compliance, or impedance and reference, of materials, surfaces, limits and joints.
  Softness readSoftness(Element& e);

  /// Random changes of the initial twists, uniform in ± these.
  struct Perturbation {
    double velocity = 0.0, angularVelocity = 0.0;  // m/s, rad/s
    unsigned seed = 1;
  };
  using Read = void (Reader::*)(Element, const Placement&);
  struct Deferred {
    Read read = nullptr;
    Element element;
    Placement placement;
  };
  /// How an element of the root is read.
  struct Section {
    const char* tag;
    Read read;
    bool runs;  ///< says how to run a scenario: left out of included files
    bool once;  ///< stands once in a file
    int stage;  ///< 0: read at once; later ones in this order, when all names before them are known
  };
  static const std::vector<Section>& sections();

  Scenario& scenario_;
  ModelBuilder builder_;
  std::vector<Diagnostic> found_;
  std::vector<std::string> openFiles_;
  int files_ = 0;                                                  // read so far
  std::uintmax_t fileBytes_ = 0;                                   // in all of them
  Where defaultMaterial_;                                          // where it was set; no line: nowhere yet
  std::vector<std::unique_ptr<tinyxml2::XMLDocument>> documents_;  // elements point into them
  std::map<int, std::vector<Deferred>> deferred_;                  // by stage
  std::vector<const JointType*> jointTypes_;                       // by the number of their JointId
  Neighbours neighbours_ = Neighbours::World;
  Perturbation perturbation_;
  std::shared_ptr<ReadingNotes> notes_ = std::make_shared<ReadingNotes>();
  /// By the context in which a <template> is known, and its name.
  std::map<std::pair<const Context*, std::string>, Element> templates_;
  std::size_t copies_ = 0;  // elements of templates and patterns read so far
  int nested_ = 0;          // copies that are being read
};

/// `samples`, or `file` and `column` of an element; `form`: of the samples. Nothing where they are wrong.
void readSamplePairs(Element& e, Signal& signal, const char* form);

/// The attributes of <solver>.
void readSolverOptions(Element& e, SolverOptions& options);

/// Finds the element of `root` that a path such as `body[crank].inertial.mass` leads to, and the name of the
/// attribute at its end. `make`: elements without a name are made where they are missing. Throws InputError.
struct PathEnd {
  tinyxml2::XMLElement* element;
  std::string attribute;
};
PathEnd followPath(tinyxml2::XMLElement& root, const std::string& path, bool make);

}  // namespace grashof::xml
