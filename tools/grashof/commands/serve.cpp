#include "tools/grashof/commands/serve.h"

#include <charconv>
#include <chrono>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <httplib.h>

#include "engine/base/error.h"
#include "engine/run.h"

namespace grashof {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

/// Pages of other sites must not read the run through a name that they have made to mean this machine.
bool fromHere(const httplib::Request& request) {
  const std::string host = request.get_header_value("Host");
  const std::string name = host.substr(0, host.find(':'));
  return name == kLoopback || name == "localhost";
}

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
  ViewPage page;
  bool ended = false;
  std::mutex mutex;  // of both
};

/// Answers requests of this machine for the page and for its frames.
void addPages(httplib::Server& server, SharedPage& shared) {
  server.Get("/", [&shared](const httplib::Request& request, httplib::Response& response) {
    if (!fromHere(request)) {
      response.status = 403;
      return;
    }
    const std::lock_guard lock(shared.mutex);
    response.set_content(shared.page.html(true), "text/html; charset=utf-8");
  });
  server.Get("/frames", [&shared](const httplib::Request& request, httplib::Response& response) {
    if (!fromHere(request)) {
      response.status = 403;
      return;
    }
    const std::lock_guard lock(shared.mutex);
    response.set_content(shared.page.framesJson(numberOf(request.get_param_value("from")), shared.ended),
                         "application/json");
  });
}

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
  if (a.duration > 0.0) scenario.duration = a.duration;
  SharedPage shared{ViewPage(scenario, scenario.duration), false, {}};
  httplib::Server server;
  addPages(server, shared);
  const int port = bindPort(server, serve.port);
  std::thread listener([&] { server.listen_after_bind(); });
  announce(fmt::format("http://{}:{}/", kLoopback, port));

  std::optional<Divergence> divergence;
  try {
    const auto start = std::chrono::steady_clock::now();
    const RunResult result = run(scenario, "", [&](double, std::int64_t, const Simulator& simulator) {
      {
        const std::lock_guard lock(shared.mutex);
        shared.page.observe(simulator);
      }
      std::this_thread::sleep_until(start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                std::chrono::duration<double>(simulator.state().time)));
    });
    divergence = result.divergence;
  } catch (...) {
    server.stop();
    listener.join();
    throw;
  }
  if (divergence)
    fmt::print(stderr, "grashof: {}: diverged at {:.6g} s: {}\n", a.file, divergence->time,
               divergence->reason);
  {
    const std::lock_guard lock(shared.mutex);
    shared.ended = true;
  }
  announce("the run has ended; its page stays until Ctrl-C");
  listener.join();
  return divergence ? 3 : 0;
}

}  // namespace grashof
