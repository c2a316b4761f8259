// Results and problems may come from anywhere: files made to do harm, and damaged ones.
#include <hdf5.h>

#include "engine/base/error.h"
#include "engine/results/hdf5_file.h"
#include "engine/results/trajectory.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Makes a file with the C library and closes all of it.
template <typename F>
std::string madeByHand(const test::ScratchFolder& folder, F&& fill) {
  const std::string path = folder.path("hostile.h5");
  const Hdf5Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), &H5Fclose);
  fill(file);
  return path;
}

std::string refusal(const std::string& path, const char* dataset) {
  try {
    Hdf5Reader(path, "anything").reals(dataset, 0);
  } catch (const InputError& error) {
    return error.what();
  }
  return "was read";
}

/// A dataset of `size` doubles with the creation properties `properties`, without values.
void addEmpty(hid_t file, const char* name, hsize_t size, hid_t properties) {
  const Hdf5Id space(H5Screate_simple(1, &size, nullptr), &H5Sclose);
  const Hdf5Id data(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                    &H5Dclose);
  REQUIRE(data.valid());
}

Scenario swinging() {
  Scenario s = test::scenarioOf(
      R"(<body name="bob" position="0.5 0 0"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
         <joint name="pin" type="revolute" follower="bob" axis="0 1 0"/>)");
  s.duration = 0.02;
  s.output.interval = 0.0;
  return s;
}

/// The trajectory of a short run, with the dataset `name` removed.
std::string without(const test::ScratchFolder& folder, const char* name) {
  run(swinging(), folder.path("out"));
  const std::string path = folder.path("out/trajectory.h5");
  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), &H5Fclose);
  REQUIRE(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  return path;
}

void addIntegers(const std::string& path, const char* name, const std::vector<int>& values) {
  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), &H5Fclose);
  const hsize_t size = values.size();
  const Hdf5Id space(H5Screate_simple(1, &size, nullptr), &H5Sclose);
  const Hdf5Id data(H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    &H5Dclose);
  H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

}  // namespace

TEST_CASE("values in other files are not read: external storage, links, virtual datasets") {
  const test::ScratchFolder folder;
  const std::string secret = folder.write("secret", std::string(800, 'x'));
  const std::string path = madeByHand(folder, [&](hid_t file) {
    const Hdf5Id external(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
    H5Pset_external(external, secret.c_str(), 0, 80);
    addEmpty(file, "external", 10, external);
    const Hdf5Id virtually(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
    const hsize_t size = 10;
    const Hdf5Id space(H5Screate_simple(1, &size, nullptr), &H5Sclose);
    H5Pset_virtual(virtually, space, "other.h5", "x", space);
    addEmpty(file, "virtual", 10, virtually);
    addEmpty(file, "plain", 10, H5P_DEFAULT);
    H5Lcreate_soft("/plain", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/x", file, "linked", H5P_DEFAULT, H5P_DEFAULT);
  });
  CHECK(refusal(path, "external").find("other files") != std::string::npos);
  CHECK(refusal(path, "virtual").find("other files") != std::string::npos);
  CHECK(refusal(path, "soft").find("missing") != std::string::npos);
  CHECK(refusal(path, "linked").find("missing") != std::string::npos);
}

TEST_CASE("a small file cannot make the reader take much memory") {
  const test::ScratchFolder folder;
  const std::string path = madeByHand(folder, [&](hid_t file) {
    addEmpty(file, "unwritten", 200'000'000, H5P_DEFAULT);
    const Hdf5Id chunked(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
    const hsize_t chunk = 100'000'000;
    H5Pset_chunk(chunked, 1, &chunk);
    H5Pset_deflate(chunked, 9);
    addEmpty(file, "chunks", 200'000'000, chunked);
    const hsize_t shape[3] = {hsize_t{1} << 40, hsize_t{1} << 22, hsize_t{1} << 22};
    const Hdf5Id space(H5Screate_simple(3, shape, nullptr), &H5Sclose);
    const hsize_t unit[3] = {1, 1, 1};
    H5Pset_chunk(chunked, 3, unit);
    const Hdf5Id data(
        H5Dcreate2(file, "overflow", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, chunked, H5P_DEFAULT), &H5Dclose);
    REQUIRE(data.valid());
  });
  for (const char* name : {"unwritten", "chunks", "overflow"}) {
    CAPTURE(name);
    const std::string said = refusal(path, name);
    CHECK(said.find(name) != std::string::npos);
    CHECK(said.find("damaged") != std::string::npos);
  }
}

TEST_CASE("types that files of numbers and names do not have are refused") {
  const test::ScratchFolder folder;
  const std::string path = madeByHand(folder, [&](hid_t file) {
    const hsize_t size = 2;
    const Hdf5Id space(H5Screate_simple(1, &size, nullptr), &H5Sclose);
    const auto add = [&](const char* name, hid_t type) {
      const Hdf5Id data(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                        &H5Dclose);
      REQUIRE(data.valid());
    };
    const Hdf5Id text(H5Tcopy(H5T_C_S1), &H5Tclose);
    H5Tset_size(text, H5T_VARIABLE);
    add("variable", text);
    const Hdf5Id odd(H5Tcopy(H5T_NATIVE_DOUBLE), &H5Tclose);
    H5Tset_ebias(odd, 5);
    add("odd", odd);
    const Hdf5Id list(H5Tvlen_create(H5T_NATIVE_DOUBLE), &H5Tclose);
    add("list", list);
  });
  CHECK_THROWS_WITH_AS(Hdf5Reader(path, "x").texts("variable"), doctest::Contains("fixed length"),
                       InputError);
  CHECK(refusal(path, "odd").find("unusual") != std::string::npos);
  CHECK(refusal(path, "list").find("numbers") != std::string::npos);
}

TEST_CASE("an attribute that is a table, or text of variable length, counts as missing") {
  const test::ScratchFolder folder;
  const std::string path = madeByHand(folder, [&](hid_t file) {
    const hsize_t size = 1000;
    const Hdf5Id table(H5Screate_simple(1, &size, nullptr), &H5Sclose);
    const Hdf5Id numbers(H5Acreate2(file, "timestep", H5T_NATIVE_DOUBLE, table, H5P_DEFAULT, H5P_DEFAULT),
                         &H5Aclose);
    const std::vector<double> values(1000, 1.0);
    H5Awrite(numbers, H5T_NATIVE_DOUBLE, values.data());
    const Hdf5Id scalar(H5Screate(H5S_SCALAR), &H5Sclose);
    const Hdf5Id text(H5Tcopy(H5T_C_S1), &H5Tclose);
    H5Tset_size(text, H5T_VARIABLE);
    const Hdf5Id name(H5Acreate2(file, "format", text, scalar, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
    const char* word = "grashof-trajectory";
    H5Awrite(name, text, &word);
  });
  const Hdf5Reader reader(path, "x");
  CHECK(reader.numberAttribute("timestep") == 0.0);
  CHECK(reader.textAttribute("format").empty());
  CHECK(reader.numberAttribute("format") == 0.0);
}

TEST_CASE("tables and channels of a trajectory that do not fit each other are refused") {
  struct Wrong {
    const char* dataset;
    std::size_t at;
    int value;
  };
  for (const Wrong& wrong : {Wrong{"tables/width", 1, 0},
                             {"tables/width", 1, -3},
                             {"tables/width", 1, 1 << 30},
                             {"tables/width", 1, 4},
                             {"tables/width", 0, 2},
                             {"channels/table", 3, 99},
                             {"channels/table", 3, -1},
                             {"channels/column", 3, -1},
                             {"channels/column", 3, 2147483647},
                             {"channels/columns", 3, 0},
                             {"channels/columns", 3, 4},
                             {"channels/redundant_table", 3, 99}}) {
    CAPTURE(wrong.dataset);
    CAPTURE(wrong.value);
    const test::ScratchFolder folder;
    run(swinging(), folder.path("out"));
    std::vector<int> numbers =
        Hdf5Reader(folder.path("out/trajectory.h5"), "a trajectory").integers(wrong.dataset);
    numbers[wrong.at] = wrong.value;
    const std::string path = without(folder, wrong.dataset);
    addIntegers(path, wrong.dataset, numbers);
    CHECK_THROWS_AS(Trajectory{path}, InputError);
  }
  const test::ScratchFolder folder;
  CHECK_THROWS_WITH_AS(Trajectory(without(folder, "bodies/pose")), doctest::Contains("bodies/pose"),
                       InputError);
}

TEST_CASE("a trajectory with any bits changed is read or refused") {
  const test::ScratchFolder folder;
  run(swinging(), folder.path("out"));
  std::ifstream file(folder.path("out/trajectory.h5"), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  int refused = 0;
  test::forAll(5, 300, [&](test::Random& random, int) {
    std::string changed = whole;
    for (int i = 0; i < 3; ++i) {
      const auto at = static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(whole.size()) - 1.0));
      changed[at] = static_cast<char>(static_cast<int>(random.uniform(0.0, 255.0)));
    }
    const std::string path = folder.write("changed.h5", changed);
    try {
      const Trajectory trajectory(path);
      for (const std::string& channel : trajectory.channels()) CHECK(!trajectory.series(channel).empty());
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find("changed.h5") != std::string::npos);
      ++refused;
    }
  });
  CHECK(refused > 100);
}
