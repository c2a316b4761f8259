// Meshes that MJCF describes by a kind and a few parameters, of unit size; `scale` stretches them.
#include "tools/convert/mjcf_built_in.h"

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof::convert {
namespace {

using Parameters = std::vector<double>;

constexpr double kMostResolution = 1000.0;  // of what has no bound of its own

/// A whole number within bounds.
int whole(const Parameters& p, std::size_t i, const char* what, double least, double most) {
  if (p[i] != std::floor(p[i]) || p[i] < least || p[i] > most)
    throw InputError(fmt::format("params: {} must be a whole number from {} to {}", what, least, most));
  return static_cast<int>(p[i]);
}

void require(bool good, const char* what) {
  if (!good) throw InputError(fmt::format("params: {}", what));
}

/// cos and sin with their magnitudes to a power: what makes a circle a superellipse.
double powerCosine(double angle, double power) {
  const double c = std::cos(angle);
  return std::copysign(std::pow(std::abs(c), power), c);
}
double powerSine(double angle, double power) {
  const double s = std::sin(angle);
  return std::copysign(std::pow(std::abs(s), power), s);
}

/// An icosahedron whose triangles are divided in four, on the unit sphere.
TriangleMesh icosphere(const Parameters& p) {
  const int divisions = whole(p, 0, "the subdivision", 0.0, 4.0);
  const double g = 0.5 * (1.0 + std::sqrt(5.0));
  TriangleMesh mesh;
  // Three golden rectangles across each other.
  for (int axis = 0; axis < 3; ++axis)
    for (const double a : {-1.0, 1.0})
      for (const double b : {-g, g}) {
        Vec3 v = Vec3::Zero();
        v[(axis + 1) % 3] = a;
        v[(axis + 2) % 3] = b;
        mesh.vertices.push_back(v.normalized());
      }
  mesh = convexHull(mesh.vertices);
  for (int n = 0; n < divisions; ++n) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [at, isNew] = middles.try_emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
      if (isNew)
        mesh.vertices.push_back(
            (mesh.vertices[static_cast<std::size_t>(a)] + mesh.vertices[static_cast<std::size_t>(b)])
                .normalized());
      return at->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
  }
  return mesh;
}

/// The upper half of an octahedron with `resolution` points between its corners, on the unit sphere.
TriangleMesh hemisphere(const Parameters& p) {
  const int rows = whole(p, 0, "the resolution", 0.0, 10.0) + 1;
  const std::array<Vec3, 4> corners = {Vec3::UnitX(), Vec3::UnitY(), -Vec3::UnitX(), -Vec3::UnitY()};
  TriangleMesh mesh;
  mesh.vertices.push_back(Vec3::UnitZ());
  for (int row = 1; row <= rows; ++row)
    for (std::size_t side = 0; side < 4; ++side)
      for (int i = 0; i < row; ++i) {
        const Vec3 v = (rows - row) * Vec3::UnitZ() + (row - i) * corners[side] + i * corners[(side + 1) % 4];
        mesh.vertices.push_back(v.normalized());
      }
  // The points of a row go around, those of row 0 are the pole.
  const auto point = [](int row, int i) { return row == 0 ? 0 : 1 + 2 * row * (row - 1) + i % (4 * row); };
  for (int row = 0; row < rows; ++row)
    for (int side = 0; side < 4; ++side)
      for (int i = 0; i <= row; ++i) {
        const int above = row * side + i, below = (row + 1) * side + i;
        mesh.triangles.push_back({point(row, above), point(row + 1, below), point(row + 1, below + 1)});
        if (i < row)
          mesh.triangles.push_back({point(row, above), point(row + 1, below + 1), point(row, above + 1)});
      }
  const int middle = static_cast<int>(mesh.vertices.size());
  mesh.vertices.push_back(Vec3::Zero());
  for (int i = 0; i < 4 * rows; ++i) mesh.triangles.push_back({point(rows, i), middle, point(rows, i + 1)});
  return mesh;
}

TriangleMesh cone(const Parameters& p) {
  const int sides = whole(p, 0, "the number of vertices", 3.0, kMostResolution);
  const double radius = p[1];
  require(radius >= 0.0 && radius <= 1.0, "the radius must be from 0 to 1");
  TriangleMesh mesh;
  for (const double z : {-1.0, 1.0})
    for (int i = 0; i < (z > 0.0 && radius == 0.0 ? 1 : sides); ++i) {
      const double angle = 2.0 * M_PI * i / sides, r = z > 0.0 ? radius : 1.0;
      mesh.vertices.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
    }
  return mesh;
}

/// Adds the two triangles of the square between columns j and j + 1 of two rings of n points.
void addSquare(TriangleMesh& mesh, int ring, int next, int j, int n) {
  const int k = (j + 1) % n;
  mesh.triangles.push_back({ring + j, ring + k, next + j});
  mesh.triangles.push_back({ring + k, next + k, next + j});
}

TriangleMesh supersphere(const Parameters& p) {
  const int n = whole(p, 0, "the resolution", 3.0, kMostResolution);
  const double around = p[1], along = p[2];
  require(around >= 0.0 && along >= 0.0, "the exponents must not be negative");
  TriangleMesh mesh;
  mesh.vertices.push_back(-Vec3::UnitZ());
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double latitude = M_PI * i / n - 0.5 * M_PI, longitude = 2.0 * M_PI * j / n - M_PI;
      const double out = powerCosine(latitude, along);
      mesh.vertices.emplace_back(out * powerCosine(longitude, around), out * powerSine(longitude, around),
                                 powerSine(latitude, along));
    }
  mesh.vertices.push_back(Vec3::UnitZ());
  const int last = 1 + (n - 2) * n, pole = last + n;
  for (int j = 0; j < n; ++j) {
    mesh.triangles.push_back({0, 1 + (j + 1) % n, 1 + j});
    for (int i = 0; i + 2 < n; ++i) addSquare(mesh, 1 + i * n, 1 + (i + 1) * n, j, n);
    mesh.triangles.push_back({last + j, last + (j + 1) % n, pole});
  }
  return mesh;
}

TriangleMesh supertorus(const Parameters& p) {
  const int n = whole(p, 0, "the resolution", 3.0, kMostResolution);
  const double radius = p[1], minor = p[2], major = p[3];
  require(radius > 0.0 && radius <= 1.0, "the radius must be above 0, at most 1");
  require(minor > 0.0 && major > 0.0, "the exponents must be above 0");
  TriangleMesh mesh;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double u = 2.0 * M_PI * i / n, v = 2.0 * M_PI * j / n;
      const double out = 1.0 + radius * powerCosine(v, minor);
      mesh.vertices.emplace_back(out * powerCosine(u, major), out * powerSine(u, major),
                                 radius * powerSine(v, minor));
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) addSquare(mesh, (i + 1) % n * n, i * n, j, n);
  return mesh;
}

/// Points on a piece of the unit sphere about -z, in the middles of equal angles.
TriangleMesh wedge(const Parameters& p) {
  const int across = whole(p, 0, "the first resolution", 1.0, kMostResolution),
            up = whole(p, 1, "the second resolution", 1.0, kMostResolution);
  require(p[2] > 0.0 && p[2] <= 180.0, "the first angle must be above 0, at most 180 degrees");
  require(p[3] > 0.0 && p[3] <= 90.0, "the second angle must be above 0, at most 90 degrees");
  require(p[4] == 0.0, "a wedge is read with gamma 0 alone (give its vertices instead)");
  TriangleMesh mesh;
  const auto middle = [](int i, int n, double degrees) {
    return degrees * M_PI / 180.0 * ((2.0 * i + 1.0) / n - 1.0);
  };
  for (int i = 0; i < across; ++i)
    for (int j = 0; j < up; ++j) {
      const double a = middle(i, across, p[2]), b = middle(j, up, p[3]);
      mesh.vertices.emplace_back(std::cos(b) * std::sin(a), std::sin(b), -std::cos(b) * std::cos(a));
    }
  return mesh;
}

TriangleMesh plate(const Parameters& p) {
  const int nx = whole(p, 0, "the first resolution", 1.0, kMostResolution),
            ny = whole(p, 1, "the second resolution", 1.0, kMostResolution);
  TriangleMesh mesh;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      mesh.vertices.emplace_back((2.0 * i + 1.0) / nx - 1.0, (2.0 * j + 1.0) / ny - 1.0, -1.0);
  return mesh;
}

struct BuiltIn {
  const char* name;
  std::size_t parameters;
  TriangleMesh (*make)(const Parameters&);
};
constexpr std::array<BuiltIn, 7> kBuiltIn = {{
    {"sphere", 1, &icosphere},
    {"hemisphere", 1, &hemisphere},
    {"cone", 2, &cone},
    {"supersphere", 3, &supersphere},
    {"supertorus", 4, &supertorus},
    {"wedge", 5, &wedge},
    {"plate", 2, &plate},
}};

}  // namespace

TriangleMesh builtInMesh(const std::string& kind, const std::vector<double>& parameters) {
  std::string known;
  for (const BuiltIn& b : kBuiltIn) {
    known += std::string(known.empty() ? "" : ", ") + b.name;
    if (kind != b.name) continue;
    if (parameters.size() != b.parameters)
      throw InputError(fmt::format("params: a {} has {} of them", kind, b.parameters));
    return b.make(parameters);
  }
  throw InputError(
      fmt::format("builtin=\"{}\" is not read (known are {}; give vertices or a file instead)", kind, known));
}

}  // namespace grashof::convert
