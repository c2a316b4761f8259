#include "engine/results/trajectory_tail.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/output_file.h"

namespace grashof {
namespace {

struct TailHeader {
  std::array<char, 8> magic = {'g', 'r', 'a', 's', 'h', 'o', 'f', '1'};
  std::uint64_t width = 0, before = 0;
};

std::string tailOf(const std::string& trajectory) { return trajectory + ".tail"; }

void writeAll(int file, const std::string& path, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(file, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw FileError(path, fmt::format("cannot be written ({})", std::strerror(errno)));
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace

TrajectoryTail::TrajectoryTail(const std::string& trajectory, std::size_t width)
    : path_(tailOf(trajectory)), width_(width) {}

TrajectoryTail::~TrajectoryTail() {
  if (file_ >= 0) close(file_);
}

void TrajectoryTail::restart(std::uint64_t before, const double* values, std::size_t records) {
  if (file_ >= 0) close(file_);
  const std::string fresh = path_ + ".new";
  file_ = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file_ < 0) throw FileError(fresh, fmt::format("cannot be written ({})", std::strerror(errno)));
  TailHeader header;
  header.width = width_;
  header.before = before;
  writeAll(file_, fresh, &header, sizeof header);
  writeAll(file_, fresh, values, records * width_ * sizeof(double));
  replaceFile(fresh, path_);
}

void TrajectoryTail::append(const double* values, std::size_t records) {
  writeAll(file_, path_, values, records * width_ * sizeof(double));
}

void TrajectoryTail::remove() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

TailRecords readTail(const std::string& trajectory, std::size_t width, std::size_t most) {
  const std::string path = tailOf(trajectory);
  std::error_code code;
  TailRecords tail;
  if (!std::filesystem::is_regular_file(path, code)) return tail;
  std::ifstream file(path, std::ios::binary);
  TailHeader header;
  const TailHeader expected;
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || header.magic != expected.magic || header.width != width)
    throw InputError(path + ": is not the tail of this trajectory (remove it to read the rest)");
  tail.before = header.before;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  const std::size_t record = width * sizeof(double);
  // A run that is killed in the middle of a record leaves a part of it.
  const std::size_t records = code || size < sizeof header ? 0 : (size - sizeof header) / record;
  if (records > most) throw InputError(path + ": is too large, or damaged");
  tail.values.resize(records * width);
  file.read(reinterpret_cast<char*>(tail.values.data()), static_cast<std::streamsize>(records * record));
  if (!file) throw InputError(path + ": cannot be read");
  return tail;
}

}  // namespace grashof
