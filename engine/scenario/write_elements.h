#pragma once
/// The force elements and bushings of a scenario as XML. Internal: writer.cpp uses it.

#include "engine/base/softness.h"
#include "engine/model/model.h"
#include "engine/scenario/xml_writer.h"

namespace grashof::xml {

/// A <term> of a sum over joint coordinates.
void writeTerm(const Model& model, const CoordinateTerm& term, Writer& out);

/// The attributes of a softness, none where it is rigid.
void writeSoftness(const Softness& softness, Writer& out);
void writeMesh(const Mesh& mesh, Writer& out);

/// Writes the named controls of `model`.
void writeControls(const Model& model, Writer& out);

/// Writes all force elements and bushings of `model`.
void writeElements(const Model& model, Writer& out);

}  // namespace grashof::xml
