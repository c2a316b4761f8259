#include "tools/grashof/cluster/cluster.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <thread>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/study/bytes.h"
#include "engine/study/driver.h"
#include "engine/study/study.h"
#include "tools/grashof/exit_code.h"
#include "tools/grashof/temporary_folder.h"
#include "tools/shared_library.h"

namespace grashof {
namespace {

constexpr std::size_t kInFlight = 2;  // tasks a worker
constexpr auto kNap = std::chrono::microseconds(300);
constexpr char kTask = 'T', kEnd = 'E', kReady = 'R', kRefused = 'X';

/// How many processes mpirun, or what speaks for it, has started; 1: it did not.
int startedProcesses() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  // srun --mpi=pmix tells the number in its own variable only.
  const char* const tasks = std::getenv("PMIX_RANK") ? std::getenv("SLURM_NTASKS") : nullptr;
  return tasks ? std::atoi(tasks) : 1;
}

const GrashofMpi& loadMpi() {
  std::string why;
  if (void* const found = partOfProgram("grashof_mpi.so", GRASHOF_MPI_SYMBOL, why))
    return *reinterpret_cast<const GrashofMpi* (*)()>(found)();
  throw InputError(
      fmt::format("was started by mpirun, but its part that speaks MPI, grashof_mpi.so, cannot be loaded: "
                  "{} (install libopenmpi-dev and build again, or run it without mpirun)",
                  why));
}

class ClusterFarm : public study::Farm {
 public:
  ClusterFarm(Cluster& cluster, const std::string& hello) : cluster_(cluster), tickets_(cluster.size()) {
    cluster_.broadcast(hello);
    std::string wrong;
    for (std::size_t ready = 1; ready < cluster_.size();) {
      int from = 0;
      std::string bytes;
      const bool got = cluster_.receive(from, bytes);
      cluster_.progress(!got);
      if (!got) continue;
      ++ready;
      if (bytes.at(0) == kRefused) wrong = bytes.substr(1);
    }
    if (wrong.empty()) return;
    end();
    throw InputError(wrong);
  }
  ~ClusterFarm() override {
    end();
    // Workers answer what they have; nobody waits for a message that is not taken.
    int from = 0;
    for (std::string bytes; ended_ + 1 < cluster_.size();) {
      const bool got = cluster_.receive(from, bytes);
      cluster_.progress(!got);
      if (got && bytes.at(0) == kEnd) ++ended_;
    }
  }

  std::size_t workers() const override { return tickets_.size() - 1; }
  bool wantsTask() const override {
    return std::any_of(tickets_.begin() + 1, tickets_.end(),
                       [](const auto& t) { return t.size() < kInFlight; });
  }
  void give(std::uint64_t ticket, const std::string& task) override {
    const auto idlest = std::min_element(tickets_.begin() + 1, tickets_.end(),
                                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    idlest->push_back(ticket);
    cluster_.send(static_cast<int>(idlest - tickets_.begin()), kTask + task);
  }
  std::vector<study::Outcome> collect(double seconds) override {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::vector<study::Outcome> outcomes;
    int from = 0;
    for (std::string bytes;
         outcomes.empty() && std::chrono::duration<double>(Clock::now() - start).count() < seconds;) {
      while (cluster_.receive(from, bytes)) {
        auto& tickets = tickets_.at(static_cast<std::size_t>(from));
        if (bytes.at(0) == kRefused) throw Error("a worker ended: " + bytes.substr(1));
        outcomes.push_back({tickets.front(), bytes.substr(1), false, false, {}});
        tickets.pop_front();
      }
      cluster_.progress(outcomes.empty());
    }
    return outcomes;
  }

 private:
  void end() {
    for (int rank = 1; rank < static_cast<int>(cluster_.size()); ++rank)
      cluster_.send(rank, std::string(1, kEnd));
  }

  Cluster& cluster_;
  std::vector<std::deque<std::uint64_t>> tickets_;  // by rank
  std::size_t ended_ = 0;
};

}  // namespace

Cluster::Cluster(const GrashofMpi& mpi) : mpi_(mpi) {
  if (mpi_.start(&rank_, &size_) != 0) throw Error("MPI cannot be started");
}

Cluster::~Cluster() {
  try {
    // A rank that ends before its work began, as by an error in its input, lets the others know.
    if (!greeted_ && rank_ == 0) broadcast();
    if (!greeted_ && rank_ > 0)
      serve(*this, [](const std::string&) -> study::Work { throw Error("its input cannot be read"); });
  } catch (const Error&) {
    sending_.clear();  // MPI itself has failed: nobody waits
  }
  while (!sending_.empty()) progress(true);
  mpi_.finish();
}

std::string Cluster::broadcast(const std::string& bytes) {
  greeted_ = true;
  std::uint64_t size = bytes.size();
  std::string all = bytes;
  if (mpi_.broadcast(&size, sizeof size) != 0) throw Error("MPI cannot broadcast");
  all.resize(size);
  if (mpi_.broadcast(all.data(), all.size()) != 0) throw Error("MPI cannot broadcast");
  return all;
}

void Cluster::send(int to, const std::string& bytes) {
  void* const handle = mpi_.send(to, bytes.data(), bytes.size());
  if (!handle) throw Error("MPI cannot send");
  sending_.push_back(handle);
}

bool Cluster::receive(int& from, std::string& bytes) {
  std::size_t size = 0;
  if (!mpi_.waiting(&from, &size)) return false;
  bytes.resize(size);
  if (mpi_.receive(from, bytes.data(), size) != 0) throw Error("MPI cannot receive");
  return true;
}

void Cluster::progress(bool idle) {
  sending_.remove_if([&](void* handle) { return mpi_.sent(handle) != 0; });
  // Waiting within MPI would take a processor.
  if (idle) std::this_thread::sleep_for(kNap);
}

std::unique_ptr<Cluster> joinCluster() {
  if (startedProcesses() < 2) return nullptr;
  return std::make_unique<Cluster>(loadMpi());
}

std::unique_ptr<study::Farm> clusterFarm(Cluster& cluster, const std::string& hello) {
  return std::make_unique<ClusterFarm>(cluster, hello);
}

int serve(Cluster& cluster, const std::function<study::Work(const std::string& hello)>& prepare) {
  const std::string hello = cluster.broadcast();
  if (hello.empty()) return kDone;
  study::Work work;
  std::string answer(1, kReady);
  try {
    work = prepare(hello);
  } catch (const std::exception& error) {
    answer = fmt::format("{}rank {}: {}", kRefused, cluster.rank(), error.what());
  }
  cluster.send(0, answer);
  int from = 0;
  for (std::string bytes;;) {
    const bool got = cluster.receive(from, bytes);
    cluster.progress(!got);
    if (!got) continue;
    if (bytes.at(0) == kEnd) break;
    try {
      cluster.send(0, kTask + work(bytes.substr(1)));
    } catch (const std::exception& error) {
      cluster.send(0, fmt::format("{}rank {}: {}", kRefused, cluster.rank(), error.what()));
    }
  }
  cluster.send(0, std::string(1, kEnd));
  return kDone;
}

int serveStudies(Cluster& cluster) {
  const TemporaryFolder folder;
  return serve(cluster, [&](const std::string& hello) -> study::Work {
    const auto study = std::make_shared<study::Study>(study::Study::unpack(hello, folder.path()));
    return [study](const std::string& task) { return makeRuns(*study, task); };
  });
}

}  // namespace grashof
