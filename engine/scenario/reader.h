#pragma once
/// State shared by the parts of the scenario reader. Internal: only engine/scenario/*.cpp include it.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/scenario/scenario.h"
#include "engine/scenario/xml_element.h"

namespace grashof::xml {

/// Where the elements of one file are placed: include adds to both.
struct Placement {
  Pose pose;           ///< of the file's world in the scenario's world
  std::string prefix;  ///< of the names in the file
};

/// What is known of a body beyond Body itself while reading.
struct BodyFrames {
  Pose user;  ///< the frame in which the user described the body, in the world
};

class Reader {
 public:
  explicit Reader(Scenario& scenario) : scenario_(scenario) {
    model_.materials.push_back({"default", 1000.0, {}});
  }

  void readFile(const std::string& path, const Placement& placement, const Element* includedBy,
                const std::vector<Override>& overrides);
  /// The same for XML that is no file: `path` names it in messages, its folder is where files are looked for.
  void readText(const std::string& text, const std::string& path, const std::vector<Override>& overrides);
  /// Resolves what refers to names, then checks the whole.
  /// `durationOverridden`: conditions at times beyond the end are not defects then.
  void resolve(bool durationOverridden);
  std::vector<Diagnostic>& found() { return found_; }

 private:
  // scenario.cpp
  /// A defect of a whole file; of an included one where it is included.
  void report(const std::string& path, int line, const std::string& message, const Element* includedBy);
  void readDocument(tinyxml2::XMLDocument& document, const std::string& path, const Placement& placement,
                    const Element* includedBy, const std::vector<Override>& overrides);
  void readRoot(Element root, const Placement& placement, bool included);
  void readOptions(Element e);
  void readSolver(Element e);
  void readStabilization(Element e);
  void readOutput(Element e);
  void readExpect(Element e);
  void readPerturb(Element e);
  void perturb();
  void readContacts(Element e, const Placement& placement);
  void readAssemble(Element e, const Placement& placement);
  void readInclude(Element e, const Placement& placement);
  // bodies.cpp
  void readMaterial(Element e, const Placement& placement);
  void readSurface(Element e, const Placement& placement);
  void readBody(Element e, const Placement& placement);
  bool readShape(Element& e, const Placement& placement, Shape& shape, double& density, double& mass);
  void readWorldShape(Element e, const Placement& placement);
  void readWrench(Element e, const Placement& placement);
  // joints.cpp
  void readMotion(Element e, const Placement& placement);
  void readJoint(Element e, const Placement& placement);
  void readAxis(Element& e, const Placement& placement, Joint& joint);
  void readCoupling(Element e, const Placement& placement);

  /// Full name of a new item; reports a duplicate. `kind` as in "body".
  std::string newName(Element& e, const Placement& placement, const char* kind);
  int bodyIndex(Element& e, const char* attribute, const Placement& placement, bool worldAllowed);
  int jointIndex(Element& e, const char* attribute, const Placement& placement);
  int signalIndex(Element& e, const Placement& placement, bool required);
  /// compliance, or impedance and reference, of materials, surfaces, limits and joints.
  Softness readSoftness(Element& e);
  int materialIndex(Element& e, const char* attribute, const Placement& placement);

  /// Random changes of the initial twists, uniform in ± these.
  struct Perturbation {
    double velocity = 0.0, angularVelocity = 0.0;  // m/s, rad/s
    unsigned seed = 1;
  };
  struct Deferred {
    Element element;
    Placement placement;
  };

  Scenario& scenario_;
  Model model_;
  std::vector<Diagnostic> found_;
  std::vector<std::string> openFiles_;
  std::set<std::string> names_;  // "body/crank"
  std::vector<BodyFrames> frames_;
  std::vector<std::unique_ptr<tinyxml2::XMLDocument>> documents_;  // elements point into them
  // Elements that refer to others are read when all names are known.
  std::vector<Deferred> joints_, couplings_, motions_, wrenches_, surfaces_, worldShapes_, contacts_, bodies_,
      assemble_;
  bool neighboursCollide_ = false;
  Perturbation perturbation_;
};

/// `name` relative to the folder of `file`, unless it is absolute.
std::string besideFile(const std::string& file, const std::string& name);

}  // namespace grashof::xml
