#include "engine/study/journal.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/input_file.h"

namespace grashof::study {
namespace {

constexpr std::size_t kHead = 8;  // bytes of length and checksum
constexpr std::uint32_t kLongest = 1U << 20;
constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 36;

std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t hash = 0x811C9DC5;  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}

void putWord(std::string& out, std::uint32_t x) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(x >> shift & 0xFF);
}

std::uint32_t wordAt(std::string_view bytes, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4; ++i) x |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
  return x;
}

std::string headLine(const std::string& hash) { return "grashof runs 1 " + hash + "\n"; }

}  // namespace

Journal::Journal(std::string path, const Study& study, Rows& rows)
    : Journal(std::move(path), study.hash(), rows) {}

Journal::Journal(std::string path, const std::string& hash, Rows& rows) : path_(std::move(path)) {
  const std::string head = headLine(hash);
  std::string before;
  std::error_code code;
  if (std::filesystem::exists(path_, code)) before = readInputFile(path_, kLargest, "the rows of a study");
  const std::string_view bytes(before);
  if (bytes.size() >= head.size() && !bytes.starts_with(head))
    throw InputError(fmt::format(
        "{}: holds runs of another study: scenario, factors, measures, design, goal, seed, program or "
        "processor differ (choose another --out, or remove the folder)",
        path_));
  if (bytes.starts_with(head)) {
    size_ = head.size();
    while (size_ + kHead <= bytes.size()) {
      const std::uint32_t length = wordAt(bytes, size_);
      if (length > kLongest || size_ + kHead + length > bytes.size()) break;
      const std::string_view row = bytes.substr(size_ + kHead, length);
      if (checksum(row) != wordAt(bytes, size_ + 4)) break;
      rows.add(unpackRow(row));
      size_ += kHead + length;
    }
  }
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file_ < 0) throw FileError(path_, fmt::format("cannot be written ({})", std::strerror(errno)));
  if (ftruncate(file_, static_cast<off_t>(size_)) != 0 ||
      lseek(file_, static_cast<off_t>(size_), SEEK_SET) < 0)
    throw FileError(path_, fmt::format("cannot be written ({})", std::strerror(errno)));
  if (size_ == 0) write(head);
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

void Journal::append(const std::vector<std::string>& rows) {
  std::string bytes;
  for (const std::string& row : rows) {
    putWord(bytes, static_cast<std::uint32_t>(row.size()));
    putWord(bytes, checksum(row));
    bytes += row;
  }
  write(bytes);
}

void Journal::write(std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::write(file_, bytes.data() + done, bytes.size() - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (count == 0 || errno != EINTR) {
      const std::string why = std::strerror(errno);
      // What is not whole goes; if even that fails, the next reader drops it.
      if (ftruncate(file_, static_cast<off_t>(size_)) == 0) lseek(file_, static_cast<off_t>(size_), SEEK_SET);
      throw FileError(path_,
                      fmt::format("cannot be written ({}; the runs before are kept: the same command goes on "
                                  "with the others)",
                                  why));
    }
  }
  size_ += bytes.size();
}

}  // namespace grashof::study
