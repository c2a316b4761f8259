#pragma once
/// What tests share: random values, small models, the project's folders.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string>

#include <doctest/doctest.h>

#include "engine/analysis/assembly.h"
#include "engine/dynamics/channels.h"
#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"
#include "joints/types/types.h"
#include "solvers/problem/dense.h"
#include "solvers/problem/dual_problem.h"
#include "solvers/problem/termination.h"

namespace grashof::test {

inline constexpr double kGravity = 9.81;  // m/s², as by default

/// Root of the source tree.
inline std::string sourceFolder() { return GRASHOF_SOURCE_DIR; }

/// A folder of its own for each test run, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "grashof-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  /// Writes a file in the folder and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string path(const std::string& name = {}) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// All bytes of a file.
inline std::string contentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The scenario whose elements are `inner`.
inline Scenario scenarioOf(const std::string& inner) {
  const ScratchFolder folder;
  return readScenario(folder.write("test.xml", "<scenario>" + inner + "</scenario>"));
}

/// A simulation of a scenario given as XML, with its channels by name.
class Run {
 public:
  explicit Run(const std::string& inner)
      : scenario_(scenarioOf(inner)), simulator_(scenario_.model, startState(*scenario_.model)) {}
  Simulator& simulator() { return simulator_; }
  const Model& model() const { return *scenario_.model; }
  double operator[](const std::string& channel) const {
    return findChannel(*scenario_.model, channel)(simulator_);
  }
  /// Steps until `time` (s).
  void until(double time) {
    while (simulator_.state().time < time - 1e-9) {
      simulator_.step();
      REQUIRE_MESSAGE(!simulator_.diverged(), simulator_.diverged()->reason);
    }
  }

 private:
  Scenario scenario_;
  Simulator simulator_;
};

/// Deterministic random numbers.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  /// Numbers of one trial of `forAll`: they depend on (seed, trial) alone.
  Random(unsigned seed, int trial) {
    std::seed_seq sequence{seed, static_cast<unsigned>(trial)};
    engine_.seed(sequence);
  }
  double uniform(double lower = -1.0, double upper = 1.0) {
    return std::uniform_real_distribution<double>(lower, upper)(engine_);
  }
  Vec3 vector(double size = 1.0) { return size * Vec3(uniform(), uniform(), uniform()); }
  Vec6 twist(double size = 1.0) {
    Vec6 u;
    for (int i = 0; i < 6; ++i) u[i] = uniform(-size, size);
    return u;
  }
  Quat rotation() {
    Quat q(uniform(), uniform(), uniform(), uniform());
    return q.normalized();
  }
  Pose pose(double size = 1.0) { return {vector(size), rotation()}; }

 private:
  std::mt19937 engine_;
};

/// Calls `f(random, trial)` for trial = 0 … count - 1, each with random numbers of its own. Where a check
/// fails or `f` throws, seed and trial are reported. That one trial is run alone by
///   GRASHOF_TRIAL=seed:trial grashof_tests --source-file=…
/// Loops with another seed run in full all the same. The trial may lie beyond `count`.
template <class F>
void forAll(unsigned seed, int count, F&& f) {
  const auto run = [&](int trial) {
    CAPTURE(seed);
    CAPTURE(trial);
    Random random(seed, trial);
    f(random, trial);
  };
  unsigned wantedSeed = 0;
  int wantedTrial = 0;
  const char* const wanted = std::getenv("GRASHOF_TRIAL");
  if (wanted && std::sscanf(wanted, "%u:%d", &wantedSeed, &wantedTrial) == 2 && wantedSeed == seed)
    return run(wantedTrial);
  for (int trial = 0; trial < count; ++trial) run(trial);
}

/// A box-shaped body with full edges `size` (m).
inline Body boxBody(const std::string& name, double mass, const Vec3& size, const Pose& pose) {
  Body body;
  body.name = name;
  body.mass = mass;
  const Vec3 s2 = size.cwiseProduct(size);
  body.inertia = Vec3(mass / 12.0 * Vec3(s2.y() + s2.z(), s2.x() + s2.z(), s2.x() + s2.y())).asDiagonal();
  body.initialPose = pose;
  return body;
}

/// A joint whose frame stands at `frame` in the world, at the initial poses of the bodies.
inline Joint jointAt(const Model& model, const std::string& name, const JointType& type, int base,
                     int follower, const Pose& frame) {
  Joint joint;
  joint.name = name;
  joint.type = &type;
  joint.base = base;
  joint.follower = follower;
  joint.baseFrame = base >= 0 ? model.bodies[base].initialPose.inverse() * frame : frame;
  joint.followerFrame = model.bodies[follower].initialPose.inverse() * frame;
  joint.coordinates.resize(type.numDofs());
  return joint;
}

/// Joint frame at `point` whose x axis is `axis`.
inline Pose frameAt(const Vec3& point, const Vec3& axis) {
  return {point, rotationBetween(Vec3::UnitX(), axis)};
}

inline Shape planeShape() {
  Shape shape;
  shape.name = "ground";
  shape.type = ShapeType::Plane;
  return shape;
}

inline Shape boxShape(int body, const Vec3& size) {
  Shape shape;
  shape.name = "box";
  shape.type = ShapeType::Box;
  shape.body = body;
  shape.size = size;
  return shape;
}

inline Shape sphereShape(int body, double radius) {
  Shape shape;
  shape.name = "sphere";
  shape.type = ShapeType::Sphere;
  shape.body = body;
  shape.radius = radius;
  return shape;
}

inline Eigen::VectorXd stacked(std::span<const Vec6> blocks) {
  Eigen::VectorXd x(6 * static_cast<Eigen::Index>(blocks.size()));
  for (std::size_t b = 0; b < blocks.size(); ++b) x.segment<6>(6 * static_cast<Eigen::Index>(b)) = blocks[b];
  return x;
}

inline Eigen::VectorXd stacked(std::span<const double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

inline InertiaBlock randomInertia(Random& random) {
  InertiaBlock m;
  m.mass = random.uniform(0.5, 3.0);
  m.inverseMass = 1.0 / m.mass;
  const Mat3 r = random.rotation().toRotationMatrix();
  const Vec3 moments(random.uniform(0.3, 1.0), random.uniform(0.3, 1.0), random.uniform(0.3, 1.0));
  m.inertia = r * moments.asDiagonal() * r.transpose();
  m.inverseInertia = r * moments.cwiseInverse().asDiagonal() * r.transpose();
  return m;
}

/// v⁺(λ) of all rows.
inline std::vector<double> endVelocity(const DualProblem& p, std::span<const double> impulse) {
  std::vector<Vec6> twist(p.bodies());
  std::vector<double> velocity(p.rows());
  twistFromImpulse(p, impulse, twist);
  endVelocities(p, twist, impulse, velocity);
  return velocity;
}

/// A problem with random bodies, joints between neighbours (a ring when `loop`), bounded rows and contacts.
inline DualProblem randomProblem(Random& random, int bodies, bool loop, int intervals, int contacts) {
  DualProblem p;
  for (int b = 0; b < bodies; ++b) {
    p.inertia.push_back(randomInertia(random));
    p.freeTwist.push_back(random.twist());
  }
  const auto newRow = [&](double bias) {
    p.bias.push_back(bias);
    p.compliance.push_back(0.0);
    return static_cast<int>(p.bias.size()) - 1;
  };
  for (int j = 0; j < (loop ? bodies : bodies - 1); ++j) {
    JointBlock joint;
    joint.rows = 3;
    joint.firstTerm = static_cast<int>(p.jointTerms.size());
    joint.terms = 2;
    joint.row = static_cast<int>(p.bias.size());
    for (const int body : {j, (j + 1) % bodies}) {
      JointTerm term;
      term.body = body;
      for (int r = 0; r < joint.rows; ++r) term.jacobian.row(r) = random.twist().transpose();
      p.jointTerms.push_back(term);
    }
    for (int r = 0; r < joint.rows; ++r) newRow(0.1 * random.uniform());
    p.joints.push_back(joint);
  }
  p.jointRows = static_cast<int>(p.bias.size());
  for (int i = 0; i < intervals; ++i) {
    IntervalRow row;
    row.row = newRow(random.uniform());
    row.bodyA = i % 3 == 0 ? -1 : i % bodies;
    row.bodyB = (i + 1) % bodies;
    row.jacobianA = random.twist();
    row.jacobianB = random.twist();
    if (i % 2 == 1) row.lower = -0.2, row.upper = 0.3;
    row.firstTerm = static_cast<int>(p.intervalTerms.size());
    if (i % 4 == 1)  // on all bodies
      for (int b = 0; b < bodies; ++b)
        if (b != row.bodyA && b != row.bodyB) p.intervalTerms.push_back({b, random.twist()}), ++row.terms;
    p.intervals.push_back(row);
  }
  for (int i = 0; i < contacts; ++i) {
    ContactBlock contact;
    contact.row = newRow(0.0);
    newRow(0.0);
    newRow(random.uniform(0.0, 0.2));
    contact.bodyA = i % 2 == 0 ? -1 : i % bodies;
    contact.bodyB = (i + 1) % bodies;
    contact.friction = i % 4 == 3 ? 0.0 : random.uniform(0.2, 0.9);
    const Mat3 frame = frameFromNormal(random.vector().normalized());
    const auto rows = [&](const Vec3& arm) {
      Mat36 j;
      j.leftCols<3>() = frame.transpose();
      j.rightCols<3>() = -frame.transpose() * skew(arm);
      return j;
    };
    if (contact.bodyA >= 0) contact.jacobianA = -rows(random.vector());
    contact.jacobianB = rows(random.vector());
    p.contacts.push_back(contact);
  }
  return p;
}

/// One material pair for everything.
inline void setSurface(Model& model, double friction, double restitution) {
  model.materials = {{"default", 1000.0, {friction, restitution, {}}}};
}

}  // namespace grashof::test
