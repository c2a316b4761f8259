#include <limits>

#include "engine/base/error.h"
#include "engine/results/hdf5_file.h"
#include "tests/support.h"

using namespace grashof;

namespace {

std::string hdf5Error(const auto& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("datasets read back the same, groups are made on the way, integers are read as reals too") {
  const test::ScratchFolder folder;
  Hdf5Writer writer(folder.path("a.h5"));
  writer.reals("g/h/x", {0.1, -2.0, 1e-300});
  writer.integers("g/n", {7});
  writer.integers("g/none", {});
  writer.flush();
  const Hdf5Reader reader(folder.path("a.h5"), "anything");
  CHECK(reader.reals("g/h/x", 3) == std::vector<double>{0.1, -2.0, 1e-300});
  CHECK(reader.reals("g/h/x", 0).size() == 3);
  CHECK(reader.reals("g/n", 1) == std::vector<double>{7.0});
  CHECK(reader.integer("g/n") == 7);
  CHECK(reader.integers("g/none").empty());
  CHECK(reader.has("g/h"));
  CHECK_FALSE(reader.has("g/x/x"));
}

TEST_CASE("a defect is an error with the path and the dataset") {
  const test::ScratchFolder folder;
  Hdf5Writer writer(folder.path("a.h5"));
  writer.reals("x", {1.0, std::numeric_limits<double>::quiet_NaN()});
  writer.text("t", "words");
  writer.integers("two", {1, 2});
  writer.flush();
  const Hdf5Reader reader(folder.path("a.h5"), "anything");
  const std::string notFinite = hdf5Error([&] { reader.reals("x", 2); });
  CHECK(notFinite.find("a.h5") != std::string::npos);
  CHECK(notFinite.find("x: holds a value that is not finite") != std::string::npos);
  CHECK_FALSE(hdf5Error([&] { reader.reals("x", 3); }).empty());
  CHECK(hdf5Error([&] { reader.reals("y", 0); }).find("y: is missing") != std::string::npos);
  CHECK_FALSE(hdf5Error([&] { reader.reals("t", 0); }).empty());
  CHECK(hdf5Error([&] { reader.integer("two"); }).find("holds 2 values") != std::string::npos);
}

TEST_CASE("what is no HDF5 file and a file that is cut short are input errors") {
  const test::ScratchFolder folder;
  const auto open = [&](const std::string& name) {
    return hdf5Error([&] { Hdf5Reader(folder.path(name), "the layout L"); });
  };
  CHECK(open("missing.h5").find("cannot be read") != std::string::npos);
  folder.write("text.h5", "time,a\n0,1\n");
  CHECK(open("text.h5").find("needs the layout L") != std::string::npos);
  {
    Hdf5Writer writer(folder.path("whole.h5"));
    writer.reals("x", std::vector<double>(1000, 1.0));
    writer.flush();
  }
  std::ifstream whole(folder.path("whole.h5"), std::ios::binary);
  std::string bytes(600, '\0');
  whole.read(bytes.data(), 600);
  folder.write("cut.h5", bytes);
  CHECK(hdf5Error([&] { Hdf5Reader(folder.path("cut.h5"), "L").reals("x", 0); }).find("cut.h5") !=
        std::string::npos);
}

TEST_CASE("a file in a folder that is not there cannot be written") {
  CHECK_THROWS_AS(Hdf5Writer("/nonexistent/folder/a.h5"), FileError);
}
