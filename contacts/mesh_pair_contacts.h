#pragma once
/// Private: the contact points of two triangle meshes or height fields.

#include <array>
#include <limits>
#include <vector>

#include "contacts/collision_item.h"
#include "contacts/found_point.h"

namespace grashof {

/// Two meshes: every contact is of a corner over a face, of an edge across an edge or, where they are apart,
/// of a corner beside an edge or a corner. The corner or edge must be one that can meet the other mesh in
/// this direction (MeshTopology), so that what lies inside a face makes no contact of its own, and all
/// triangles of a plane give the points of one face. Nothing is remembered from one pair to the next: the
/// members are scratch memory.
class MeshPairContacts {
 public:
  /// Appends the points of two meshes whose gap is at most `margin` (m).
  void collide(const CollisionItem& a, const CollisionItem& b, double margin, std::vector<FoundPoint>& found);

 private:
  /// A triangle in the axes of mesh A.
  struct Placed {
    const MeshTopology* topology = nullptr;
    int number = 0;
    std::array<int, 3> vertices{};
    std::array<Vec3, 3> x, outward;  // corners; across each edge, away from the triangle
    Vec3 normal;
    Mat3 toOwn;         // from the axes of A to those of its own mesh
    double sign = 1.0;  // of the normal from A to B along its outward one: 1 for A, -1 for B
    // Of its mesh along its normal, m, at most: nothing that is deeper is inside. Open meshes have none.
    double thickness = std::numeric_limits<double>::infinity();
  };
  /// A corner over a face.
  struct OverFace {
    double sign = 1.0;  // of the face
    int vertex = -1, triangle = -1;
    bool beyond = false;  // across a concave edge of the triangle: it bounds the contacts of the other face
    FoundPoint found;
  };

  static Placed place(const CollisionItem& mesh, int number, const Pose& pose, double sign);
  void collideTriangles(const Placed& a, const Placed& b, double margin);
  void addCorners(const Placed& face, const Placed& corners, double margin);
  void addEdges(const Placed& a, const Placed& b, double margin);
  void addApart(const Placed& a, const Placed& b, double margin);
  void addCornersBeside(const Placed& edges, const Placed& corners, double margin);
  void keepPlausible();

  std::vector<int> near_, under_;  // numbers of triangles of B near A, and of A near one of them
  std::vector<OverFace> overFaces_;
  std::vector<FoundPoint> found_;  // in the axes of A
};

}  // namespace grashof
