#include "engine/study/path.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/expression.h"
#include "engine/base/input_file.h"
#include "engine/base/spelling.h"
#include "engine/model/user_frames.h"
#include "joints/joint_type.h"

namespace grashof::study {
namespace {

constexpr std::uintmax_t kLargestPoints = std::uintmax_t{16} << 20;
constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();

/// The numbers of a text in which blanks and `separator` part them; nothing unless all are numbers.
std::optional<std::vector<double>> pointNumbers(std::string text, char separator) {
  for (char& c : text)
    if (c == separator || c == '\t' || c == '\r') c = ' ';
  std::vector<double> numbers;
  for (const std::string_view item : splitItems(text)) {
    const Evaluation value = evaluate(item, [](std::string_view) { return std::nullopt; });
    if (!value.defect.empty()) return std::nullopt;
    numbers.push_back(value.value);
  }
  return numbers;
}

double distanceToSegment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double square = along.squaredNorm();
  const double share = square > 0.0 ? std::clamp((p - a).dot(along) / square, 0.0, 1.0) : 0.0;
  return (p - a - share * along).norm();
}

/// The distance of a target from the path.
double missOfOne(const std::vector<Vec3>& points, const std::vector<double>& times,
                 const PathTarget& target) {
  if (target.time) {
    const auto after =
        static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), *target.time) - times.begin());
    if (after == 0) return (points.front() - target.point).norm();
    if (after == times.size()) return (points.back() - target.point).norm();
    const double share = (*target.time - times[after - 1]) / (times[after] - times[after - 1]);
    return (points[after - 1] + share * (points[after] - points[after - 1]) - target.point).norm();
  }
  double least = (points.front() - target.point).norm();
  for (std::size_t i = 1; i < points.size(); ++i)
    least = std::min(least, distanceToSegment(target.point, points[i - 1], points[i]));
  return least;
}

}  // namespace

std::vector<PathTarget> parseTargets(std::string_view text) {
  std::vector<PathTarget> targets;
  while (!text.empty()) {
    const auto end = std::min(text.find(';'), text.size());
    const std::string one(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto numbers = pointNumbers(one, ',');
    if (!numbers || (numbers->size() != 3 && numbers->size() != 4))
      throw InputError(fmt::format("target '{}': needs x y z in m, or t x y z with a time in s", one));
    PathTarget target;
    const std::size_t first = numbers->size() - 3;
    for (std::size_t i = 0; i < 3; ++i) target.point[static_cast<Eigen::Index>(i)] = (*numbers)[first + i];
    if (first == 1) target.time = numbers->front();
    targets.push_back(target);
  }
  if (targets.empty()) throw InputError("there is no target point (as in miss:coupler@0.1 0 0.2; 0.2 0 0.2)");
  return targets;
}

std::vector<std::vector<double>> readPoints(const std::string& path, const std::vector<std::size_t>& counts,
                                            const std::string& wanted) {
  const std::string text = readInputFile(path, kLargestPoints, wanted);
  std::vector<std::vector<double>> rows;
  int line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string one = text.substr(at, end - at);
    at = end + 1;
    ++line;
    if (one.find_first_not_of(" \t\r") == std::string::npos || one[0] == '#') continue;
    const auto numbers = pointNumbers(one, ',');
    if (!numbers && line == 1) continue;  // headings
    const bool fits = numbers && std::find(counts.begin(), counts.end(), numbers->size()) != counts.end() &&
                      (rows.empty() || numbers->size() == rows.front().size());
    if (!fits)
      throw InputError(std::vector<Diagnostic>{
          {path, line, {}, fmt::format("'{}' is no point (needs {}, alike in all lines)", one, wanted)}});
    rows.push_back(*numbers);
  }
  if (rows.empty()) throw InputError(fmt::format("{}: has no points (needs {})", path, wanted));
  return rows;
}

std::string readTargets(const std::string& path) {
  std::string text;
  for (const std::vector<double>& row :
       readPoints(path, {2, 3, 4}, "a CSV file of points: x,z or x,y,z in m, or t,x,y,z with a time in s")) {
    if (!text.empty()) text += "; ";
    text += row.size() == 2 ? fmt::format("{} 0 {}", row[0], row[1]) : fmt::format("{}", fmt::join(row, " "));
  }
  return text;
}

std::function<Vec3(const Simulator&)> findBodyPoint(const Model& model, const std::string& text) {
  const auto colon = text.rfind(':');
  const int body = model.findBody(text.substr(0, colon));
  if (body < 0) {
    std::vector<std::string> names;
    for (const Body& b : model.bodies) names.push_back(b.name);
    const std::string near = closest(text.substr(0, colon), names);
    throw InputError(fmt::format("'{}': there is no such body ({})", text,
                                 near.empty() ? "as in coupler:0.1,0,0.2" : "did you mean " + near + "?"));
  }
  Vec3 local = Vec3::Zero();
  if (colon != std::string::npos) {
    const auto numbers = pointNumbers(text.substr(colon + 1), ',');
    if (!numbers || numbers->size() != 3)
      throw InputError(fmt::format("'{}': needs three coordinates in m (as in coupler:0.1,0,0.2)", text));
    local = Vec3((*numbers)[0], (*numbers)[1], (*numbers)[2]);
  }
  return [body, local](const Simulator& s) -> Vec3 { return userPose(s.model(), s.state(), body) * local; };
}

std::function<double(const Simulator&)> findTransmission(const Model& model, const std::string& text) {
  std::array<int, 3> joints{};
  std::string_view rest = text;
  for (int& joint : joints) {
    const auto end = std::min(rest.find(','), rest.size());
    const std::string name(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    joint = model.findJoint(name);
    if (joint < 0)
      throw InputError(
          fmt::format("'{}': there is no joint '{}' (needs three joints: crank to coupler, coupler "
                      "to rocker, rocker to frame, as in transmission:B,C,D)",
                      text, name));
  }
  if (!rest.empty()) throw InputError(fmt::format("'{}': needs three joints, no more", text));
  return [joints](const Simulator& s) {
    std::array<Vec3, 3> p;
    for (std::size_t i = 0; i < 3; ++i) {
      const Joint& j = s.model().joints[static_cast<std::size_t>(joints[i])];
      const Pose base = j.base < 0 ? Pose{} : s.state().poses[static_cast<std::size_t>(j.base)];
      p[i] = jointFrames(j, base, s.state().poses[static_cast<std::size_t>(j.follower)]).basePoint;
    }
    const Vec3 a = p[0] - p[1], b = p[2] - p[1];
    const double angle = std::atan2(a.cross(b).norm(), a.dot(b));
    return std::min(angle, std::numbers::pi - angle);
  };
}

double LineFit::straightness() const { return length > 0.0 ? deviation / length : kNowhere; }

LineFit fitLine(const std::vector<Vec3>& points) {
  LineFit fit;
  if (points.empty()) return fit;
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p;
  mean /= static_cast<double>(points.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : points) spread += (p - mean) * (p - mean).transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(spread);  // the largest last
  const Mat3& axes = principal.eigenvectors();
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
  for (const Vec3& p : points) {
    const Vec3 x = axes.transpose() * (p - mean);
    lower = lower.cwiseMin(x);
    upper = upper.cwiseMax(x);
  }
  fit.length = upper[2] - lower[2];
  const Vec3 middle = 0.5 * (lower + upper);
  for (const Vec3& p : points) {
    const Vec3 x = axes.transpose() * (p - mean) - middle;
    fit.deviation = std::max(fit.deviation, std::hypot(x[0], x[1]));
  }
  return fit;
}

double missOf(const std::vector<Vec3>& points, const std::vector<double>& times,
              const std::vector<PathTarget>& targets) {
  if (points.empty() || targets.empty()) return kNowhere;
  double sum = 0.0;
  for (const PathTarget& target : targets) {
    const double miss = missOfOne(points, times, target);
    sum += miss * miss;
  }
  return std::sqrt(sum / static_cast<double>(targets.size()));
}

}  // namespace grashof::study
