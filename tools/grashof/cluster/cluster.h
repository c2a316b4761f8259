#pragma once
/// Several processes of this program that mpirun has started, on one machine or many. Rank 0 hands out work
/// and writes; the others do it.

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "engine/study/farm.h"
#include "tools/grashof/cluster/mpi_plugin.h"

namespace grashof {

/// All processes together, from the start of MPI to its end.
class Cluster {
 public:
  explicit Cluster(const GrashofMpi& mpi);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  int rank() const { return rank_; }
  std::size_t size() const { return static_cast<std::size_t>(size_); }

  /// Rank 0 gives `bytes` to all others, which get it; nothing: there is no work, they end. So it is when
  /// rank 0 ends without it.
  std::string broadcast(const std::string& bytes = {});
  /// Begins to send.
  void send(int to, const std::string& bytes);
  /// A message, if there is one.
  bool receive(int& from, std::string& bytes);
  /// Waits until all that was sent is on its way, and a little when `idle`.
  void progress(bool idle);

 private:
  const GrashofMpi& mpi_;
  int rank_ = 0, size_ = 1;
  bool greeted_ = false;
  std::list<void*> sending_;
};

/// The cluster that this process is one of; null: it was started by itself. Throws InputError when it was
/// started by mpirun and the part of the program that speaks MPI is not there.
std::unique_ptr<Cluster> joinCluster();

/// Of rank 0: gives `hello` to all others, which prepare themselves with it. Throws InputError when one
/// cannot.
std::unique_ptr<study::Farm> clusterFarm(Cluster& cluster, const std::string& hello);

/// Of the others: does what rank 0 gives out until it says that all is done. `prepare` makes of the hello
/// what is to be done with a task. Returns the exit code.
int serve(Cluster& cluster, const std::function<study::Work(const std::string& hello)>& prepare);

/// serve() for packed studies.
int serveStudies(Cluster& cluster);

}  // namespace grashof
