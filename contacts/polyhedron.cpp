#include "contacts/polyhedron.h"

#include <algorithm>
#include <limits>
#include <map>

namespace grashof {
namespace {

constexpr double kParallel = 1e-9;        // squared sine below which edges count as parallel
constexpr double kSameDirection = 1e-6;   // squared sine below which an edge has a given direction
constexpr double kTie = 1e-5;             // of a manifold's extent: what counts as equal when it is reduced
constexpr double kFacePreference = 1e-6;  // m an edge axis must separate better by than the best face
constexpr double kDeeper = 1e-6;          // m below a manifold from which a vertex is missing in it
constexpr double kNearFace = 0.999;       // cosine above which an edge axis is nearly a face's normal
constexpr double kNearby = 1e-5;          // m, and
constexpr double kAlike = 0.1;            // part of a depth by which two count as the same
constexpr double kOnSide = 1e-9;          // m from a side of a face within which a vertex is on it
constexpr double kOnePoint = 1e-6;        // m
constexpr double kOnEdge = 1e-8;          // m by which the ends of an edge may differ in height

double lowest(const std::vector<Vec3>& points, const Vec3& n) {
  double d = std::numeric_limits<double>::infinity();
  for (const Vec3& p : points) d = std::min(d, n.dot(p));
  return d;
}

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
};
Extent extent(const std::vector<Vec3>& points, const Vec3& n) {
  Extent e;
  for (const Vec3& p : points) {
    const double d = n.dot(p);
    e.low = std::min(e.low, d);
    e.high = std::max(e.high, d);
  }
  return e;
}

/// Both polyhedra in the world: vertices in the workspace, rotations here.
struct PlacedPair {
  const Polyhedron &a, &b;
  Mat3 rotationA, rotationB;
};

PlacedPair placePair(const Polyhedron& a, const Pose& poseA, const Polyhedron& b, const Pose& poseB,
                     ManifoldWorkspace& work) {
  PlacedPair pair{a, b, poseA.rotation.toRotationMatrix(), poseB.rotation.toRotationMatrix()};
  work.verticesA.clear();
  work.verticesB.clear();
  for (const Vec3& v : a.vertices) work.verticesA.push_back(pair.rotationA * v + poseA.position);
  for (const Vec3& v : b.vertices) work.verticesB.push_back(pair.rotationB * v + poseB.position);
  return pair;
}

struct FaceAxis {
  double separation = -std::numeric_limits<double>::infinity();
  int face = -1;
  Vec3 normal = Vec3::Zero();
};

/// The face of `a` that separates best from the vertices of `b` (in the world).
FaceAxis bestFaceAxis(const Polyhedron& a, const Mat3& rotation, const Vec3& position,
                      const std::vector<Vec3>& verticesB) {
  FaceAxis best;
  for (std::size_t f = 0; f < a.faces.size(); ++f) {
    const Vec3 n = rotation * a.faces[f].normal;
    const double separation = lowest(verticesB, n) - (a.faces[f].offset + n.dot(position));
    if (separation > best.separation) best = {separation, static_cast<int>(f), n};
  }
  return best;
}

struct EdgeAxis {
  double separation = -std::numeric_limits<double>::infinity();
  Vec3 normal = Vec3::Zero();                       // from A to B
  Vec3 edgeA = Vec3::Zero(), edgeB = Vec3::Zero();  // directions of the edges
};

/// The axis across an edge of each polyhedron that separates them best.
EdgeAxis bestEdgeAxis(const PlacedPair& pair, const ManifoldWorkspace& work) {
  EdgeAxis best;
  for (const Vec3& da : pair.a.edgeDirections) {
    const Vec3 ea = pair.rotationA * da;
    for (const Vec3& db : pair.b.edgeDirections) {
      const Vec3 eb = pair.rotationB * db;
      Vec3 n = ea.cross(eb);
      const double sine2 = n.squaredNorm();
      if (sine2 < kParallel) continue;
      n /= std::sqrt(sine2);
      const Extent along = extent(work.verticesA, n), other = extent(work.verticesB, n);
      const double ahead = other.low - along.high, behind = along.low - other.high;
      if (behind > ahead) n = -n;
      const double separation = std::max(ahead, behind);
      if (separation > best.separation) best = {separation, n, ea, eb};
    }
  }
  return best;
}

/// Of the edges parallel to `direction` the one that lies farthest along n.
Polyhedron::Edge supportEdge(const Polyhedron& p, const std::vector<Vec3>& vertices, const Vec3& direction,
                             const Vec3& n) {
  double best = -std::numeric_limits<double>::infinity();
  Polyhedron::Edge found{0, 0};
  for (const auto& edge : p.edges) {
    const Vec3 e = vertices[edge.to] - vertices[edge.from];
    if (e.cross(direction).squaredNorm() > kSameDirection * e.squaredNorm()) continue;
    const double d = n.dot(vertices[edge.from] + vertices[edge.to]);
    if (d > best) best = d, found = edge;
  }
  return found;
}

/// The contact of two edges: midway between the closest points p + s d1 and q + t d2 of the two lines, where
/// the derivatives of the squared distance vanish: aa s - bb t = -dd, bb s - cc t = -ee.
ManifoldPoint edgeContact(const PlacedPair& pair, const EdgeAxis& axis, const ManifoldWorkspace& work) {
  const auto sa = supportEdge(pair.a, work.verticesA, axis.edgeA, axis.normal);
  const auto sb = supportEdge(pair.b, work.verticesB, axis.edgeB, -axis.normal);
  const Vec3 p = work.verticesA[sa.from], q = work.verticesB[sb.from];
  const Vec3 d1 = work.verticesA[sa.to] - p, d2 = work.verticesB[sb.to] - q, r = p - q;
  const double aa = d1.dot(d1), bb = d1.dot(d2), cc = d2.dot(d2), dd = d1.dot(r), ee = d2.dot(r);
  const double det = aa * cc - bb * bb;
  const double s = det > 0.0 ? std::clamp((bb * ee - cc * dd) / det, 0.0, 1.0) : 0.5;
  const double t = cc > 0.0 ? std::clamp((bb * s + ee) / cc, 0.0, 1.0) : 0.5;
  const Vec3 pointA = p + s * d1, pointB = q + t * d2;
  return {0.5 * (pointA + pointB), axis.separation};
}

/// Part of the polygon `in` with n·x <= offset (Sutherland and Hodgman). Vertices on the plane are kept: of
/// boxes that end at one level, rounding would keep another one in every step.
void clipByPlane(const std::vector<Vec3>& in, const Vec3& n, double offset, std::vector<Vec3>& out) {
  out.clear();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Vec3& a = in[i];
    const Vec3& b = in[(i + 1) % in.size()];
    const double da = n.dot(a) - offset, db = n.dot(b) - offset;
    if (da <= kOnSide) out.push_back(a);
    if ((da < -kOnSide && db > kOnSide) || (da > kOnSide && db < -kOnSide))
      out.push_back(a + (b - a) * (da / (da - db)));
  }
}

/// True if `p` lies over or under the face, up to rounding. `n` is its normal in the world.
bool withinSides(const std::vector<int>& loop, const std::vector<Vec3>& vertices, const Vec3& n,
                 const Vec3& p) {
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec3& a = vertices[loop[i]];
    const Vec3 side = (vertices[loop[(i + 1) % loop.size()]] - a).cross(n);
    if (side.dot(p - a) > kDeeper * side.norm()) return false;
  }
  return true;
}

/// The vertex that lies lowest along n.
const Vec3& lowestVertex(const std::vector<Vec3>& vertices, const Vec3& n) {
  return *std::min_element(vertices.begin(), vertices.end(),
                           [&](const Vec3& a, const Vec3& b) { return n.dot(a) < n.dot(b); });
}

/// The least gap of a manifold.
double leastGap(const std::vector<ManifoldPoint>& points) {
  double least = std::numeric_limits<double>::infinity();
  for (const ManifoldPoint& p : points) least = std::min(least, p.gap);
  return least;
}

/// Clips the incident face of `other`, the one that looks most against the reference normal `n`, by the side
/// planes of the reference face. Appends what lies at most `margin` above it. The deepest vertex of `other`
/// need not be on its incident face: among many small faces the flattest one may be beside it. It is added
/// where it is over the reference face.
void clipToFace(const Polyhedron& reference, int face, const std::vector<Vec3>& referenceVertices,
                const Polyhedron& other, const Mat3& otherRotation, const std::vector<Vec3>& otherVertices,
                const Vec3& n, double margin, ManifoldWorkspace& work, std::vector<ManifoldPoint>& points) {
  double most = std::numeric_limits<double>::infinity();
  const Polyhedron::Face* incident = &other.faces.front();
  for (const auto& f : other.faces) {
    const double d = n.dot(otherRotation * f.normal);
    if (d < most) most = d, incident = &f;
  }
  work.polygon.clear();
  for (const int v : incident->loop) work.polygon.push_back(otherVertices[v]);
  const auto& loop = reference.faces[face].loop;
  for (std::size_t i = 0; i < loop.size() && !work.polygon.empty(); ++i) {
    const Vec3& a = referenceVertices[loop[i]];
    const Vec3& b = referenceVertices[loop[(i + 1) % loop.size()]];
    const Vec3 side = (b - a).cross(n).normalized();
    clipByPlane(work.polygon, side, side.dot(a), work.clipped);
    work.polygon.swap(work.clipped);
  }
  const double offset = n.dot(referenceVertices[loop[0]]);
  for (const Vec3& p : work.polygon) {
    const double gap = n.dot(p) - offset;
    if (gap > margin) continue;
    const Vec3 point = p - 0.5 * gap * n;
    const bool known = std::any_of(points.begin(), points.end(), [&](const ManifoldPoint& other) {
      return (other.point - point).squaredNorm() < kOnePoint * kOnePoint;
    });
    if (!known) points.push_back({point, gap});
  }
  const Vec3& deepest = lowestVertex(otherVertices, n);
  const double gap = n.dot(deepest) - offset;
  if (gap <= margin && gap < leastGap(points) - kDeeper && withinSides(loop, referenceVertices, n, deepest))
    points.push_back({deepest - 0.5 * gap * n, gap});
}

/// The face of `p` that looks most along n, in the axes of `p`.
int faceAlong(const Polyhedron& p, const Vec3& n) {
  std::size_t best = 0;
  for (std::size_t f = 1; f < p.faces.size(); ++f)
    if (n.dot(p.faces[f].normal) > n.dot(p.faces[best].normal)) best = f;
  return static_cast<int>(best);
}

/// Replaces an edge axis that is nearly the normal of a face by this face, whose manifold holds the edge by
/// both ends: where an edge lies along a face, the least tilt makes the edge axis the better one, whose
/// single point jumps from one end to the other. Returns false, without points, if there is no such face or
/// if what is over it reaches deeper than along the edge axis.
bool clipNearEdgeAxis(const PlacedPair& pair, const EdgeAxis& edge, double margin, ManifoldWorkspace& work,
                      Vec3& normal, std::vector<ManifoldPoint>& points) {
  const int faceA = faceAlong(pair.a, pair.rotationA.transpose() * edge.normal);
  const int faceB = faceAlong(pair.b, pair.rotationB.transpose() * -edge.normal);
  const Vec3 normalA = pair.rotationA * pair.a.faces[faceA].normal;
  const Vec3 normalB = pair.rotationB * pair.b.faces[faceB].normal;
  const double alongA = normalA.dot(edge.normal), alongB = -normalB.dot(edge.normal);
  if (std::max(alongA, alongB) < kNearFace) return false;
  if (alongA >= alongB) {
    normal = normalA;
    clipToFace(pair.a, faceA, work.verticesA, pair.b, pair.rotationB, work.verticesB, normalA, margin, work,
               points);
  } else {
    normal = -normalB;
    clipToFace(pair.b, faceB, work.verticesB, pair.a, pair.rotationA, work.verticesA, normalB, margin, work,
               points);
  }
  if (!points.empty() && leastGap(points) >= edge.separation - kAlike * std::abs(edge.separation) - kNearby)
    return true;
  points.clear();
  return false;
}

/// The vertices that lie farthest along n, up to rounding, if they are two.
struct LowEdge {
  const Vec3* ends[2] = {nullptr, nullptr};
  int count = 0;

  LowEdge(const std::vector<Vec3>& vertices, const Vec3& n) {
    const double low = lowest(vertices, -n);
    for (const Vec3& v : vertices) {
      if (-n.dot(v) > low + kOnEdge) continue;
      if (count < 2) ends[count] = &v;
      ++count;
    }
  }
};

/// Whether a face of `p` lies flat against the direction n (unit, in the axes of `p`).
bool facesAgainst(const Polyhedron& p, const Vec3& n) {
  return std::any_of(p.faces.begin(), p.faces.end(),
                     [&](const Polyhedron::Face& f) { return f.normal.dot(n) < -kNearFace; });
}

/// The mean of two face axes that separate equally well, where parallel edges meet; neither looks at a face
/// of the other polyhedron. Returns false, without points, if that is not so.
bool clipTie(const PlacedPair& pair, const FaceAxis& faceA, const FaceAxis& faceB,
             const ManifoldWorkspace& work, Vec3& normal, std::vector<ManifoldPoint>& points) {
  if (std::abs(faceA.separation - faceB.separation) > kFacePreference) return false;
  if (faceA.normal.dot(-faceB.normal) > kNearFace) return false;
  if (facesAgainst(pair.b, pair.rotationB.transpose() * faceA.normal) ||
      facesAgainst(pair.a, pair.rotationA.transpose() * faceB.normal))
    return false;
  const Vec3 sum = faceA.normal - faceB.normal;
  if (!(sum.squaredNorm() > 1.0) || !edgesAlong(work, sum.normalized(), points)) return false;
  normal = sum.normalized();
  return true;
}

/// A face in the making.
struct FacePlane {
  Vec3 normal;
  double offset;
  std::map<int, int> next;  // directed boundary edges
};

/// Joins triangles with the same plane along the edges they share.
std::vector<FacePlane> mergeCoplanar(const TriangleMesh& hull, double size) {
  std::vector<FacePlane> planes;
  for (const auto& t : hull.triangles) {
    const Vec3 &a = hull.vertices[t[0]], &b = hull.vertices[t[1]], &c = hull.vertices[t[2]];
    const Vec3 cross = (b - a).cross(c - a);
    if (cross.norm() < 1e-14 * size * size) continue;
    const Vec3 n = cross.normalized();
    const double offset = n.dot(a);
    auto plane = std::find_if(planes.begin(), planes.end(), [&](const FacePlane& q) {
      return q.normal.dot(n) > 1.0 - 1e-9 && std::abs(q.offset - offset) < 1e-7 * size;
    });
    if (plane == planes.end()) plane = planes.insert(planes.end(), FacePlane{n, offset, {}});
    for (int i = 0; i < 3; ++i) {
      const int from = t[i], to = t[(i + 1) % 3];
      const auto twin = plane->next.find(to);
      if (twin != plane->next.end() && twin->second == from)
        plane->next.erase(twin);
      else
        plane->next[from] = to;
    }
  }
  return planes;
}

/// The boundary of a face as a loop of vertices. @pre the face has a boundary
std::vector<int> boundaryOf(const FacePlane& plane) {
  std::vector<int> loop;
  int v = plane.next.begin()->first;
  const int start = v;
  do {
    loop.push_back(v);
    const auto at = plane.next.find(v);
    if (at == plane.next.end()) break;
    v = at->second;
  } while (v != start && loop.size() <= plane.next.size());
  return loop;
}

}  // namespace

Polyhedron makePolyhedron(const TriangleMesh& hull) {
  Polyhedron p;
  p.vertices = hull.vertices;
  for (const Vec3& v : p.vertices) p.center += v / static_cast<double>(p.vertices.size());
  double size = 0.0;
  for (const Vec3& v : p.vertices) size = std::max(size, (v - p.center).norm());
  std::map<std::pair<int, int>, int> seen;
  for (const FacePlane& plane : mergeCoplanar(hull, size)) {
    if (plane.next.empty()) continue;
    Polyhedron::Face face{boundaryOf(plane), plane.normal, plane.offset};
    for (std::size_t i = 0; i < face.loop.size(); ++i) {
      const auto key = std::minmax(face.loop[i], face.loop[(i + 1) % face.loop.size()]);
      if (seen[{key.first, key.second}]++ == 0) p.edges.push_back({key.first, key.second});
    }
    p.faces.push_back(std::move(face));
  }
  for (const auto& edge : p.edges) {
    const Vec3 e = (p.vertices[edge.to] - p.vertices[edge.from]).normalized();
    const bool known = std::any_of(p.edgeDirections.begin(), p.edgeDirections.end(),
                                   [&](const Vec3& d) { return d.cross(e).squaredNorm() < 1e-12; });
    if (!known) p.edgeDirections.push_back(e);
  }
  return p;
}

TriangleMesh boxSurface(const Vec3& size) {
  TriangleMesh m;
  for (int i = 0; i < 8; ++i)
    m.vertices.push_back(0.5 * Vec3((i & 1) ? size.x() : -size.x(), (i & 2) ? size.y() : -size.y(),
                                    (i & 4) ? size.z() : -size.z()));
  constexpr int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                               {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& q : quads) {
    m.triangles.push_back({q[0], q[1], q[2]});
    m.triangles.push_back({q[0], q[2], q[3]});
  }
  return m;
}

void setTriangle(const Vec3& a, const Vec3& b, const Vec3& c, Polyhedron& p) {
  p.vertices.assign({a, b, c});
  p.center = (a + b + c) / 3.0;
  const Vec3 n = (b - a).cross(c - a).normalized();
  p.faces.resize(2);
  p.faces[0].loop.assign({0, 1, 2});
  p.faces[1].loop.assign({0, 2, 1});
  p.faces[0].normal = n;
  p.faces[1].normal = -n;
  p.faces[0].offset = n.dot(a);
  p.faces[1].offset = -p.faces[0].offset;
  p.edges.assign({{0, 1}, {1, 2}, {2, 0}});
  p.edgeDirections.assign({(b - a).normalized(), (c - b).normalized(), (a - c).normalized()});
}

bool edgesAlong(const ManifoldWorkspace& work, const Vec3& n, std::vector<ManifoldPoint>& points) {
  const LowEdge a(work.verticesA, n), b(work.verticesB, -n);
  if (a.count != 2 || b.count != 2) return false;
  const Vec3 &a0 = *a.ends[0], &b0 = *b.ends[0];
  const Vec3 e = (*a.ends[1] - a0).normalized(), f = (*b.ends[1] - b0).normalized();
  if (e.cross(f).squaredNorm() > kParallel) return false;
  const auto [lowA, highA] = std::minmax({0.0, e.dot(*a.ends[1] - a0)});
  const auto [lowB, highB] = std::minmax({e.dot(b0 - a0), e.dot(*b.ends[1] - a0)});
  const double from = std::max(lowA, lowB), to = std::min(highA, highB);
  if (!(to > from)) return false;
  // Both lines, where they are `along` from the first end.
  const auto add = [&](double along) {
    const Vec3 onA = a0 + along * e, onB = b0 + (along - e.dot(b0 - a0)) * e;
    points.push_back({0.5 * (onA + onB), n.dot(onB - onA)});
  };
  points.clear();
  add(from);
  add(to);
  return true;
}

double separationAlong(const ManifoldWorkspace& work, const Vec3& n) {
  return lowest(work.verticesB, n) + lowest(work.verticesA, -n);
}

void collideWithFace(const Polyhedron& a, int face, const Pose& poseA, const Polyhedron& b, const Pose& poseB,
                     double margin, ManifoldWorkspace& work, std::vector<ManifoldPoint>& points) {
  points.clear();
  const PlacedPair pair = placePair(a, poseA, b, poseB, work);
  clipToFace(a, face, work.verticesA, b, pair.rotationB, work.verticesB,
             pair.rotationA * a.faces[face].normal, margin, work, points);
}

bool collidePolyhedra(const Polyhedron& a, const Pose& poseA, const Polyhedron& b, const Pose& poseB,
                      double margin, ManifoldWorkspace& work, Vec3& normal,
                      std::vector<ManifoldPoint>& points) {
  points.clear();
  const PlacedPair pair = placePair(a, poseA, b, poseB, work);
  const FaceAxis faceA = bestFaceAxis(a, pair.rotationA, poseA.position, work.verticesB);
  work.separation = faceA.separation;
  if (faceA.separation > margin) return false;
  const FaceAxis faceB = bestFaceAxis(b, pair.rotationB, poseB.position, work.verticesA);
  work.separation = std::max(work.separation, faceB.separation);
  if (faceB.separation > margin) return false;
  const EdgeAxis edge = bestEdgeAxis(pair, work);
  work.separation = std::max(work.separation, edge.separation);
  if (edge.separation > margin) return false;

  // A later axis must be better by more than rounding, so that ties resolve the same way step after step.
  const bool useA = faceA.separation >= faceB.separation - kFacePreference;
  if (edge.separation > (useA ? faceA : faceB).separation + kFacePreference) {
    if (clipNearEdgeAxis(pair, edge, margin, work, normal, points)) return true;
    normal = edge.normal;
    points.push_back(edgeContact(pair, edge, work));
    return true;
  }
  if (clipTie(pair, faceA, faceB, work, normal, points)) return true;
  if (useA) {
    normal = faceA.normal;
    clipToFace(a, faceA.face, work.verticesA, b, pair.rotationB, work.verticesB, faceA.normal, margin, work,
               points);
  } else {
    normal = -faceB.normal;
    clipToFace(b, faceB.face, work.verticesB, a, pair.rotationA, work.verticesA, faceB.normal, margin, work,
               points);
  }
  const FaceAxis& face = useA ? faceA : faceB;
  if (!points.empty() || face.separation > 0.0) return !points.empty();
  // Polyhedra that overlap touch somewhere: where an edge of one lies across an edge of the face, or else at
  // the deepest vertex, which rounding has put beside the face.
  if (edge.separation >= (1.0 + kAlike) * face.separation - kFacePreference) {
    normal = edge.normal;
    points.push_back(edgeContact(pair, edge, work));
  } else {
    const Vec3& deepest = lowestVertex(useA ? work.verticesB : work.verticesA, face.normal);
    points.push_back({deepest - 0.5 * face.separation * face.normal, face.separation});
  }
  return true;
}

void reduceManifold(const Vec3& normal, std::vector<ManifoldPoint>& points) {
  if (points.size() <= 4) return;
  // Among scores that differ by less than bodies at rest still creep, the earlier point wins, so that a
  // settled manifold keeps its points.
  double extent = 0.0;
  for (const ManifoldPoint& p : points) extent = std::max(extent, (p.point - points[0].point).norm());
  const double tie = kTie * extent;
  const auto pick = [&](std::size_t place, auto&& score) {
    std::size_t best = place;
    double most = score(points[place]);
    for (std::size_t i = place + 1; i < points.size(); ++i) {
      const double s = score(points[i]);
      if (s > most + tie) most = s, best = i;
    }
    std::swap(points[place], points[best]);
  };
  pick(0, [](const ManifoldPoint& p) { return -p.gap; });
  // Distances count along the surface, and less for what is further away from it than the deepest point: the
  // margin of a fast body holds its far side as well, which touches only after the near one.
  const ManifoldPoint deepest = points[0];
  const auto along = [&](const ManifoldPoint& p) -> Vec3 {
    const Vec3 d = p.point - deepest.point;
    return d - normal.dot(d) * normal;
  };
  const auto excess = [&](const ManifoldPoint& p) { return p.gap - deepest.gap; };
  pick(1, [&](const ManifoldPoint& p) { return along(p).norm() - excess(p); });
  const Vec3 side = normal.cross(along(points[1])).normalized();
  pick(2, [&](const ManifoldPoint& p) { return side.dot(along(p)) - excess(p); });
  pick(3, [&](const ManifoldPoint& p) { return -side.dot(along(p)) - excess(p); });
  points.resize(4);
}

}  // namespace grashof
