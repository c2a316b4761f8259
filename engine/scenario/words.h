#pragma once
/// Words of scenario files for the values of enumerations: of the list of attributes, of the reader and of
/// the writer.

#include "engine/model/definitions.h"
#include "engine/scenario/scenario.h"
#include "engine/scenario/schema.h"

namespace grashof::xml {

template <>
inline constexpr const char* kWords<ShapeType> =
    "plane|box|sphere|capsule|cylinder|cone|ellipsoid|hull|mesh|height-field";
template <>
inline constexpr const char* kWords<Signal::Kind> = "constant|sine|series";
template <>
inline constexpr const char* kWords<Interpolation> = "linear|cubic|smooth";
template <>
inline constexpr const char* kWords<CouplingKind> = "gear|screw|rack-and-pinion|cam|linear";
template <>
inline constexpr const char* kWords<Actuator::Kind> = "effort|position|velocity|motion";
template <>
inline constexpr int kFirst<Actuator::Kind> = static_cast<int>(Actuator::Kind::Effort);
template <>
inline constexpr const char* kWords<ForceSide> = "none|tension|compression";
template <>
inline constexpr const char* kWords<SumCommand> = "tension|length";
template <>
inline constexpr const char* kWords<Neighbours> = "false|world|true";
template <>
inline constexpr const char* kWords<Integrator> = "euler|moreau|auto";
template <>
inline constexpr const char* kWords<Acceleration> = "default|none|nesterov|anderson";
template <>
inline constexpr const char* kWords<ToleranceKind> = "relative|absolute";
template <>
inline constexpr const char* kWords<Spread> = "normal|uniform|triangular";

}  // namespace grashof::xml
