#pragma once
/// State shared by the parts of the scenario reader. Internal: only engine/scenario/*.cpp include it.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/model_builder.h"
#include "engine/scenario/scenario.h"
#include "engine/scenario/xml_element.h"

namespace grashof::xml {

/// Where the elements of one file are placed: include adds to both.
struct Placement {
  Pose pose;           ///< of the file's world in the scenario's world
  std::string prefix;  ///< of the names in the file
};

class Reader {
 public:
  explicit Reader(Scenario& scenario);

  void readFile(const std::string& path, const Placement& placement, const Element* includedBy,
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
                   const Element* includedBy, const std::vector<Override>& overrides);
  void readDocument(tinyxml2::XMLDocument& document, const std::string& path, const Placement& placement,
                    const Element* includedBy, const std::vector<Override>& overrides);
  void readRoot(Element root, const Placement& placement, bool included);
  void readInclude(Element e, const Placement& placement);
  /// Reads the elements that were deferred until all names are known.
  void resolve();
  /// Conditions and channels, which need the model.
  void checkExpectations(bool durationOverridden);
  void perturb();
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
  bool readShape(Element& e, const Placement& placement, Shape& shape, ShapeMass& mass);
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
  void readLimit(Element& e, JointId joint);
  void readDynamics(Element& e, JointId joint);
  void readActuator(Element& e, const Placement& placement, JointId joint);
  void readCoupling(Element e, const Placement& placement);
  /// The <term> children, which are all that `e` has.
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
  bool neighboursCollide_ = false;
  Perturbation perturbation_;
};

/// `samples`, or `file` and `column` of an element; `form`: of the samples. Nothing where they are wrong.
void readSamplePairs(Element& e, Signal& signal, const char* form);

/// `name` relative to the folder of `file`, unless it is absolute.
std::string besideFile(const std::string& file, const std::string& name);

}  // namespace grashof::xml
