#pragma once
/// The rows of a study as they come, in a file that a kill at any moment leaves readable.

#include <string>
#include <string_view>

#include "engine/study/study.h"

namespace grashof::study {

/// `runs.journal`: a line with the hash of the study, then rows in the order in which they arrived, each with
/// its length and a checksum. One process writes it; a piece at the end that was not written whole is
/// dropped.
class Journal {
 public:
  /// Opens or makes the file and reads what it has into `rows`. Throws InputError for a file of another
  /// study, FileError when it cannot be written.
  Journal(std::string path, const Study& study, Rows& rows);
  /// The same of runs that `hash` identifies.
  Journal(std::string path, const std::string& hash, Rows& rows);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Appends rows that are packed. On return the system has them: they outlive this process. Throws
  /// FileError, with the rows before in the file.
  void append(const std::vector<std::string>& rows);
  std::uint64_t bytes() const { return size_; }

 private:
  void write(std::string_view bytes);

  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;  ///< of what is whole
};

}  // namespace grashof::study
