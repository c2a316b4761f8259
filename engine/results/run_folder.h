#pragma once
/// The folder of one run's results: only one run writes to it at a time, and nothing in it is of an earlier
/// one.

#include <string>

namespace grashof {

/// Holds the folder from open() or hold() to the end of its life.
///
/// `run.lock` in the folder names the owner. The lock is the kernel's (flock), which ends with the process
/// that holds it, so the file that a killed run leaves behind stops nobody. File systems without such locks
/// are used without.
class RunFolder {
 public:
  /// `path`: empty for a run that writes nothing.
  explicit RunFolder(std::string path) : path_(std::move(path)) {}
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// Makes the folder, takes its lock and removes the results of an earlier run, unless they are to be
  /// continued (`keep`): then it leaves what a checkpoint needs. Throws FileError when it cannot, which names
  /// the process that is writing there.
  void open(bool keep = false);
  /// Makes the folder and takes its lock; leaves all that is in it. Throws FileError as open() does.
  void hold();
  const std::string& path() const { return path_; }

 private:
  void lock();
  void clear();

  std::string path_;
  int lock_ = -1;  // descriptor of run.lock
};

}  // namespace grashof
