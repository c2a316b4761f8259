#include "engine/results/hdf5_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"

namespace grashof {
namespace {

constexpr hsize_t kMaxValues = hsize_t{1} << 28;  // of a dataset: 2 GiB of numbers
constexpr hsize_t kMaxBytes = hsize_t{1} << 32;   // of all datasets
constexpr hsize_t kDeflateRatio = 1040;           // zlib shortens nothing more than that
constexpr hsize_t kMaxText = 65536;               // bytes
constexpr int kReadAttempts = 200;                // every 10 ms; a writer needs some ms
constexpr hsize_t kLibraryBytes = 65536;  // of the library's own beside the data of some fifty datasets
constexpr hsize_t kPlainBytes = 65536;    // of a dataset at most, that is not compressed
constexpr hsize_t kDatasetChunk = hsize_t{1} << 20;
constexpr const char* kDamaged = "cannot be read (is the file complete?)";

/// The types that are stored as they are in memory, up to the order of their bytes. The library converts any
/// others with code that few files have tried.
bool isPlainNumber(hid_t type) {
  for (const hid_t plain :
       {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_U32LE, H5T_STD_U64LE,
        H5T_STD_I8LE, H5T_STD_U8LE, H5T_STD_I16LE, H5T_STD_U16LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE,
        H5T_STD_I32BE, H5T_STD_I64BE, H5T_STD_U32BE, H5T_STD_U64BE})
    if (H5Tequal(type, plain) > 0) return true;
  return false;
}

/// a·b, or the greatest number there is.
hsize_t product(hsize_t a, hsize_t b) {
  return b != 0 && a > std::numeric_limits<hsize_t>::max() / b ? std::numeric_limits<hsize_t>::max() : a * b;
}

std::string untilZero(const char* text, std::size_t size) {
  return {text, static_cast<std::size_t>(std::find(text, text + size, '\0') - text)};
}

}  // namespace

struct Hdf5Reader::Extent {
  hsize_t rows = 1, columns = 1;  // of a scalar both are 1
  hsize_t values() const { return product(rows, columns); }
};

Hdf5Reader::Hdf5Reader(std::string path, const std::string& expected) : path_(std::move(path)) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported by fail(), not printed
  std::error_code code;
  if (!std::filesystem::is_regular_file(path_, code)) fail("cannot be read (is the path right, and a file?)");
  fileSize_ = std::filesystem::file_size(path_, code);
  lock();
  if (H5Fis_hdf5(path_.c_str()) <= 0) fail("is not an HDF5 file (needs " + expected + ")");
  // The lock is that of lock(); the library's own would be refused where this process writes the file.
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  H5Pset_file_locking(access, false, true);
  // The writer is kept out meanwhile: what is read wrong is damaged, and stays so.
  H5Pset_metadata_read_attempts(access, 1);
  file_ = Hdf5Id(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access), &H5Fclose);
  // A file that is being written, or whose writer was killed: see Hdf5Writer::keepConsistent().
  if (!file_.valid())
    file_ = Hdf5Id(H5Fopen(path_.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access), &H5Fclose);
  if (!file_.valid()) fail("cannot be opened (is it complete?)");
}

Hdf5Reader::FileLock::~FileLock() {
  if (file >= 0) close(file);
}

void Hdf5Reader::lock() {
  lock_.file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (lock_.file < 0) fail("cannot be read (is it yours to read?)");
  for (int i = 0; flock(lock_.file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++i) {
    if (i == kReadAttempts) fail("is held by a program that writes it (try again when that has ended)");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void Hdf5Reader::fail(const std::string& message) const { throw InputError({{path_, 0, {}, message}}); }

void Hdf5Reader::fail(const std::string& element, const std::string& message) const {
  throw InputError({{path_, 0, element, message}});
}

bool Hdf5Reader::has(const std::string& name) const {
  for (std::size_t at = 0; at != std::string::npos;) {
    at = name.find('/', at + 1);
    const std::string part = name.substr(0, at);
    H5L_info_t link{};
    // Of soft and external links, only hard ones are followed: the others may lead to other files.
    if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0 ||
        H5Lget_info(file_, part.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
      return false;
  }
  return true;
}

Hdf5Id Hdf5Reader::open(const std::string& name) const {
  if (!has(name)) fail(name, "is missing");
  Hdf5Id data(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), &H5Dclose);
  if (!data.valid()) fail(name, "is no dataset");
  return data;
}

Hdf5Reader::Extent Hdf5Reader::extentOf(hid_t data, const std::string& name) const {
  const Hdf5Id space(H5Dget_space(data), &H5Sclose);
  Extent extent;
  const H5S_class_t kind = H5Sget_simple_extent_type(space);
  if (kind == H5S_SCALAR) return extent;
  std::array<hsize_t, H5S_MAX_RANK> shape{};
  const int rank = kind == H5S_SIMPLE ? H5Sget_simple_extent_dims(space, shape.data(), nullptr) : -1;
  if (rank < 1) fail(name, "has no shape");
  extent.rows = shape[0];
  for (int i = 1; i < rank; ++i) extent.columns = product(extent.columns, shape[static_cast<std::size_t>(i)]);
  if (extent.values() > kMaxValues) fail(name, "is too large, or damaged");
  return extent;
}

void Hdf5Reader::checkNumbers(hid_t data, const std::string& name, H5T_class_t kind) const {
  const Hdf5Id stored(H5Dget_type(data), &H5Tclose);
  const H5T_class_t found = H5Tget_class(stored);
  if (found != kind && !(kind == H5T_FLOAT && found == H5T_INTEGER))
    fail(name, kind == H5T_FLOAT ? "does not hold numbers" : "does not hold integers");
  if (!isPlainNumber(stored)) fail(name, "holds numbers of an unusual form (of 64 or 32 bits are read)");
}

/// Fails for data that are not in this file, and for a dataset that says it is larger than what is stored of
/// it can be.
void Hdf5Reader::checkStorage(hid_t data, const std::string& name, hsize_t values, hsize_t size) const {
  const Hdf5Id properties(H5Dget_create_plist(data), &H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (layout == H5D_VIRTUAL || H5Pget_external_count(properties) != 0)
    fail(name, "keeps its values in other files (only those in this file are read)");
  hsize_t ratio = 1;
  const int filters = H5Pget_nfilters(properties);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::size_t parameters = 0;
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &parameters,
                                               nullptr, 0, nullptr, nullptr);
    if (filter == H5Z_FILTER_DEFLATE)
      ratio = product(ratio, kDeflateRatio);
    else if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
      fail(name, "is compressed in a way that is not read (deflate is)");
  }
  hsize_t needed = product(values, size);
  if (layout == H5D_CHUNKED && values > 0) {
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    const int rank = H5Pget_chunk(properties, H5S_MAX_RANK, chunk.data());
    hsize_t bytes = size;
    for (int i = 0; i < rank; ++i) bytes = product(bytes, chunk[static_cast<std::size_t>(i)]);
    needed = std::max(needed, bytes);
  }
  const hsize_t stored = std::min<hsize_t>(H5Dget_storage_size(data), fileSize_);
  if (needed > product(ratio, stored))
    fail(name, fmt::format("says that it holds {} values, but stores {} bytes (is the file damaged?)", values,
                           stored));
  taken_ += product(values, std::max<hsize_t>(size, sizeof(double)));
  if (taken_ > kMaxBytes) fail(name, "makes the file larger than 4 GiB (which is the most that is read)");
}

std::vector<double> Hdf5Reader::reals(const std::string& name, hsize_t size) const {
  const Hdf5Id data = open(name);
  checkNumbers(data, name, H5T_FLOAT);
  auto values = read<double>(data, name, H5T_NATIVE_DOUBLE, size);
  for (const double v : values)
    if (!std::isfinite(v)) fail(name, "holds a value that is not finite (all must be)");
  return values;
}

std::vector<double> Hdf5Reader::rows(const std::string& name, std::size_t width) const {
  const Hdf5Id data = open(name);
  checkNumbers(data, name, H5T_FLOAT);
  const Extent extent = extentOf(data, name);
  if (extent.columns != width)
    fail(name, fmt::format("has {} columns instead of {} (was it changed by another program?)",
                           extent.columns, width));
  return read<double>(data, name, H5T_NATIVE_DOUBLE, 0);
}

std::vector<int> Hdf5Reader::integers(const std::string& name) const {
  const Hdf5Id data = open(name);
  checkNumbers(data, name, H5T_INTEGER);
  return read<int>(data, name, H5T_NATIVE_INT, 0);
}

int Hdf5Reader::integer(const std::string& name) const {
  const auto values = integers(name);
  if (values.size() != 1) fail(name, fmt::format("holds {} values (one is needed)", values.size()));
  return values[0];
}

template <typename T>
std::vector<T> Hdf5Reader::read(hid_t data, const std::string& name, hid_t type, hsize_t size) const {
  const hsize_t count = extentOf(data, name).values();
  if (size > 0 && count != size) fail(name, fmt::format("holds {} values ({} are needed)", count, size));
  checkStorage(data, name, count, H5Tget_size(Hdf5Id(H5Dget_type(data), &H5Tclose)));
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0 && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(name, kDamaged);
  return values;
}

std::size_t Hdf5Reader::count(const std::string& name) const {
  return static_cast<std::size_t>(extentOf(open(name), name).values());
}

std::vector<std::string> Hdf5Reader::texts(const std::string& name) const {
  const Hdf5Id data = open(name);
  const Hdf5Id type(H5Dget_type(data), &H5Tclose);
  // The library reads text of variable length through addresses that it does not check.
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    fail(name, "holds no text of fixed length");
  const hsize_t count = extentOf(data, name).values(), size = H5Tget_size(type);
  if (size > kMaxText) fail(name, fmt::format("holds texts of {} bytes (at most {})", size, kMaxText));
  checkStorage(data, name, count, size);
  std::vector<char> raw(static_cast<std::size_t>(count * size));
  if (count > 0 && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0) fail(name, kDamaged);
  taken_ += product(count, sizeof(std::string));
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < count; ++i) all.push_back(untilZero(&raw[i * size], size));
  return all;
}

std::string Hdf5Reader::textAttribute(const char* name) const {
  const Hdf5Id at(H5Aopen(file_, name, H5P_DEFAULT), &H5Aclose);
  if (!at.valid()) return {};
  const Hdf5Id type(H5Aget_type(at), &H5Tclose), space(H5Aget_space(at), &H5Sclose);
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || size > kMaxText ||
      H5Sget_simple_extent_npoints(space) != 1)
    return {};
  std::vector<char> raw(size);
  return H5Aread(at, type, raw.data()) < 0 ? std::string() : untilZero(raw.data(), size);
}

double Hdf5Reader::numberAttribute(const char* name) const {
  const Hdf5Id at(H5Aopen(file_, name, H5P_DEFAULT), &H5Aclose);
  if (!at.valid()) return 0.0;
  const Hdf5Id type(H5Aget_type(at), &H5Tclose), space(H5Aget_space(at), &H5Sclose);
  double value = 0.0;
  if (!isPlainNumber(type) || H5Sget_simple_extent_npoints(space) != 1 ||
      H5Aread(at, H5T_NATIVE_DOUBLE, &value) < 0)
    return 0.0;
  return value;
}

Hdf5Writer::Hdf5Writer(std::string path) : path_(std::move(path)) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported by check(), not printed
  const Hdf5Id creation = owned(H5Pcreate(H5P_FILE_CREATE), &H5Pclose);
  const Hdf5Id access = owned(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  check(H5Pset_obj_track_times(creation, false));
  // Whoever writes keeps readers out by letReadersIn(), not for as long as the file is open.
  check(H5Pset_file_locking(access, false, true));
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  properties_ = owned(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
  check(H5Pset_obj_track_times(properties_, false));
  groups_ = owned(H5Pcreate(H5P_GROUP_CREATE), &H5Pclose);
  check(H5Pset_obj_track_times(groups_, false));
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  file_ = owned(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, creation, access), &H5Fclose);
}

void Hdf5Writer::keepConsistent() { check(H5Fstart_swmr_write(file_)); }

int Hdf5Writer::descriptor() const {
  void* handle = nullptr;
  if (!file_.valid() || H5Fget_vfd_handle(file_, H5P_DEFAULT, &handle) < 0) return -1;
  return *static_cast<int*>(handle);
}

bool Hdf5Writer::keepReadersOut() const {
  return flock(descriptor(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void Hdf5Writer::letReadersIn() const { flock(descriptor(), LOCK_UN); }

/// After a failure the library still writes when it closes the file, and crashes if it cannot. Its descriptor
/// is then one of memory, so that it can, and what is on the disk stays.
void Hdf5Writer::check(hid_t status) {
  if (status >= 0) return;
  const int file = descriptor(), memory = file < 0 ? -1 : memfd_create("grashof", MFD_CLOEXEC);
  if (memory >= 0) {
    dup2(memory, file);
    close(memory);
  }
  throw FileError(path_, "cannot be written (is the disk full, or the folder read-only?)");
}

Hdf5Id Hdf5Writer::owned(hid_t id, Hdf5Id::Close close) {
  check(id);
  return {id, close};
}

void Hdf5Writer::makeGroups(const std::string& name) {
  for (auto at = name.find('/', 1); at != std::string::npos; at = name.find('/', at + 1)) {
    const std::string group = name.substr(0, at);
    if (H5Lexists(file_, group.c_str(), H5P_DEFAULT) <= 0)
      owned(H5Gcreate2(file_, group.c_str(), H5P_DEFAULT, groups_, H5P_DEFAULT), &H5Gclose);
  }
}

void Hdf5Writer::reals(const char* name, const std::vector<double>& values) {
  write(name, H5T_NATIVE_DOUBLE, values.data(), values.size());
}

void Hdf5Writer::integers(const char* name, const std::vector<int>& values) {
  write(name, H5T_NATIVE_INT, values.data(), values.size());
}

Hdf5Id Hdf5Writer::textType(std::size_t size) {
  Hdf5Id type = owned(H5Tcopy(H5T_C_S1), &H5Tclose);
  check(H5Tset_size(type, std::max<std::size_t>(size, 1)));
  check(H5Tset_strpad(type, H5T_STR_NULLPAD));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

void Hdf5Writer::text(const char* name, const std::string& value) {
  makeGroups(name);
  const Hdf5Id type = textType(value.size() + 1);
  const Hdf5Id space = owned(H5Screate(H5S_SCALAR), &H5Sclose);
  const Hdf5Id data =
      owned(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, properties_, H5P_DEFAULT), &H5Dclose);
  check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()));
}

void Hdf5Writer::texts(const char* name, const std::vector<std::string>& values) {
  std::size_t size = 1;
  for (const std::string& value : values) size = std::max(size, value.size());
  std::vector<char> raw(size * values.size(), '\0');
  for (std::size_t i = 0; i < values.size(); ++i)
    std::copy(values[i].begin(), values[i].end(), raw.begin() + static_cast<std::ptrdiff_t>(i * size));
  write(name, textType(size), raw.data(), values.size());
}

void Hdf5Writer::attribute(const char* name, const std::string& value) {
  const Hdf5Id type = textType(value.size() + 1);
  const Hdf5Id space = owned(H5Screate(H5S_SCALAR), &H5Sclose);
  const Hdf5Id at = owned(H5Acreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
  check(H5Awrite(at, type, value.c_str()));
}

void Hdf5Writer::attribute(const char* name, double value) {
  const Hdf5Id space = owned(H5Screate(H5S_SCALAR), &H5Sclose);
  const Hdf5Id at =
      owned(H5Acreate2(file_, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
  check(H5Awrite(at, H5T_NATIVE_DOUBLE, &value));
}

void Hdf5Writer::reserve(hsize_t bytes) {
  const int file = descriptor();
  struct stat found {};
  if (fstat(file, &found) != 0) return;
  const auto size = static_cast<off_t>(bytes + bytes / 64 + kLibraryBytes);
  int failed = 0;
  do {
    failed = fallocate(file, 0, found.st_size, size) == 0 ? 0 : errno;
  } while (failed == EINTR);
  // Others mean that the file system cannot tell.
  if (failed == ENOSPC || failed == EFBIG || failed == EDQUOT) check(-1);
}

void Hdf5Writer::flush() {
  check(H5Fflush(file_, H5F_SCOPE_LOCAL));
  // What was reserved and not needed is given back.
  hsize_t size = 0;
  check(H5Fget_filesize(file_, &size));
  check(ftruncate(descriptor(), static_cast<off_t>(size)));
}

void Hdf5Writer::write(const char* name, hid_t type, const void* values, hsize_t size) {
  makeGroups(name);
  const Hdf5Id space = owned(H5Screate_simple(1, &size, nullptr), &H5Sclose);
  const Hdf5Id properties = owned(H5Pcopy(properties_), &H5Pclose);
  if (product(size, H5Tget_size(type)) > kPlainBytes) {
    const hsize_t chunk = std::clamp<hsize_t>(kDatasetChunk / H5Tget_size(type), 1, size);
    check(H5Pset_chunk(properties, 1, &chunk));
    check(H5Pset_shuffle(properties));
    check(H5Pset_deflate(properties, 1));
  }
  const Hdf5Id data =
      owned(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), &H5Dclose);
  if (size > 0) check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

Hdf5Writer::Series::Series(Hdf5Writer& writer, const char* name, hid_t type, std::vector<hsize_t> shape,
                           hsize_t chunk)
    : writer_(&writer), shape_(std::move(shape)) {
  writer.makeGroups(name);
  shape_.insert(shape_.begin(), 0);
  std::vector<hsize_t> limit = shape_, chunks = shape_;
  limit[0] = H5S_UNLIMITED;
  chunks[0] = chunk;
  for (hsize_t& c : chunks) c = std::max<hsize_t>(c, 1);
  const auto rank = static_cast<int>(shape_.size());
  const Hdf5Id space = writer.owned(H5Screate_simple(rank, shape_.data(), limit.data()), &H5Sclose);
  const Hdf5Id properties = writer.owned(H5Pcopy(writer.properties_), &H5Pclose);
  writer.check(H5Pset_chunk(properties, rank, chunks.data()));
  writer.check(H5Pset_shuffle(properties));
  writer.check(H5Pset_deflate(properties, 1));
  data_ = writer.owned(H5Dcreate2(writer.file_, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                       &H5Dclose);
}

void Hdf5Writer::Series::append(const double* values, hsize_t records) {
  std::vector<hsize_t> start(shape_.size(), 0), count = shape_;
  start[0] = shape_[0];
  count[0] = records;
  shape_[0] += records;
  writer_->check(H5Dset_extent(data_, shape_.data()));
  if (std::find(count.begin(), count.end(), hsize_t{0}) != count.end()) return;
  const Hdf5Id target = writer_->owned(H5Dget_space(data_), &H5Sclose);
  writer_->check(H5Sselect_hyperslab(target, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
  const Hdf5Id source =
      writer_->owned(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), &H5Sclose);
  writer_->check(H5Dwrite(data_, H5T_NATIVE_DOUBLE, source, target, H5P_DEFAULT, values));
}

}  // namespace grashof
