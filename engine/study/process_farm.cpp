#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/study/bytes.h"
#include "engine/study/farm.h"

namespace grashof::study {
namespace {

constexpr std::size_t kInFlight = 2;  // tasks a worker: the next one is there when one is done
constexpr int kMostFailures = 20;     // workers that end one after the other without a result

std::string frameOf(const std::string& bytes) {
  ByteWriter head;
  head.number(bytes.size());
  return head.bytes() + bytes;
}

/// Takes a whole frame from the front of `buffer`.
bool takeFrame(std::string& buffer, std::string& frame) {
  if (buffer.size() < 8) return false;
  const std::uint64_t size = ByteReader(buffer).number();
  if (buffer.size() - 8 < size) return false;
  frame = buffer.substr(8, size);
  buffer.erase(0, 8 + size);
  return true;
}

// Of the worker, which waits.
bool readAll(int socket, char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t count = read(socket, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool writeAll(int socket, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t count = send(socket, bytes, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

/// The life of a worker.
[[noreturn]] void workerMain(int socket, pid_t parent, const Work& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  // Ctrl-C is the matter of the parent.
  for (const int signal : {SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  // Locks and files of the parent are none of ours.
  if (socket > 3) close_range(3, static_cast<unsigned>(socket) - 1, 0);
  close_range(static_cast<unsigned>(socket) + 1, ~0U, 0);
  const tbb::global_control single(tbb::global_control::max_allowed_parallelism, 1);
  try {
    std::array<char, 8> head{};
    while (readAll(socket, head.data(), head.size())) {
      std::string task(ByteReader(std::string_view(head.data(), head.size())).number(), '\0');
      if (!readAll(socket, task.data(), task.size())) break;
      const std::string result = frameOf(work(task));
      if (!writeAll(socket, result.data(), result.size())) break;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "grashof: a worker ends: {}\n", error.what());
    _exit(70);
  }
  _exit(0);
}

std::string endOf(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ended with code {}", WEXITSTATUS(status));
}

class ProcessFarm : public Farm {
 public:
  ProcessFarm(std::size_t workers, Work work) : work_(std::move(work)), workers_(workers) {
    std::string why;
    for (Worker& w : workers_) why = start(w);
    if (std::none_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.pid > 0; }))
      throw Error("no worker can be started (" + why + ")");
  }
  ~ProcessFarm() override {
    for (Worker& w : workers_)
      if (w.pid > 0) kill(w.pid, SIGKILL);
    for (Worker& w : workers_) {
      if (w.pid > 0) waitpid(w.pid, nullptr, 0);
      if (w.socket >= 0) close(w.socket);
    }
  }

  std::size_t workers() const override {
    return static_cast<std::size_t>(
        std::count_if(workers_.begin(), workers_.end(), [](const Worker& w) { return w.pid > 0; }));
  }

  bool wantsTask() const override {
    return std::any_of(workers_.begin(), workers_.end(),
                       [](const Worker& w) { return w.pid > 0 && w.tickets.size() < kInFlight; });
  }

  void give(std::uint64_t ticket, const std::string& task) override {
    const auto idlest =
        std::min_element(workers_.begin(), workers_.end(),
                         [](const Worker& a, const Worker& b) { return a.load() < b.load(); });
    idlest->tickets.push_back(ticket);
    idlest->out += frameOf(task);
    flush(*idlest);
  }

  std::vector<Outcome> collect(double seconds) override {
    std::vector<Outcome> outcomes;
    std::vector<pollfd> waits;
    for (const Worker& w : workers_)
      waits.push_back({w.socket, static_cast<short>(POLLIN | (w.out.empty() ? 0 : POLLOUT)), 0});
    if (poll(waits.data(), waits.size(), static_cast<int>(1000.0 * seconds)) < 0) return outcomes;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      Worker& w = workers_[i];
      if (w.pid <= 0 || waits[i].revents == 0) continue;
      if (waits[i].revents & POLLOUT) flush(w);
      if (waits[i].revents & (POLLIN | POLLHUP | POLLERR)) receive(w, outcomes);
    }
    return outcomes;
  }

 private:
  struct Worker {
    pid_t pid = 0;
    int socket = -1;
    std::deque<std::uint64_t> tickets;  // the first one is being worked at
    std::string in, out;
    std::size_t load() const { return pid > 0 ? tickets.size() : ~std::size_t{0}; }
  };

  /// Why it could not be started; empty: it could.
  std::string start(Worker& w) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return std::strerror(errno);
    std::fflush(nullptr);  // or a worker would write what is buffered once more
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) workerMain(pair[1], parent, work_);
    close(pair[1]);
    if (pid < 0) {
      std::string why = std::strerror(errno);
      close(pair[0]);
      return why;
    }
    fcntl(pair[0], F_SETFL, fcntl(pair[0], F_GETFL) | O_NONBLOCK);
    w.pid = pid;
    w.socket = pair[0];
    return {};
  }

  void flush(Worker& w) {
    while (!w.out.empty()) {
      const ssize_t count = send(w.socket, w.out.data(), w.out.size(), MSG_NOSIGNAL);
      if (count <= 0) return;  // later, or receive() finds that the worker has ended
      w.out.erase(0, static_cast<std::size_t>(count));
    }
  }

  void receive(Worker& w, std::vector<Outcome>& outcomes) {
    std::array<char, 65536> bytes{};
    ssize_t count = 0;
    while ((count = read(w.socket, bytes.data(), bytes.size())) > 0)
      w.in.append(bytes.data(), static_cast<std::size_t>(count));
    const bool ended = count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    for (std::string frame; !w.tickets.empty() && takeFrame(w.in, frame);) {
      outcomes.push_back({w.tickets.front(), std::move(frame), false, false, {}});
      w.tickets.pop_front();
      failures_ = 0;
    }
    if (ended) replace(w, outcomes);
  }

  void replace(Worker& w, std::vector<Outcome>& outcomes) {
    int status = 0;
    kill(w.pid, SIGKILL);  // it has closed its end
    waitpid(w.pid, &status, 0);
    close(w.socket);
    for (std::size_t i = 0; i < w.tickets.size(); ++i)
      outcomes.push_back({w.tickets[i], {}, true, i == 0, "its worker " + endOf(status)});
    w = Worker{};
    if (++failures_ > kMostFailures)
      throw Error(fmt::format("{} workers ended one after the other without a result, the last {}",
                              kMostFailures, endOf(status)));
    const std::string why = start(w);
    if (!why.empty() && workers() == 0)
      throw Error("no worker is left, and none can be started (" + why + ")");
  }

  Work work_;
  std::vector<Worker> workers_;
  int failures_ = 0;
};

}  // namespace

std::unique_ptr<Farm> processFarm(std::size_t workers, Work work) {
  return std::make_unique<ProcessFarm>(workers, std::move(work));
}

std::size_t availableProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max<std::size_t>(1, static_cast<std::size_t>(CPU_COUNT(&set)));
}

}  // namespace grashof::study
