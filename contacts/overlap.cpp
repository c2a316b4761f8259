#include "contacts/overlap.h"

#include <algorithm>
#include <limits>

namespace grashof {
namespace {

constexpr int kMostVertices = 96;
constexpr int kMostFaces = 2 * kMostVertices;
constexpr double kWithoutVolume = 1e-9;  // of the size: height of a tetrahedron without volume
constexpr double kSmooth = 0.02;         // of the size: how far C may reach beyond a face that is polished
constexpr double kSameRegion = 0.8;      // cosine between a face's normal and that of the extremum near it

/// A polytope inside C that grows towards its surface where the origin is nearest to it (the expanding
/// polytope algorithm [Bergen 2001]). It differs in two things: it may begin anywhere, as faces are
/// ordered by signed distances, and from faces that are near the surface Newton's method looks for the
/// extremum, which gives it exactly and leaves nothing to expand there.
class ExpandingPolytope {
 public:
  explicit ExpandingPolytope(const MinkowskiDifference& c) : c_(c) {}
  Extremum deepest(const Vec3& hint);

 private:
  struct Face {
    Vec3 n;               // unit, inward
    double offset = 0.0;  // n·z on the face
    int corners[3] = {};  // so that n points to the side from which they turn clockwise
    bool settled = false;
  };
  bool begin(const Vec3& hint);
  bool beginFlat(const Vec3& n);
  void addFace(int i, int j, int k);
  int addVertex(const DifferencePoint& point);
  bool expand(const DifferencePoint& point);
  Simplex nearest(const Face& face) const;
  void take(const Extremum& found) {
    if (found.separation > best_.separation) best_ = found;
  }
  int topFace() const;

  const MinkowskiDifference& c_;
  DifferencePoint vertices_[kMostVertices];
  Vec3 z_[kMostVertices];
  Face faces_[kMostFaces];
  int numVertices_ = 0, numFaces_ = 0;
  Vec3 inside_ = Vec3::Zero();
  // The best extremum that Newton's method has found, and the best normal of a face where it found none: its
  // separation is right, its points are near.
  Extremum best_{Vec3::UnitZ(), -std::numeric_limits<double>::infinity(), Vec3::Zero(), Vec3::Zero()};
  Extremum rough_ = best_;
};

int ExpandingPolytope::addVertex(const DifferencePoint& point) {
  vertices_[numVertices_] = point;
  z_[numVertices_] = point.z();
  return numVertices_++;
}

void ExpandingPolytope::addFace(int i, int j, int k) {
  Face& face = faces_[numFaces_++];
  const Vec3 cross = (z_[j] - z_[i]).cross(z_[k] - z_[i]);
  const double area = cross.norm();
  face.corners[0] = i, face.corners[1] = j, face.corners[2] = k;
  if (area > 1e-30) {
    face.n = -cross / area;
    face.offset = face.n.dot(z_[i]);
    face.settled = false;
  } else {
    face.n = Vec3::Zero();  // without area; seen from nowhere
    face.offset = -std::numeric_limits<double>::infinity();
    face.settled = true;
  }
}

/// C has no volume, and is as thin as can be along n: that is the answer.
bool ExpandingPolytope::beginFlat(const Vec3& n) {
  const DifferencePoint p = c_.lowest(n);
  best_ = {n, n.dot(p.z()), p.onA, p.onB};
  return false;
}

/// Makes a tetrahedron of points of C. Returns false if C is flat.
bool ExpandingPolytope::begin(const Vec3& hint) {
  const Vec3 e = hint.normalized();
  addVertex(c_.lowest(e));
  addVertex(c_.lowest(-e));
  Vec3 line = z_[1] - z_[0];
  const double least = kWithoutVolume * c_.size();
  if (line.norm() <= least) line = e;
  const Vec3 across = line.unitOrthogonal(), over = line.cross(across).normalized();
  // Of several directions the one whose point is farthest from what is there.
  const auto farthest = [&](std::initializer_list<Vec3> directions, const auto& measure) {
    double most = -1.0;
    DifferencePoint found{};
    for (const Vec3& d : directions) {
      const DifferencePoint p = c_.lowest(d);
      const double m = measure(p.z() - z_[0]);
      if (m > most) most = m, found = p;
    }
    addVertex(found);
    return most;
  };
  const Vec3 unit = line.normalized();
  const double width = farthest({across, over, Vec3(-across), Vec3(-over)},
                                [&](const Vec3& d) { return d.cross(unit).norm(); });
  if (width <= least) return beginFlat(across);
  const Vec3 normal = (z_[1] - z_[0]).cross(z_[2] - z_[0]).normalized();
  const double height =
      farthest({normal, Vec3(-normal)}, [&](const Vec3& d) { return std::abs(normal.dot(d)); });
  if (height <= least) return beginFlat(normal.dot(c_.between()) < 0.0 ? Vec3(-normal) : normal);
  inside_ = 0.25 * (z_[0] + z_[1] + z_[2] + z_[3]);
  const bool turned = normal.dot(z_[3] - z_[0]) > 0.0;
  const int i = turned ? 1 : 0, j = turned ? 0 : 1;
  addFace(i, j, 2), addFace(j, i, 3), addFace(2, j, 3), addFace(i, 2, 3);
  return true;
}

/// Adds a point outside of the polytope. Returns false if rounding keeps it inside, or if there is no room.
bool ExpandingPolytope::expand(const DifferencePoint& point) {
  if (numVertices_ == kMostVertices) return false;
  const Vec3 z = point.z();
  struct Edge {
    int from, to;
  } rim[kMostFaces];
  int numRim = 0;
  int kept = 0;
  Face before[kMostFaces];
  const int numBefore = numFaces_;
  std::copy(faces_, faces_ + numFaces_, before);
  for (int f = 0; f < numBefore; ++f) {
    const Face& face = before[f];
    if (!(face.n.dot(z) < face.offset - 1e-3 * c_.rounding())) {
      faces_[kept++] = face;
      continue;
    }
    for (int e = 0; e < 3; ++e) {
      const Edge edge{face.corners[e], face.corners[(e + 1) % 3]};
      const auto twin = std::find_if(rim, rim + numRim, [&](const Edge& other) {
        return other.from == edge.to && other.to == edge.from;
      });
      if (twin != rim + numRim)
        *twin = rim[--numRim];
      else if (numRim < kMostFaces)
        rim[numRim++] = edge;
    }
  }
  if (kept == numBefore || kept + numRim > kMostFaces) {
    std::copy(before, before + numBefore, faces_);
    return false;
  }
  numFaces_ = kept;
  const int v = addVertex(point);
  for (int e = 0; e < numRim; ++e) addFace(rim[e].from, rim[e].to, v);
  return true;
}

/// The corners of a face with the weights of the foot of the origin on its plane.
Simplex ExpandingPolytope::nearest(const Face& face) const {
  const Vec3 foot = face.offset * face.n;
  const Vec3* z[3] = {&z_[face.corners[0]], &z_[face.corners[1]], &z_[face.corners[2]]};
  Simplex simplex;
  simplex.count = 3;
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    simplex.points[i] = vertices_[face.corners[i]];
    const Vec3 &p = *z[(i + 1) % 3], &q = *z[(i + 2) % 3];
    simplex.weights[i] = std::max(-face.n.dot((p - foot).cross(q - foot)), 0.0);
    sum += simplex.weights[i];
  }
  for (double& w : simplex.weights) w = sum > 0.0 ? w / sum : 1.0 / 3.0;
  return simplex;
}

/// The face that is left to look at and bounds the separation least; -1: none.
int ExpandingPolytope::topFace() const {
  int top = -1;
  for (int f = 0; f < numFaces_; ++f)
    if (!faces_[f].settled && (top < 0 || faces_[f].offset > faces_[top].offset)) top = f;
  return top;
}

Extremum ExpandingPolytope::deepest(const Vec3& hint) {
  if (!begin(hint)) return best_;
  for (;;) {
    const int top = topFace();
    if (top < 0 || faces_[top].offset <= best_.separation + 10.0 * c_.rounding())
      return rough_.separation > best_.separation + 10.0 * c_.rounding() ? rough_ : best_;
    Face& face = faces_[top];
    const DifferencePoint point = c_.lowest(face.n);
    const double separation = face.n.dot(point.z());
    const double beyond = face.offset - separation;
    const Simplex simplex = nearest(face);
    if (beyond < kSmooth * c_.size()) {
      if (const auto found = c_.polish(simplex, face.n)) {
        take(*found);
        if (found->n.dot(face.n) > kSameRegion) {
          face.settled = true;  // nothing else is near that face
          continue;
        }
      }
    }
    if (separation > rough_.separation) {
      const Vec3 onA = simplex.onA();
      rough_ = {face.n, separation, onA, onA + separation * face.n};
    }
    if (beyond <= c_.rounding() || !expand(point)) face.settled = true;
  }
}

}  // namespace

Extremum deepest(const MinkowskiDifference& c, const Vec3& hint) {
  return ExpandingPolytope(c).deepest(hint);
}

}  // namespace grashof
