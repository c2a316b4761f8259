#include "tools/grashof/drawing/picture.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "engine/base/error.h"

namespace grashof {
namespace {

using Vec2 = Eigen::Vector2d;

constexpr int kFrames = 120;
constexpr double kPictureWidth = 960.0, kPictureHeight = 540.0, kBorder = 20.0;  // of the picture, px
constexpr double kAzimuth = 0.35, kElevation = 0.15;                             // of the viewer, rad

/// World to (right, up, away from the viewer).
Mat3 viewAxes() {
  const Vec3 away(std::sin(kAzimuth) * std::cos(kElevation), std::cos(kAzimuth) * std::cos(kElevation),
                  -std::sin(kElevation));
  const Vec3 right = away.cross(Vec3::UnitZ()).normalized();
  Mat3 m;
  m << right.transpose(), right.cross(away).transpose(), away.transpose();
  return m;
}

/// Points around a circle of `radius` about z at height `z`.
void addRing(double radius, double z, std::vector<Vec3>& points) {
  constexpr int kPoints = 16;
  for (int i = 0; i < kPoints; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kPoints;
    points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
  }
}

void addBall(const Vec3& radii, double z, std::vector<Vec3>& points) {
  for (int k = -3; k <= 3; ++k) {
    const double latitude = k * std::numbers::pi / 6.0;
    std::vector<Vec3> ring;
    addRing(std::cos(latitude), std::sin(latitude), ring);
    for (const Vec3& p : ring) points.push_back(p.cwiseProduct(radii) + z * Vec3::UnitZ());
  }
}

/// Points whose convex hull is the shape (for a mesh: its hull); none for what has no bounds.
std::vector<Vec3> pointsOf(const Shape& shape) {
  std::vector<Vec3> points;
  const double half = 0.5 * shape.length;
  switch (shape.type) {
    case ShapeType::Box:
      for (int corner = 0; corner < 8; ++corner)
        points.emplace_back(0.5 * shape.size.cwiseProduct(
                                      Vec3(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1)));
      break;
    case ShapeType::Sphere:
      addBall(Vec3::Constant(shape.radius), 0.0, points);
      break;
    case ShapeType::Ellipsoid:
      addBall(shape.size, 0.0, points);
      break;
    case ShapeType::Capsule:
      addBall(Vec3::Constant(shape.radius), half, points);
      addBall(Vec3::Constant(shape.radius), -half, points);
      break;
    case ShapeType::Cylinder:
      addRing(shape.radius, half, points);
      addRing(shape.radius, -half, points);
      break;
    case ShapeType::Cone:
      addRing(shape.radius, -half, points);
      points.emplace_back(0.0, 0.0, half);
      break;
    case ShapeType::Hull:
    case ShapeType::Mesh:
      points = shape.mesh->vertices;
      break;
    case ShapeType::Plane:
    case ShapeType::HeightField:
      break;
  }
  return points;
}

/// Convex hull, counter-clockwise (Andrew's monotone chain).
std::vector<Vec2> hullOf(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  std::vector<Vec2> hull;
  const auto turn = [](const Vec2& a, const Vec2& b, const Vec2& c) {
    return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
  };
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const Vec2& p : points) {
      while (hull.size() >= start + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0.0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

}  // namespace

Picture::Picture(const Model& model, double duration) : model_(model), interval_(duration / kFrames) {
  for (std::size_t s = 0; s < model.shapes.size(); ++s) {
    Outline outline;
    outline.shape = static_cast<int>(s);
    outline.points = pointsOf(model.shapes[s]);
    if (!outline.points.empty()) outlines_.push_back(std::move(outline));
  }
  joints_.resize(model.joints.size());
}

void Picture::observe(const Simulator& simulator) {
  const double time = simulator.state().time;
  if (time < next_ - 1e-9) return;
  next_ += interval_;
  static const Mat3 view = viewAxes();
  const auto poseOf = [&](int body) { return body < 0 ? Pose{} : simulator.state().poses[body]; };
  for (Outline& outline : outlines_) {
    const Shape& shape = model_.shapes[outline.shape];
    const Pose pose = poseOf(shape.body) * shape.pose;
    std::vector<Vec2> points;
    points.reserve(outline.points.size());
    for (const Vec3& p : outline.points) points.emplace_back((view * (pose * p)).head<2>());
    if (outline.frames.empty()) outline.depth = (view * pose.position)[2];
    outline.frames.push_back(hullOf(std::move(points)));
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = model_.joints[j];
    const Vec3 point = poseOf(joint.follower) * joint.followerFrame.position;
    joints_[j].emplace_back((view * point).head<2>());
  }
}

namespace {

/// From metres to pixels, so that all that is drawn fits the picture.
class Scale {
 public:
  void include(const Vec2& p) {
    low_ = low_.cwiseMin(p);
    high_ = high_.cwiseMax(p);
  }
  /// "x,y" of a point in px. Call after all points are included.
  std::string pixel(const Vec2& p) const {
    const bool empty = low_.x() > high_.x();
    const Vec2 low = empty ? Vec2(Vec2::Zero()) : low_, high = empty ? Vec2(Vec2::Ones()) : high_;
    const Vec2 span = (high - low).cwiseMax(1e-3), middle = 0.5 * (low + high);
    const double scale =
        std::min((kPictureWidth - 2.0 * kBorder) / span.x(), (kPictureHeight - 2.0 * kBorder) / span.y());
    return fmt::format("{:.1f},{:.1f}", 0.5 * kPictureWidth + scale * (p.x() - middle.x()),
                       0.5 * kPictureHeight - scale * (p.y() - middle.y()));
  }

 private:
  Vec2 low_ = Vec2::Constant(1e300), high_ = Vec2::Constant(-1e300);
};

/// An attribute that goes through `values`, separated by semicolons, in `length` s, again and again.
void animate(std::ostream& out, const char* attribute, double length, const std::string& values) {
  fmt::print(out, "<animate attributeName=\"{}\" dur=\"{:.3f}s\" repeatCount=\"indefinite\" values=\"{}\"/>",
             attribute, length, values);
}

/// A polygon that changes from frame to frame. `length`: of the film, s; 0: it stands still.
void drawOutline(std::ostream& out, const std::vector<std::vector<Vec2>>& frames, const char* colour,
                 const Scale& scale, double length) {
  // All frames need the same number of points: the last is repeated.
  std::size_t corners = 0;
  for (const auto& frame : frames) corners = std::max(corners, frame.size());
  std::string values, first;
  for (const auto& frame : frames) {
    std::string points;
    for (std::size_t i = 0; i < corners; ++i)
      points += (i ? " " : "") + scale.pixel(frame[std::min(i, frame.size() - 1)]);
    if (first.empty()) first = points;
    values += (values.empty() ? "" : ";") + points;
  }
  fmt::print(out, "<polygon fill=\"{}\" points=\"{}\">", colour, first);
  if (length > 0.0) animate(out, "points", length, values);
  fmt::print(out, "</polygon>\n");
}

/// A dot that goes along `track`. `length`: of the film, s; 0: it stands still.
void drawJoint(std::ostream& out, const std::vector<Vec2>& track, const Scale& scale, double length) {
  if (track.empty()) return;
  std::string xs, ys;
  for (const Vec2& p : track) {
    const std::string at = scale.pixel(p);
    const auto comma = at.find(',');
    xs += (xs.empty() ? "" : ";") + at.substr(0, comma);
    ys += (ys.empty() ? "" : ";") + at.substr(comma + 1);
  }
  fmt::print(out, "<circle r=\"2.5\" cx=\"{}\" cy=\"{}\">", xs.substr(0, xs.find(';')),
             ys.substr(0, ys.find(';')));
  if (length > 0.0) {
    animate(out, "cx", length, xs);
    animate(out, "cy", length, ys);
  }
  fmt::print(out, "</circle>\n");
}

}  // namespace

std::string Picture::svg() const {
  Scale scale;
  std::size_t frames = 0;
  for (const Outline& outline : outlines_) {
    frames = outline.frames.size();
    for (const auto& frame : outline.frames)
      for (const Vec2& p : frame) scale.include(p);
  }
  for (const auto& track : joints_) {
    frames = std::max(frames, track.size());
    for (const Vec2& p : track) scale.include(p);
  }
  const double length = frames > 1 ? interval_ * static_cast<double>(frames) : 0.0;

  std::ostringstream out;
  fmt::print(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:g} {:g}\">\n<title>{}</title>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#f7f5f0\"/>\n"
             "<g stroke=\"#333\" stroke-width=\"1\" stroke-linejoin=\"round\" fill-opacity=\"0.85\">\n",
             kPictureWidth, kPictureHeight, "simulated with Grashof");
  std::vector<const Outline*> order;  // the farthest first
  for (const Outline& outline : outlines_) order.push_back(&outline);
  std::stable_sort(order.begin(), order.end(),
                   [](const Outline* a, const Outline* b) { return a->depth > b->depth; });
  static constexpr std::array<const char*, 8> kColours = {"#4e79a7", "#f28e2b", "#76b7b2", "#e15759",
                                                          "#59a14f", "#edc948", "#b07aa1", "#9c755f"};
  for (const Outline* outline : order) {
    const int body = model_.shapes[outline->shape].body;
    const char* colour = body < 0 ? "#bbb" : kColours[static_cast<std::size_t>(body) % kColours.size()];
    drawOutline(out, outline->frames, colour, scale, body < 0 ? 0.0 : length);
  }
  fmt::print(out, "</g>\n<g fill=\"#fff\" stroke=\"#333\">\n");
  for (const auto& track : joints_) drawJoint(out, track, scale, length);
  fmt::print(out, "</g>\n</svg>\n");
  return std::move(out).str();
}

void Picture::write(const std::string& path) const {
  std::ofstream out(path);
  out << svg();
  if (!out.flush()) throw FileError(path, "cannot be written (is the disk full?)");
}

}  // namespace grashof
