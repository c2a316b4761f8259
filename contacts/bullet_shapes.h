#pragma once
/// Private: vectors and shapes for Bullet. The only header of the library that includes it.

#include <memory>
#include <vector>

#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <btBulletCollisionCommon.h>

#include "contacts/hull_support.h"
#include "contacts/mesh_topology.h"
#include "contacts/shape.h"

namespace grashof {

inline btVector3 toBullet(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline Vec3 fromBullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
inline btTransform toBullet(const Pose& pose) {
  const Quat& q = pose.rotation;
  return btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), toBullet(pose.position));
}

/// Solid ellipsoid with the given semi-axes.
class EllipsoidShape final : public btConvexInternalShape {
 public:
  explicit EllipsoidShape(const Vec3& semiAxes) : semiAxes_(toBullet(semiAxes)) {
    m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    m_implicitShapeDimensions = semiAxes_;
    setMargin(0.0);
  }
  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& direction) const override {
    const btVector3 scaled = direction * semiAxes_;
    const btScalar length = scaled.length();
    return length > SIMD_EPSILON ? scaled * semiAxes_ / length : btVector3(0, 0, semiAxes_.z());
  }
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* directions, btVector3* vertices,
                                                         int count) const override {
    for (int i = 0; i < count; ++i) vertices[i] = localGetSupportingVertexWithoutMargin(directions[i]);
  }
  void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
  void getAabb(const btTransform& t, btVector3& low, btVector3& high) const override {
    btVector3 extent;
    for (int i = 0; i < 3; ++i) extent[i] = (t.getBasis()[i] * semiAxes_).length();
    extent.setW(0);
    low = t.getOrigin() - extent;
    high = t.getOrigin() + extent;
  }
  const char* getName() const override { return "Ellipsoid"; }

 private:
  btVector3 semiAxes_;
};

/// The hull of points.
class HullShape final : public btConvexInternalShape {
 public:
  /// @pre `support` outlives the shape
  explicit HullShape(const HullSupport& support) : support_(support) {
    m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    setMargin(0.0);
  }
  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& direction) const override {
    return toBullet(support_(fromBullet(direction)));
  }
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* directions, btVector3* vertices,
                                                         int count) const override {
    for (int i = 0; i < count; ++i) vertices[i] = localGetSupportingVertexWithoutMargin(directions[i]);
  }
  void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
  void getAabb(const btTransform& t, btVector3& low, btVector3& high) const override {
    const btVector3 center = t * toBullet(support_.center()), half = toBullet(support_.half());
    const btVector3 extent =
        half.dot3(t.getBasis()[0].absolute(), t.getBasis()[1].absolute(), t.getBasis()[2].absolute());
    low = center - extent;
    high = center + extent;
  }
  const char* getName() const override { return "Hull"; }

 private:
  const HullSupport& support_;
};

/// A mesh, the arrays through which Bullet reads it, and its topology.
struct MeshStorage {
  TriangleMesh surface;
  std::vector<int> indices;
  std::vector<double> vertices;
  std::unique_ptr<btTriangleIndexVertexArray> array;
  std::unique_ptr<MeshTopology> topology;
};

inline std::unique_ptr<MeshStorage> storeMesh(TriangleMesh mesh) {
  auto storage = std::make_unique<MeshStorage>();
  storage->surface = std::move(mesh);
  const TriangleMesh& s = storage->surface;
  for (const auto& t : s.triangles) storage->indices.insert(storage->indices.end(), t.begin(), t.end());
  for (const Vec3& v : s.vertices) storage->vertices.insert(storage->vertices.end(), v.data(), v.data() + 3);
  storage->array = std::make_unique<btTriangleIndexVertexArray>(
      static_cast<int>(s.triangles.size()), storage->indices.data(), 3 * static_cast<int>(sizeof(int)),
      static_cast<int>(s.vertices.size()), storage->vertices.data(), 3 * static_cast<int>(sizeof(double)));
  storage->topology = std::make_unique<MeshTopology>(s);
  return storage;
}

/// Collects the numbers of the triangles that Bullet finds in a box.
class TriangleCollector final : public btTriangleCallback {
 public:
  explicit TriangleCollector(std::vector<int>& found) : found_(&found) {}
  void processTriangle(btVector3*, int, int index) override { found_->push_back(index); }

 private:
  std::vector<int>* found_;
};

}  // namespace grashof
