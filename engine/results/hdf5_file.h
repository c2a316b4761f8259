#pragma once
/// Private: datasets of one HDF5 file, read and written by name.
///
/// A file that is read may come from anywhere: nothing in it makes the reader open other files, or take more
/// memory than about a thousand times its size. A file that is written holds no times and no text of variable
/// length, so that equal data are equal bytes.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/results/hdf5_id.h"

namespace grashof {

/// Reads datasets of a file. Names are paths inside the file, such as `fclib_local/W/x`. Every defect is an
/// InputError with the path of the file and the name of the dataset. The writer of the file, if it is one of
/// Grashof, does not change it while the reader lives.
class Hdf5Reader {
 public:
  /// Opens `path`. Throws InputError if it cannot be read or is not an HDF5 file. `expected`: the layout that
  /// the caller needs, for that message.
  Hdf5Reader(std::string path, const std::string& expected);

  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail(const std::string& element, const std::string& message) const;

  /// Whether a group or dataset exists. Links to other places do not count.
  bool has(const std::string& name) const;
  /// Finite numbers, `size` of them; 0: any number of them. Integers are converted.
  std::vector<double> reals(const std::string& name, hsize_t size) const;
  /// Numbers, finite or not: any number of rows whose further dimensions have `width` entries in all.
  std::vector<double> rows(const std::string& name, std::size_t width) const;
  /// Integers, any number of them.
  std::vector<int> integers(const std::string& name) const;
  /// A dataset of one integer.
  int integer(const std::string& name) const;
  /// Values of a dataset, which is not read.
  std::size_t count(const std::string& name) const;
  /// Texts of fixed length, any number of them.
  std::vector<std::string> texts(const std::string& name) const;
  /// Attributes of the root group; empty and 0 if they are missing, or something else.
  std::string textAttribute(const char* name) const;
  double numberAttribute(const char* name) const;

 private:
  struct Extent;
  /// Owns a descriptor, and the lock that it holds.
  struct FileLock {
    FileLock() = default;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();
    int file = -1;
  };
  void lock();
  Hdf5Id open(const std::string& name) const;
  Extent extentOf(hid_t data, const std::string& name) const;
  void checkNumbers(hid_t data, const std::string& name, H5T_class_t kind) const;
  void checkStorage(hid_t data, const std::string& name, hsize_t values, hsize_t size) const;
  template <typename T>
  std::vector<T> read(hid_t data, const std::string& name, hid_t type, hsize_t size) const;

  std::string path_;
  FileLock lock_;  // which the writer respects
  std::uintmax_t fileSize_ = 0;
  mutable hsize_t taken_ = 0;  // bytes read so far
  Hdf5Id file_;
};

/// Writes a new file. Groups are made as needed. Throws FileError if something cannot be written; what was on
/// disk by then stays as it is, and nothing more can be written.
class Hdf5Writer {
 public:
  /// Replaces a file at `path`.
  explicit Hdf5Writer(std::string path);

  /// Each writes one dataset; `name` may hold groups, as in `joints/rows`.
  void reals(const char* name, const std::vector<double>& values);
  void integers(const char* name, const std::vector<int>& values);
  void text(const char* name, const std::string& value);
  void texts(const char* name, const std::vector<std::string>& values);
  /// Each writes an attribute of the root group.
  void attribute(const char* name, const std::string& value);
  void attribute(const char* name, double value);
  /// Reserves disk space for `bytes` more and HDF5's overhead, because HDF5 reports a full disk too late: it
  /// has changed what it wrote before by then.
  void reserve(hsize_t bytes);
  /// From now on the file on disk is consistent after every write (SWMR); only series grow. A kill loses no
  /// more than what was not flushed.
  void keepConsistent();
  /// Call at the end: only then is the file known to be complete on disk.
  void flush();

  /// A dataset that grows along its first dimension.
  class Series {
   public:
    /// `type`: as it is stored. `shape`: of one record. `chunk`: records that are stored, and compressed, in
    /// one piece.
    Series(Hdf5Writer& writer, const char* name, hid_t type, std::vector<hsize_t> shape, hsize_t chunk);
    /// Appends `records` records; their numbers stand one after the other.
    void append(const double* values, hsize_t records);

   private:
    Hdf5Writer* writer_;
    std::vector<hsize_t> shape_;
    Hdf5Id data_;
  };

  /// Keeps readers out until they are let in again. False when one is reading now.
  bool keepReadersOut() const;
  void letReadersIn() const;

 private:
  int descriptor() const;
  void check(hid_t status);
  Hdf5Id owned(hid_t id, Hdf5Id::Close close);
  void makeGroups(const std::string& name);
  Hdf5Id textType(std::size_t size);
  void write(const char* name, hid_t type, const void* values, hsize_t size);

  std::string path_;
  Hdf5Id file_, groups_, properties_;  // properties: of new groups and datasets
};

}  // namespace grashof
