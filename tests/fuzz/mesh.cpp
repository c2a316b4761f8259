// A mesh is read as OBJ or STL by the first byte; small ones get a hull, and are the shape of a body.
#include "contacts/shape.h"
#include "engine/model/shapes.h"
#include "engine/world.h"
#include "tests/fuzz/target.h"

using namespace grashof;

namespace {

void drop(const Shape& shape) {
  ModelBuilder builder("dropped");
  builder.addShape(kWorldBody, planeShape());
  BodyDef body;
  body.name = "body";
  body.pose = at(0.0, 0.0, 0.1);
  const BodyId id = builder.addBody(body);
  builder.addShape(id, shape);
  World world(fuzz::withQuickSolver(*builder.build()));
  for (int i = 0; i < 3 && !world.diverged(); ++i) world.step();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFolder folder;
  if (size == 0) return 0;
  const fuzz::Bytes content(data + 1, size - 1);
  fuzz::refusable([&] {
    const auto mesh = readMesh(folder.write(data[0] == 'o' ? "mesh.obj" : "mesh.stl", content), 1.0);
    if (mesh->triangles.size() > 100 || mesh->vertices.size() > 100) return;
    fuzz::refusable([&] { drop(meshShape(mesh)); });
    drop(hullShape(mesh->vertices));
  });
  return 0;
}
