#include "engine/results/hdf5_file.h"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof {
namespace {

constexpr hsize_t kMaxValues = hsize_t{1} << 28;  // 2 GiB of numbers: a damaged header asks for more

}  // namespace

Hdf5Reader::Hdf5Reader(std::string path, const std::string& expected) : path_(std::move(path)) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported by fail(), not printed
  std::error_code code;
  if (!std::filesystem::is_regular_file(path_, code)) fail("cannot be read (is the path right, and a file?)");
  if (H5Fis_hdf5(path_.c_str()) <= 0) fail("is not an HDF5 file (needs " + expected + ")");
  file_ = Hdf5Id(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose);
  if (!file_.valid()) fail("cannot be opened (is it complete?)");
}

void Hdf5Reader::fail(const std::string& message) const { throw InputError({{path_, 0, {}, message}}); }

void Hdf5Reader::fail(const std::string& element, const std::string& message) const {
  throw InputError({{path_, 0, element, message}});
}

bool Hdf5Reader::has(const std::string& name) const {
  for (std::size_t at = 0; at != std::string::npos;) {
    at = name.find('/', at + 1);
    if (H5Lexists(file_, name.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

std::vector<double> Hdf5Reader::reals(const std::string& name, hsize_t size) const {
  auto values = read<double>(name, H5T_NATIVE_DOUBLE, H5T_FLOAT, size);
  for (const double v : values)
    if (!std::isfinite(v)) fail(name, "holds a value that is not finite (all must be)");
  return values;
}

std::vector<int> Hdf5Reader::integers(const std::string& name) const {
  return read<int>(name, H5T_NATIVE_INT, H5T_INTEGER, 0);
}

int Hdf5Reader::integer(const std::string& name) const {
  const auto values = integers(name);
  if (values.size() != 1) fail(name, fmt::format("holds {} values (one is needed)", values.size()));
  return values[0];
}

template <typename T>
std::vector<T> Hdf5Reader::read(const std::string& name, hid_t type, H5T_class_t kind, hsize_t size) const {
  if (!has(name)) fail(name, "is missing");
  const Hdf5Id data(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), &H5Dclose);
  if (!data.valid()) fail(name, "is no dataset");
  const Hdf5Id stored(H5Dget_type(data), &H5Tclose);
  const H5T_class_t found = H5Tget_class(stored);
  if (found != kind && !(kind == H5T_FLOAT && found == H5T_INTEGER))
    fail(name, kind == H5T_FLOAT ? "does not hold numbers" : "does not hold integers");
  const Hdf5Id space(H5Dget_space(data), &H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0 || static_cast<hsize_t>(count) > kMaxValues) fail(name, "is too large, or damaged");
  if (size > 0 && static_cast<hsize_t>(count) != size)
    fail(name, fmt::format("holds {} values ({} are needed)", count, size));
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0 && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(name, "cannot be read (is the file complete?)");
  return values;
}

Hdf5Writer::Hdf5Writer(const std::string& path) : path_(path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported by check(), not printed
  file_ = Hdf5Id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), &H5Fclose);
  links_ = Hdf5Id(H5Pcreate(H5P_LINK_CREATE), &H5Pclose);
  check(file_);
  check(H5Pset_create_intermediate_group(links_, 1));
}

void Hdf5Writer::reals(const char* name, const std::vector<double>& values) {
  write(name, H5T_NATIVE_DOUBLE, values.data(), values.size());
}

void Hdf5Writer::integers(const char* name, const std::vector<int>& values) {
  write(name, H5T_NATIVE_INT, values.data(), values.size());
}

void Hdf5Writer::text(const char* name, const std::string& value) {
  const Hdf5Id type(H5Tcopy(H5T_C_S1), &H5Tclose);
  check(H5Tset_size(type, value.size() + 1));
  const Hdf5Id space(H5Screate(H5S_SCALAR), &H5Sclose);
  const Hdf5Id data(H5Dcreate2(file_, name, type, space, links_, H5P_DEFAULT, H5P_DEFAULT), &H5Dclose);
  check(data);
  check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()));
}

void Hdf5Writer::flush() { check(H5Fflush(file_, H5F_SCOPE_LOCAL)); }

void Hdf5Writer::check(hid_t status) const {
  if (status < 0) throw FileError(path_, "cannot be written (is the disk full, or the folder read-only?)");
}

void Hdf5Writer::write(const char* name, hid_t type, const void* values, hsize_t size) {
  const Hdf5Id space(H5Screate_simple(1, &size, nullptr), &H5Sclose);
  const Hdf5Id data(H5Dcreate2(file_, name, type, space, links_, H5P_DEFAULT, H5P_DEFAULT), &H5Dclose);
  check(data);
  if (size > 0) check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

}  // namespace grashof
