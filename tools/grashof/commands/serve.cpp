#include "tools/grashof/commands/serve.h"

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <httplib.h>

#include "engine/base/error.h"
#include "engine/run.h"
#include "tools/grashof/commands/run_options.h"

namespace grashof {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr std::size_t kMostThreads = 256;      // connections that are answered side by side
constexpr std::chrono::seconds kPatience{2};   // with a client that sends or takes nothing
constexpr std::size_t kLongestRequest = 4096;  // bytes of a body, which nothing needs

/// Pages of other sites must not read the run through a name that they have made to mean this machine.
bool fromHere(const httplib::Request& request) {
  const std::string host = request.get_header_value("Host");
  const std::string name = host.substr(0, host.find(':'));
  return name == kLoopback || name == "localhost";
}

/// Threads made as connections come, so that slow ones do not keep the others waiting.
class Connections : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> answer) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(answer));
    if (waiting_.size() > idle_ && threads_.size() < kMostThreads) threads_.emplace_back([this] { work(); });
    wake_.notify_one();
  }
  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      wake_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
      --idle_;
      if (waiting_.empty()) return;
      const std::function<void()> answer = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      try {
        answer();
      } catch (...) {
        // Out of memory for one connection: the others, and the run, go on.
      }
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ended_ = false;
};

std::size_t numberOf(const std::string& text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void announce(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

/// A page as the run and the server share it.
struct SharedPage {
  using Clock = std::chrono::steady_clock;

  /// The page with the frames of at most a second ago; it asks for those since itself. Making it takes long
  /// enough for many clients to hold up the run.
  const std::string& html() {
    if (text.empty() || Clock::now() - made > std::chrono::seconds(1)) {
      text = page.html(true);
      made = Clock::now();
    }
    return text;
  }

  ViewPage page;
  bool ended = false;
  std::mutex mutex{};  // of all
  std::string text{};
  Clock::time_point made{};
};

/// Answers requests of this machine for the page and for its frames.
void addPages(httplib::Server& server, SharedPage& shared) {
  server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    if (!fromHere(request))
      response.status = 403;
    else if (!request.ranges.empty())
      response.status = 416;  // many ranges of one page make an answer of any size
    else
      return httplib::Server::HandlerResponse::Unhandled;
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_exception_handler([](const httplib::Request&, httplib::Response& response,
                                  const std::exception_ptr&) { response.status = 500; });
  server.Get("/", [&shared](const httplib::Request&, httplib::Response& response) {
    const std::lock_guard lock(shared.mutex);
    response.set_content(shared.html(), "text/html; charset=utf-8");
  });
  server.Get("/frames", [&shared](const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(shared.mutex);
    response.set_content(shared.page.framesJson(numberOf(request.get_param_value("from")), shared.ended),
                         "application/json");
  });
}

void limit(httplib::Server& server) {
  server.new_task_queue = [] { return std::make_unique<Connections>().release(); };  // the server deletes it
  server.set_read_timeout(kPatience);
  server.set_write_timeout(kPatience);
  server.set_keep_alive_timeout(kPatience.count());
  server.set_payload_max_length(kLongestRequest);
}

/// Listens in a thread of its own, which ends with it.
class Listener {
 public:
  explicit Listener(httplib::Server& server)
      : server_(server), thread_([&server] { server.listen_after_bind(); }) {}
  ~Listener() {
    if (!thread_.joinable()) return;
    server_.stop();
    thread_.join();
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  /// Until the program is ended.
  void wait() { thread_.join(); }

 private:
  httplib::Server& server_;
  std::thread thread_;
};

/// Listens on `wanted`, or on any free port when that is 0. Returns the port.
int bindPort(httplib::Server& server, int wanted) {
  // The library's default would share a port with whoever has it already.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  int port = wanted;
  const bool bound =
      port > 0 ? server.bind_to_port(kLoopback, port) : (port = server.bind_to_any_port(kLoopback)) > 0;
  if (!bound) throw InputError(fmt::format("--port {}: is taken (name another, or 0 for any)", wanted));
  return port;
}

}  // namespace

int serveRun(const ViewArguments& a, const ServeArguments& serve) {
  Scenario scenario = readScenario(a.file);
  setDuration(scenario, a.duration);
  SharedPage shared{ViewPage(scenario, scenario.duration), false};
  httplib::Server server;
  addPages(server, shared);
  limit(server);
  const int port = bindPort(server, serve.port);
  Listener listener(server);
  announce(fmt::format("http://{}:{}/", kLoopback, port));

  const auto start = std::chrono::steady_clock::now();
  RunSettings settings;
  settings.progress = [&](double, std::int64_t, const Simulator& simulator) {
    {
      const std::lock_guard lock(shared.mutex);
      shared.page.observe(simulator);
    }
    std::this_thread::sleep_until(start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                              std::chrono::duration<double>(simulator.state().time)));
  };
  const RunResult result = run(scenario, "", settings);
  const std::optional<Divergence>& divergence = result.divergence;
  if (divergence)
    fmt::print(stderr, "grashof: {}: diverged at {:.6g} s: {}\n", a.file, divergence->time,
               divergence->reason);
  {
    const std::lock_guard lock(shared.mutex);
    shared.ended = true;
  }
  announce("the run has ended; its page stays until Ctrl-C");
  listener.wait();
  return divergence ? 3 : 0;
}

}  // namespace grashof
