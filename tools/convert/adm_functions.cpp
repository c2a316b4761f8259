#include "tools/convert/adm_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "engine/base/spelling.h"

namespace grashof::convert {
namespace {

using Values = std::span<const double>;

struct AdmFunction {
  const char* name;
  std::size_t least, most;
  double (*value)(Values);
};

/// Share of the way from a[1] to a[3] at a[0], 0 to 1.
double shareOf(Values a) { return std::clamp((a[0] - a[1]) / (a[3] - a[1]), 0.0, 1.0); }
/// From the value a[2] to a[4].
double between(Values a, double share) { return a[2] + (a[4] - a[2]) * share; }

double stepOf(Values a) {
  const double s = shareOf(a);
  return between(a, s * s * (3.0 - 2.0 * s));
}
double step5Of(Values a) {
  const double s = shareOf(a);
  return between(a, s * s * s * (10.0 + s * (6.0 * s - 15.0)));
}
double haversineOf(Values a) { return between(a, 0.5 - 0.5 * std::cos(std::numbers::pi * shareOf(a))); }
double polynomialOf(Values a) {
  double sum = 0.0;
  for (std::size_t i = a.size(); i-- > 2;) sum = sum * (a[0] - a[1]) + a[i];
  return sum;
}
double chebyshevOf(Values a) {
  double sum = 0.0, before = 1.0, now = a[0] - a[1];
  for (std::size_t i = 2; i < a.size(); ++i) {
    sum += a[i] * before;
    const double next = 2.0 * (a[0] - a[1]) * now - before;
    before = now;
    now = next;
  }
  return sum;
}
double fourierOf(Values a, double (*wave)(double)) {
  double sum = a[3];
  for (std::size_t i = 4; i < a.size(); ++i)
    sum += a[i] * wave(static_cast<double>(i - 3) * a[2] * (a[0] - a[1]));
  return sum;
}
double sineOf(double x) { return std::sin(x); }
double cosineOf(double x) { return std::cos(x); }
/// IF(x: below, at, above) zero.
double choiceOf(Values a) { return a[0] < 0.0 ? a[1] : a[0] == 0.0 ? a[2] : a[3]; }

constexpr std::size_t kManyValues = 40;

constexpr auto kAdmFunctions = std::to_array<AdmFunction>({
    {"ABS", 1, 1, [](Values a) { return std::abs(a[0]); }},
    {"ACOS", 1, 1, [](Values a) { return std::acos(a[0]); }},
    {"AINT", 1, 1, [](Values a) { return std::trunc(a[0]); }},
    {"ANINT", 1, 1, [](Values a) { return std::round(a[0]); }},
    {"ASIN", 1, 1, [](Values a) { return std::asin(a[0]); }},
    {"ATAN", 1, 1, [](Values a) { return std::atan(a[0]); }},
    {"ATAN2", 2, 2, [](Values a) { return std::atan2(a[0], a[1]); }},
    {"CHEBY", 3, kManyValues, chebyshevOf},
    {"COS", 1, 1, [](Values a) { return std::cos(a[0]); }},
    {"COSH", 1, 1, [](Values a) { return std::cosh(a[0]); }},
    {"DIM", 2, 2, [](Values a) { return std::max(a[0] - a[1], 0.0); }},
    {"EXP", 1, 1, [](Values a) { return std::exp(a[0]); }},
    {"FORCOS", 4, kManyValues, [](Values a) { return fourierOf(a, cosineOf); }},
    {"FORSIN", 4, kManyValues, [](Values a) { return fourierOf(a, sineOf); }},
    {"HAVSIN", 5, 5, haversineOf},
    {"IF", 4, 4, choiceOf},
    {"INT", 1, 1, [](Values a) { return std::trunc(a[0]); }},
    {"LOG", 1, 1, [](Values a) { return std::log(a[0]); }},
    {"LOG10", 1, 1, [](Values a) { return std::log10(a[0]); }},
    {"MAX", 2, 2, [](Values a) { return std::max(a[0], a[1]); }},
    {"MIN", 2, 2, [](Values a) { return std::min(a[0], a[1]); }},
    {"MOD", 2, 2, [](Values a) { return std::fmod(a[0], a[1]); }},
    {"NINT", 1, 1, [](Values a) { return std::round(a[0]); }},
    {"POLY", 3, kManyValues, polynomialOf},
    {"SHF", 6, 6, [](Values a) { return a[2] * std::sin(a[3] * (a[0] - a[1]) - a[4]) + a[5]; }},
    {"SIGN", 2, 2, [](Values a) { return std::copysign(std::abs(a[0]), a[1]); }},
    {"SIN", 1, 1, [](Values a) { return std::sin(a[0]); }},
    {"SINH", 1, 1, [](Values a) { return std::sinh(a[0]); }},
    {"SQRT", 1, 1, [](Values a) { return std::sqrt(a[0]); }},
    {"STEP", 5, 5, stepOf},
    {"STEP5", 5, 5, step5Of},
    {"TAN", 1, 1, [](Values a) { return std::tan(a[0]); }},
    {"TANH", 1, 1, [](Values a) { return std::tanh(a[0]); }},
});

/// Functions of Adams/Solver that are not read: of splines, contact, reactions, other elements and controls.
constexpr auto kAdmUnread = std::to_array<std::string_view>(
    {"ACCM",     "ACCX",    "ACCY",  "ACCZ",  "AKISPL", "ARYVAL", "BEAM",   "BISTOP", "BUSH",
     "CONTACT",  "CUBSPL",  "CURVE", "CVCV",  "DELAY",  "DIF",    "DIF1",   "FIELD",  "FM",
     "FRICTION", "FX",      "FY",    "FZ",    "FXFREQ", "FXMODE", "GCON",   "GFORCE", "IMPACT",
     "INTERP",   "INVPSD",  "JOINT", "JPRIM", "MODE",   "MOTION", "NFORCE", "PHI",    "PINVAL",
     "PITCH",    "POUVAL",  "PSI",   "PTCV",  "PTSF",   "ROLL",   "SENVAL", "SFORCE", "SPDP",
     "SWEEP",    "SFSF",    "THETA", "TM",    "TX",     "TY",     "TZ",     "UCON",   "VARVAL",
     "VFORCE",   "VTORQUE", "WDTM",  "WDTX",  "WDTY",   "WDTZ",   "YAW"});

const AdmFunction* findAdmFunction(std::string_view name) {
  const auto at = std::find_if(kAdmFunctions.begin(), kAdmFunctions.end(),
                               [&](const AdmFunction& f) { return f.name == name; });
  return at == kAdmFunctions.end() ? nullptr : &*at;
}

}  // namespace

bool isAdmFunction(std::string_view name) { return findAdmFunction(name) != nullptr; }

std::string admFunctionHint(const std::string& name) {
  if (std::find(kAdmUnread.begin(), kAdmUnread.end(), name) != kAdmUnread.end()) return {};
  std::vector<std::string> names = {"TIME", "PI", "RTOD", "DTOR", "DM", "VR", "VARVAL", "IMPACT", "AKISPL"};
  for (const AdmFunction& f : kAdmFunctions) names.emplace_back(f.name);
  const std::string near = closest(name, names);
  return near.empty() ? " (Adams has none of this name)" : " (did you mean " + near + "?)";
}

bool takesAdmArguments(std::string_view name, std::size_t count) {
  const AdmFunction* f = findAdmFunction(name);
  return f && count >= f->least && count <= f->most;
}

double admFunction(std::string_view name, std::span<const double> a) {
  const AdmFunction* f = findAdmFunction(name);
  return f ? f->value(a) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace grashof::convert
