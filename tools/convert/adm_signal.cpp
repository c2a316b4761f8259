#include "tools/convert/adm_signal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace grashof::convert {
namespace {

constexpr double kSampleStep = 1e-3;  // s
constexpr double kMostSampledTimes = 1e5;
constexpr int kSamplesBefore = 2;  // so that the first ones, which are at rest, are before the start
constexpr double kFar = 1e4;       // s: where straight lines end

struct SinePart {
  double amplitude, rate, phase;  // amplitude sin(rate t + phase), rad
};
struct StepPart {
  double rise, from, to;
};

/// c0 + c1 t + sines + steps.
struct TimeForm {
  double c0 = 0.0, c1 = 0.0;
  std::vector<SinePart> sines;
  std::vector<StepPart> steps;
  bool straight() const { return sines.empty() && steps.empty(); }
};

void addForm(TimeForm& to, const TimeForm& other, double factor) {
  to.c0 += factor * other.c0;
  to.c1 += factor * other.c1;
  for (SinePart s : other.sines) {
    s.amplitude *= factor;
    to.sines.push_back(s);
  }
  for (StepPart s : other.steps) {
    s.rise *= factor;
    to.steps.push_back(s);
  }
}

/// Finds the form of an expression, if it has one.
class TimeForms {
 public:
  explicit TimeForms(const AdmExpression& e) : e_(e) {}

  std::optional<TimeForm> of(int i) const {
    if (e_.constant(i)) return TimeForm{e_.value(i, 0.0), 0.0, {}, {}};
    const AdmExpression::Node& n = e_.node(i);
    using Kind = AdmExpression::Kind;
    switch (n.kind) {
      case Kind::Time:
        return TimeForm{0.0, 1.0, {}, {}};
      case Kind::Negate:
        return combined(n.children[0], -1.0, -1, 0.0);
      case Kind::Add:
        return combined(n.children[0], 1.0, n.children[1], 1.0);
      case Kind::Subtract:
        return combined(n.children[0], 1.0, n.children[1], -1.0);
      case Kind::Multiply:
        for (const std::size_t k : {0U, 1U})
          if (e_.constant(n.children[k]))
            return combined(n.children[1 - k], e_.value(n.children[k], 0.0), -1, 0.0);
        return std::nullopt;
      case Kind::Divide:
        if (!e_.constant(n.children[1])) return std::nullopt;
        return combined(n.children[0], 1.0 / e_.value(n.children[1], 0.0), -1, 0.0);
      case Kind::Call:
        return ofCall(n);
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<TimeForm> combined(int a, double factorA, int b, double factorB) const {
    TimeForm sum;
    const auto first = of(a);
    if (!first) return std::nullopt;
    addForm(sum, *first, factorA);
    if (b < 0) return sum;
    const auto second = of(b);
    if (!second) return std::nullopt;
    addForm(sum, *second, factorB);
    return sum;
  }
  std::optional<TimeForm> ofCall(const AdmExpression::Node& n) const {
    if (n.name == "SIN" || n.name == "COS") {
      const auto angle = of(n.children[0]);
      if (!angle || !angle->straight()) return std::nullopt;
      return TimeForm{
          0.0, 0.0, {{1.0, angle->c1, angle->c0 + (n.name == "COS" ? 0.5 * std::numbers::pi : 0.0)}}, {}};
    }
    const bool shf = n.name == "SHF";
    if (!shf && n.name != "STEP") return std::nullopt;
    for (std::size_t k = 1; k < n.children.size(); ++k)
      if (!e_.constant(n.children[k])) return std::nullopt;
    const auto a = [&](std::size_t k) { return e_.value(n.children[k], 0.0); };
    if (shf) {
      const auto x = of(n.children[0]);
      if (!x || !x->straight()) return std::nullopt;
      return TimeForm{a(5), 0.0, {{a(2), a(3) * x->c1, a(3) * (x->c0 - a(1)) - a(4)}}, {}};
    }
    if (e_.node(n.children[0]).kind != AdmExpression::Kind::Time || !(a(3) > a(1))) return std::nullopt;
    return TimeForm{a(2), 0.0, {}, {{a(4) - a(2), a(1), a(3)}}};
  }
  const AdmExpression& e_;
};

/// The integral from the value `start` on; none where it has no such form.
std::optional<TimeForm> integrated(const TimeForm& f, double start) {
  if (f.c1 != 0.0 || !f.steps.empty()) return std::nullopt;
  TimeForm result{start, f.c0, {}, {}};
  for (const SinePart& s : f.sines) {
    result.sines.push_back({s.amplitude / s.rate, s.rate, s.phase - 0.5 * std::numbers::pi});
    result.c0 += s.amplitude / s.rate * std::cos(s.phase);
  }
  return result;
}

/// The form as a signal, in the units of the file; none when no signal is it exactly.
std::optional<Signal> exactSignal(const TimeForm& f, double far) {
  Signal signal;
  signal.offset = f.c0;
  if (f.straight() && f.c1 == 0.0) return signal;
  if (f.straight()) {
    signal.kind = Signal::Kind::Series;
    signal.times = {0.0, far};
    signal.values = {f.c0, f.c0 + f.c1 * far};
    signal.interpolation = Interpolation::Linear;
    return signal;
  }
  if (f.c1 != 0.0 || f.sines.size() + f.steps.size() != 1) return std::nullopt;
  if (!f.steps.empty()) {
    const StepPart& s = f.steps[0];
    signal.kind = Signal::Kind::Series;
    signal.times = {s.from, s.to};
    signal.values = {f.c0, f.c0 + s.rise};
    signal.interpolation = Interpolation::Cubic;
    return signal;
  }
  signal.kind = Signal::Kind::Sine;
  const SinePart s = f.sines[0];
  const bool backwards = s.rate < 0.0;  // sin(-x) = -sin(x)
  signal.amplitude = backwards ? -s.amplitude : s.amplitude;
  signal.frequency_Hz = std::abs(s.rate) / (2.0 * std::numbers::pi);
  signal.phase_rad = std::remainder(backwards ? -s.phase : s.phase, 2.0 * std::numbers::pi);
  return signal;
}

std::optional<Signal> exactSignalOf(const AdmExpression& e, int node, const AdmSignalUse& use) {
  std::optional<TimeForm> form = TimeForms(e).of(node);
  if (!form) return std::nullopt;
  // A sine that stands still is a constant, one of no height nothing.
  TimeForm f{form->c0, form->c1, {}, {}};
  for (const SinePart& s : form->sines)
    if (s.rate == 0.0)
      f.c0 += s.amplitude * std::sin(s.phase);
    else if (s.amplitude != 0.0)
      f.sines.push_back(s);
  for (const StepPart& s : form->steps)
    if (s.rise != 0.0) f.steps.push_back(s);
  form = f;
  if (use.order == 2) form = integrated(*form, use.startRate);
  if (form && use.order >= 1) form = integrated(*form, use.start);
  return form ? exactSignal(*form, kFar / use.timeUnit) : std::nullopt;
}

/// Samples of a function, or of its integrals, from before the start to behind the end; units of the file.
class Samples {
 public:
  Samples(const AdmExpression& e, int node, const AdmSignalUse& use, double step, int count)
      : e_(e), node_(node), use_(use), step_(step), count_(count) {}

  std::optional<std::vector<double>> values(std::string& defect) const {
    std::vector<double> after{use_.order == 0 ? at(0.0) : use_.start}, before;
    if (!walk(1.0, count_, after) || !std::isfinite(after[0])) {
      defect = fmt::format("its function has no value at {:g} (of time units)",
                           step_ * static_cast<double>(after.size() - 1));
      return std::nullopt;
    }
    before = {after[0]};
    if (!walk(-1.0, kSamplesBefore, before)) {
      before = {after[0]};
      for (std::size_t k = 1; k <= kSamplesBefore; ++k) before.push_back(2.0 * after[0] - after[k]);
    }
    std::vector<double> all(before.rbegin(), before.rend() - 1);
    all.insert(all.end(), after.begin(), after.end());
    return all;
  }

 private:
  double at(double time) const { return e_.value(node_, time); }
  /// Appends samples from the start on, forwards or backwards. False: one has no value.
  bool walk(double sense, int count, std::vector<double>& values) const {
    const double h = sense * step_;
    double q = use_.start, v = use_.startRate;
    for (int k = 0; k < count; ++k) {
      const double t = h * static_cast<double>(k);
      if (use_.order == 0) {
        q = at(t + h);
      } else {
        const double a = at(t), b = at(t + 0.5 * h), c = at(t + h);
        const double integral = h / 6.0 * (a + 4.0 * b + c);
        q += use_.order == 1 ? integral : h * v + h * h / 6.0 * (a + 2.0 * b);
        v += integral;
      }
      values.push_back(q);
      if (!std::isfinite(q)) return false;
    }
    return true;
  }

  const AdmExpression& e_;
  int node_;
  const AdmSignalUse& use_;
  double step_;
  int count_;
};

/// Where a function jumps: what lies between two samples does not become less when they come nearer.
std::vector<AdmSignal::Jump> jumpsOf(const AdmExpression& e, int node, double step, int count) {
  constexpr int kHalvings = 20;
  constexpr double kLeft = 0.5;  // of the difference, when it is a jump
  const auto at = [&](double t) { return e.value(node, t); };
  std::vector<AdmSignal::Jump> jumps;
  std::vector<double> f;
  for (int k = 0; k <= count; ++k) f.push_back(at(step * k));
  for (int k = 0; k < count; ++k) {
    const double rise = f[static_cast<std::size_t>(k) + 1] - f[static_cast<std::size_t>(k)];
    double from = step * k, to = step * (k + 1), low = f[static_cast<std::size_t>(k)], high = low + rise;
    for (int i = 0; i < kHalvings && std::abs(high - low) > kLeft * std::abs(rise); ++i) {
      const double middle = 0.5 * (from + to), value = at(middle);
      const bool before = std::abs(value - low) > std::abs(high - value);
      (before ? to : from) = middle;
      (before ? high : low) = value;
    }
    const double scale = std::max(std::abs(low), std::abs(high));
    if (std::abs(high - low) > std::max(kLeft * std::abs(rise), 1e-9 * scale))
      jumps.push_back({to, high - low});
  }
  return jumps;
}

}  // namespace

std::optional<AdmSignal> admSignal(const AdmExpression& e, int node, const AdmSignalUse& use,
                                   std::string& defect) {
  AdmSignal result;
  const double u = use.timeUnit;
  if (std::optional<Signal> exact = exactSignalOf(e, node, use)) {
    result.signal = std::move(*exact);
    result.signal.frequency_Hz /= u;
    for (double& t : result.signal.times) t *= u;
  } else {
    result.sampled = true;
    result.step = std::max(kSampleStep, use.duration / kMostSampledTimes);
    const int count = static_cast<int>(std::ceil(use.duration / result.step)) + kSamplesBefore;
    auto values = Samples(e, node, use, result.step / u, count).values(defect);
    if (!values) return std::nullopt;
    result.signal.kind = Signal::Kind::Series;
    if (use.order < 2) result.jumps = jumpsOf(e, node, result.step / u, count);
    for (AdmSignal::Jump& jump : result.jumps)
      jump = {jump.time * u, jump.height * use.scale / (use.order > 0 ? u : 1.0)};
    // Behind a jump a smooth curve would swing beyond.
    result.signal.interpolation = result.jumps.empty() ? Interpolation::Smooth : Interpolation::Cubic;
    for (std::size_t k = 0; k < values->size(); ++k)
      result.signal.times.push_back(result.step * (static_cast<double>(k) - kSamplesBefore));
    result.signal.values = std::move(*values);
  }
  Signal& s = result.signal;
  s.offset *= use.scale;
  s.amplitude *= use.scale;
  for (double& v : s.values) v *= use.scale;
  const auto finite = [](double x) { return std::isfinite(x); };
  if (finite(s.offset) && finite(s.amplitude) && finite(s.frequency_Hz) && finite(s.phase_rad) &&
      std::all_of(s.values.begin(), s.values.end(), finite) &&
      std::all_of(s.times.begin(), s.times.end(), finite))
    return result;
  defect = "its function has no finite value";
  return std::nullopt;
}

}  // namespace grashof::convert
