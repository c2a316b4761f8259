#pragma once
/// What the tests of Adams/Solver datasets share.

#include <string>

#include "engine/base/error.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/model/user_frames.h"
#include "tests/tools/converted.h"

namespace grashof::test {

/// Converts a dataset, writes the scenario and reads it back: what converts must load.
inline Converted fromAdm(const std::string& text, const convert::AdmOptions& options = {}) {
  const ScratchFolder folder;
  Converted made;
  made.scenario = convert::readAdm(folder.write("model.adm", text), options, made.report);
  made.readBack();
  return made;
}

/// The head of datasets below: a title, the ground with its marker 1 (z of the world) and 11 (z along -y).
inline const char* const kAdmGround =
    "title\nUNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND\n"
    "PART/1, GROUND\nMARKER/1, PART=1\nMARKER/11, PART=1, REULER=0D,90D,0D\n";

/// The same with parts of 1 kg and diag(0.1 0.2 0.3) kg m² at the origin: PART/2 with the markers 2 (as 1)
/// and 12 (as 11), PART/3 with 3 and 13.
inline std::string admTwoParts(const std::string& statements) {
  return kAdmGround +
         std::string(
             "PART/2, MASS=1, CM=2, IP=0.1,0.2,0.3\nMARKER/2, PART=2\nMARKER/12, PART=2, REULER=0D,90D,0D\n"
             "PART/3, MASS=1, CM=3, IP=0.1,0.2,0.3\nMARKER/3, PART=3\nMARKER/13, PART=3, "
             "REULER=0D,90D,0D\n") +
         statements;
}

/// What is wrong with a dataset; empty when it converts.
inline std::string admError(const std::string& text, const convert::AdmOptions& options = {}) {
  try {
    fromAdm(text, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// A channel of the model after `time` s.
inline double channelAt(const Model& model, double time, const std::string& name) {
  Simulator simulator(model);
  while (simulator.state().time < time - 1e-9) simulator.step();
  return findChannel(model, name)(simulator);
}

/// The value of a signal of the model.
inline double motionAt(const Converted& made, const std::string& name, double time) {
  for (const Signal& s : made.model().signals)
    if (s.name == name) return s.value(time);
  FAIL("no motion " << name);
  return 0.0;
}

}  // namespace grashof::test
