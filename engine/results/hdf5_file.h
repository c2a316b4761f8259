#pragma once
/// Private: datasets of one HDF5 file, read and written by name.

#include <string>
#include <vector>

#include "engine/results/hdf5_id.h"

namespace grashof {

/// Reads datasets of a file. Names are paths inside the file, such as `fclib_local/W/x`. Every defect is an
/// InputError with the path of the file and the name of the dataset.
class Hdf5Reader {
 public:
  /// Opens `path`. Throws InputError if it cannot be read or is not an HDF5 file. `expected`: the layout that
  /// the caller needs, for that message.
  Hdf5Reader(std::string path, const std::string& expected);

  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail(const std::string& element, const std::string& message) const;

  /// Whether a group or dataset exists.
  bool has(const std::string& name) const;
  /// Finite numbers, `size` of them; 0: any number of them. Integers are converted.
  std::vector<double> reals(const std::string& name, hsize_t size) const;
  /// Integers, any number of them.
  std::vector<int> integers(const std::string& name) const;
  /// A dataset of one integer.
  int integer(const std::string& name) const;

 private:
  template <typename T>
  std::vector<T> read(const std::string& name, hid_t type, H5T_class_t kind, hsize_t size) const;

  std::string path_;
  Hdf5Id file_;
};

/// Writes datasets of a new file. Groups are made as needed. Throws FileError if something cannot be written.
class Hdf5Writer {
 public:
  /// Replaces a file at `path`.
  explicit Hdf5Writer(const std::string& path);

  /// Each writes one dataset; `name` may hold groups, as in `joints/rows`.
  void reals(const char* name, const std::vector<double>& values);
  void integers(const char* name, const std::vector<int>& values);
  void text(const char* name, const std::string& value);
  /// Call at the end: only then is the file known to be complete on disk.
  void flush();

 private:
  void check(hid_t status) const;
  void write(const char* name, hid_t type, const void* values, hsize_t size);

  std::string path_;
  Hdf5Id file_, links_;
};

}  // namespace grashof
