#include "engine/base/error.h"
#include "engine/results/fclib_matrix.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// [1 0 2; 0 3 0] in one of the forms.
struct Stored {
  int form = -1;
  std::vector<int> p, i;
  std::vector<double> x;

  Eigen::MatrixXd read(std::vector<std::string>& notes, int rows = 2, int columns = 3) const {
    const test::ScratchFolder folder;
    Hdf5Writer writer(folder.path("m.h5"));
    writer.integers("a/m", {2});
    writer.integers("a/n", {3});
    writer.integers("a/nz", {form});
    writer.integers("a/p", p);
    writer.integers("a/i", i);
    writer.reals("a/x", x);
    writer.flush();
    return readFclibMatrix(Hdf5Reader(folder.path("m.h5"), "fclib"), "a", rows, columns, notes);
  }
};

}  // namespace

TEST_CASE("a matrix that is not square is the same in all forms of a file") {
  Eigen::MatrixXd expected(2, 3);
  expected << 1, 0, 2, 0, 3, 0;
  const Stored forms[] = {{-1, {0, 1, 2, 3}, {0, 1, 0}, {1, 3, 2}},
                          {-2, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}},
                          {3, {0, 2, 1}, {0, 0, 1}, {1, 2, 3}},
                          {4, {0, 2, 1, 2}, {0, 0, 1, 0}, {1, 0.5, 3, 1.5}}};
  for (const Stored& form : forms) {
    CAPTURE(form.form);
    std::vector<std::string> notes;
    CHECK(form.read(notes) == expected);
    CHECK(notes.empty());
  }
  std::vector<std::string> notes;
  CHECK(Stored{3, {0, 0, 1}, {0, 2, 1}, {1, 2, 3}}.read(notes) == expected);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "a: its triplets have rows in p and columns in i");
}

TEST_CASE("entries outside a matrix and sizes that differ from those of the vectors are refused") {
  std::vector<std::string> notes;
  const Stored outside{3, {0, 3, 1}, {0, 2, 1}, {1, 2, 3}}, good{3, {0, 2, 1}, {0, 0, 1}, {1, 2, 3}};
  CHECK_THROWS_WITH_AS(outside.read(notes), doctest::Contains("outside 2 x 3"), InputError);
  CHECK_THROWS_WITH_AS(good.read(notes, 3, 3), doctest::Contains("the vectors say 3 x 3"), InputError);
}

TEST_CASE("a matrix is read as it was written") {
  test::Random random(61);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(5, 4);
  for (int k = 0; k < 9; ++k) dense(k % 5, (3 * k) % 4) = random.uniform();
  const test::ScratchFolder folder;
  Hdf5Writer writer(folder.path("m.h5"));
  writeFclibMatrix(writer, "a/b", dense.sparseView());
  writer.flush();
  std::vector<std::string> notes;
  const Hdf5Reader reader(folder.path("m.h5"), "fclib");
  CHECK(Eigen::MatrixXd(readFclibMatrix(reader, "a/b", 5, 4, notes)) == dense);
  CHECK(reader.integer("a/b/nz") == -1);
}
