#include "tools/grashof/commands/serve.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "tools/grashof/interruption.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/viewer/live_run.h"

namespace grashof {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr std::size_t kMostThreads = 256;      // connections that are answered side by side
constexpr std::chrono::seconds kPatience{2};   // with a client that sends or takes nothing
constexpr std::size_t kLongestRequest = 4096;  // bytes of a body: of a command

/// Pages of other sites must not read the run through a name that they have made to mean this machine, nor
/// keep it busy with requests; they may link to it.
bool fromHere(const httplib::Request& request) {
  const std::string host = request.get_header_value("Host");
  const std::string name = host.substr(0, host.find(':'));
  const std::string site = request.get_header_value("Sec-Fetch-Site");  // browsers tell
  const bool own = site.empty() || site == "same-origin" || site == "none" || request.path == "/";
  return (name == kLoopback || name == "localhost") && own;
}

/// A body whose length is not told, or that is packed, may be of any size.
bool bodyOfUnknownLength(const httplib::Request& request) {
  return request.method != "GET" && request.method != "HEAD" &&
         (!request.has_header("Content-Length") || request.has_header("Transfer-Encoding") ||
          request.has_header("Content-Encoding"));
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

constexpr const char* kJson = "application/json";

std::string randomToken() {
  std::random_device source;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", source());
  return token;
}

/// Compares all characters, so that the time tells nothing.
bool sameToken(const std::string& a, const std::string& b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    different |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return different == 0;
}

/// Does a command; whoever sends it must have read the address of the program, where the token stands.
void answerCommand(LiveRun& run, const std::string& token, const httplib::Request& request,
                   httplib::Response& response) {
  nlohmann::ordered_json answer;
  if (!sameToken(request.get_header_value("X-Grashof-Token"), token)) {
    response.status = 403;
    answer["error"] = "to control the run, open the whole address that the program has printed";
  } else {
    try {
      answer = run.act(nlohmann::json::parse(request.body));
    } catch (const nlohmann::json::exception&) {
      response.status = 400;
      answer["error"] = "is no JSON";
    } catch (const Error& error) {
      answer["error"] = error.what();
    }
  }
  response.set_content(jsonLine(answer), kJson);
}

/// Answers requests of this machine.
void addPages(httplib::Server& server, LiveRun& run, const std::string& token) {
  server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    if (!fromHere(request))
      response.status = 403;
    else if (bodyOfUnknownLength(request))
      response.status = 411;
    else if (!request.ranges.empty())
      response.status = 416;  // many ranges of one page make an answer of any size
    else
      return httplib::Server::HandlerResponse::Unhandled;
    response.set_header("Connection", "close");
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_exception_handler([](const httplib::Request&, httplib::Response& response,
                                  const std::exception_ptr&) { response.status = 500; });
  server.Get("/", [&run](const httplib::Request&, httplib::Response& response) {
    response.set_content(run.html(), "text/html; charset=utf-8");
  });
  server.Get("/more", [&run](const httplib::Request& request, httplib::Response& response) {
    const auto number = [&](const char* key) { return numberOf(request.get_param_value(key)); };
    const Shown shown{number("frames"), number("intervals"),
                      static_cast<int>(std::min<std::size_t>(number("epoch"), 1000))};
    const auto take = static_cast<std::int64_t>(std::min<std::size_t>(number("take"), std::size_t{1} << 62));
    response.set_content(jsonLine(run.more(take, shown)), kJson);
  });
  server.Get("/setup", [&run](const httplib::Request&, httplib::Response& response) {
    response.set_content(jsonLine(run.setup()), kJson);
  });
  server.Post("/do", [&run, token](const httplib::Request& request, httplib::Response& response) {
    answerCommand(run, token, request, response);
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
  if (!a.scenario.empty())
    throw InputError("--scenario: only a scenario can be served (it is for recorded runs)");
  LiveSettings settings;
  settings.file = a.file;
  settings.overrides = overridesOf(a);
  settings.duration = a.duration;
  settings.controller = serve.controller;
  settings.watch = serve.watch;
  LiveRun run(std::move(settings));
  const std::string token = randomToken();
  httplib::Server server;
  addPages(server, run, token);
  limit(server);
  const int port = bindPort(server, serve.port);
  const Interruption interruption;
  Listener listener(server);
  announce(fmt::format("http://{}:{}/#token={}", kLoopback, port, token));
  run.go([] { return !Interruption::name().empty(); }, announce);
  return Interruption::exitCode();
}

}  // namespace grashof
