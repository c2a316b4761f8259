#pragma once
/// What the stages of reading an Adams/Solver dataset share.

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/model_builder.h"
#include "tools/convert/adm_expression.h"
#include "tools/convert/adm_signal.h"
#include "tools/convert/adm_statements.h"
#include "tools/convert/tree.h"

namespace grashof::convert {

/// SI values of the units of a dataset: N, kg, m, s.
struct AdmUnits {
  double force = 1.0, mass = 1.0, length = 1.0, time = 1.0;
};

struct AdmPart {
  const AdmStatement* statement = nullptr;
  std::string name;
  bool ground = false;
  Pose pose;  ///< of its own frame in the world at the start, m
  BodyId body = kWorldBody;
  double mass = 0.0;  ///< kg
};

struct AdmMarker {
  const AdmStatement* statement = nullptr;
  int part = 0;
  bool floating = false;
  Pose inPart, inWorld;  ///< at the start, m
  Vec3 axis() const { return inWorld.rotation * Vec3::UnitZ(); }
};

/// A joint of the dataset with what motions, couplings and forces need of it. Coordinates are those of the
/// dataset: of I against J, along and about z.
struct AdmJoint {
  JointId joint{};
  const AdmStatement* statement = nullptr;
  const AdmMarker *i = nullptr, *j = nullptr;
  int translation = -1, rotation = -1;     ///< coordinates of the joint; -1: none
  double displacement = 0.0, angle = 0.0;  ///< at the start, m, rad
  std::set<int> driven;                    ///< coordinates with a motion
};

/// A coordinate of a joint with a value or rate at the start.
struct AdmStart {
  JointId joint{};
  int coordinate = 0;
  double value = 0.0, rate = 0.0;  ///< m, rad; per s
};

class AdmContext {
 public:
  AdmContext(std::string file, double duration, bool strict, Report& report);

  // Defects and what is not taken over.
  void fail(const AdmStatement& s, const std::string& message, int line = 0);
  /// A line of the report for what does not act as in the dataset.
  void leaveOut(const AdmStatement& s, const std::string& why);

  // Values of arguments; wrong ones are reported, and what is asked for is returned instead.
  std::optional<double> number(const AdmStatement& s, const char* argument, double unit = 1.0);
  double numberOr(const AdmStatement& s, const char* argument, double fallback, double unit = 1.0);
  /// As many numbers as `least` to `most`; empty: not given, or wrong.
  std::vector<double> numbers(const AdmStatement& s, const char* argument, std::size_t least,
                              std::size_t most, double unit = 1.0);
  Vec3 vector(const AdmStatement& s, const char* argument, double unit);
  /// The identifiers of an argument; empty: not given, or wrong.
  std::vector<int> identifiers(const AdmStatement& s, const char* argument, std::size_t least,
                               std::size_t most);
  /// The fixed marker of an argument; null: reported. `optional`: null where it is not given.
  const AdmMarker* marker(const AdmStatement& s, const char* argument, bool optional = false);
  /// The fixed marker with this identifier; null: reported.
  const AdmMarker* markerCalled(const AdmStatement& s, int id, const char* what);
  /// Joints that couplings and motions name; null: reported, or left out.
  AdmJoint* jointCalled(const AdmStatement& s, int id);
  /// The expression of an argument; none: not given, or wrong (reported).
  std::optional<AdmExpression> expression(const AdmStatement& s, const char* argument);
  /// A signal of the builder of a function of time. None: left out, or wrong (reported).
  std::optional<SignalId> signal(const AdmStatement& s, const AdmExpression& e, int node, AdmSignalUse use,
                                 const std::string& name);

  /// A name for the scenario that no other of its kind has: that of ADAMS/View, else keyword and identifier.
  std::string nameFor(const std::string& kind, const AdmStatement& s);
  Where where(const AdmStatement& s) const { return {file, s.line, s.element()}; }

  const AdmPart& partOf(const AdmMarker& m) const { return parts.at(m.part); }
  /// N m, N/m, ...: a unit of products.
  double unit(int force, int length, int time) const;

  std::string file;
  double duration;  ///< s
  bool strict;
  Report& report;
  AdmUnits units;
  ModelBuilder builder;
  std::vector<Diagnostic> found;
  std::map<int, AdmPart> parts;
  std::map<int, AdmMarker> markers;
  std::list<AdmMarker> turned;  ///< markers of joints whose axes point against each other
  std::map<int, AdmJoint> joints;
  std::set<int> missingJoints;  ///< that were left out
  std::map<int, std::string> variables;
  std::vector<AdmStart> starts;
  int unmet = 0;  ///< statements that do not act

 private:
  std::set<std::string> names_;
};

// The stages.
using AdmStatements = std::vector<AdmStatement>;
void readAdmUnits(AdmContext& c, const AdmStatements& all);
/// Parts, point masses, markers, gravity.
void readAdmParts(AdmContext& c, const AdmStatements& all);
/// JOINT, JPRIM, GCON.
void readAdmJoints(AdmContext& c, const AdmStatements& all);
/// COUPLER, GEAR, racks.
void readAdmCouplings(AdmContext& c, const AdmStatements& all);
void readAdmMotions(AdmContext& c, const AdmStatements& all);
void readAdmForces(AdmContext& c, const AdmStatements& all);
/// GFORCE, VFORCE, VTORQUE.
void readAdmVectorForces(AdmContext& c, const AdmStatements& all);
/// The model with its start on the joints, with the values and rates that joints ask for.
std::shared_ptr<const Model> assembledAdm(AdmContext& c);

/// A gear-like coupling a q_a = b q_b of two coordinates that keeps their start.
struct AdmRatio {
  const AdmJoint *a = nullptr, *b = nullptr;
  bool turnsA = true, turnsB = true;
  double factorA = 1.0, factorB = 1.0;
};
void addAdmRatio(AdmContext& c, const AdmStatement& s, const AdmRatio& ratio);

}  // namespace grashof::convert
