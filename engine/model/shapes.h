#pragma once
/// Shapes made in one line, for models in code.

#include "contacts/shape.h"

namespace grashof {

// Lengths in m; `pose`: in the frame of the body that gets the shape. Axial shapes stand along z, centred at
// their origin.
Shape boxShape(const Vec3& edges, const Pose& pose = {});
Shape ellipsoidShape(const Vec3& semiAxes, const Pose& pose = {});
Shape sphereShape(double radius, const Pose& pose = {});
Shape capsuleShape(double radius, double length,
                   const Pose& pose = {});  ///< length between the caps' centres
Shape cylinderShape(double radius, double length, const Pose& pose = {});
Shape coneShape(double radius, double length, const Pose& pose = {});
/// The half space below the xy plane of `pose`; of the world only.
Shape planeShape(const Pose& pose = {});
/// A closed mesh, or the convex hull of one.
Shape meshShape(std::shared_ptr<const TriangleMesh> mesh, const Pose& pose = {});
Shape hullShape(const std::vector<Vec3>& points, const Pose& pose = {});

}  // namespace grashof
