#pragma once
/// What the tests of SDF share: conversion of a text.

#include <string>

#include "engine/base/error.h"
#include "tests/tools/converted.h"

namespace grashof::test {

using FromSdf = Converted;

/// Converts a file, writes the scenario and reads it back: what converts must load.
inline FromSdf fromSdfFile(const std::string& path, const convert::BuildOptions& build = {},
                           const convert::FileOptions& files = {}) {
  FromSdf made;
  made.scenario = convert::buildScenario(convert::readSdf(path, files, made.report), build, made.report);
  made.readBack();
  return made;
}

/// The same of the elements inside <sdf>.
inline FromSdf fromSdfText(const std::string& inner, const convert::BuildOptions& build = {},
                           const convert::FileOptions& files = {}) {
  const ScratchFolder folder;
  return fromSdfFile(folder.write("model.sdf", "<sdf version='1.9'>\n" + inner + "</sdf>"), build, files);
}

/// What is wrong with these elements; empty when they convert.
inline std::string sdfError(const std::string& inner, const convert::BuildOptions& build = {}) {
  try {
    fromSdfText(inner, build);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// A link with a mass of 1 kg, and more elements.
inline std::string sdfLink(const std::string& name, const std::string& pose, const std::string& more = {}) {
  return "<link name='" + name + "'><pose>" + pose +
         "</pose><inertial><mass>1</mass><inertia><ixx>0.01</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.01</iyy>"
         "<iyz>0</iyz><izz>0.01</izz></inertia></inertial>" +
         more + "</link>";
}

/// A joint about or along an axis of the model's frame, with more elements in its <axis>.
inline std::string sdfJoint(const std::string& name, const std::string& type, const std::string& parent,
                            const std::string& child, const std::string& axis, const std::string& inAxis = {},
                            const std::string& more = {}) {
  return "<joint name='" + name + "' type='" + type + "'><parent>" + parent + "</parent><child>" + child +
         "</child><axis><xyz expressed_in='__model__'>" + axis + "</xyz>" + inAxis + "</axis>" + more +
         "</joint>";
}

}  // namespace grashof::test
