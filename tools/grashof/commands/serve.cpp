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

}  // namespace

int serveRun(const ViewArguments& a, const ServeArguments& serve) {
  Scenario scenario = readScenario(a.file);
  if (a.duration > 0.0) scenario.duration = a.duration;
  ViewPage page(scenario, scenario.duration);
  std::mutex mutex;  // of page and ended
  bool ended = false;

  httplib::Server server;
  // The library's default would share a port with whoever has it already.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.Get("/", [&](const httplib::Request& request, httplib::Response& response) {
    if (!fromHere(request)) {
      response.status = 403;
      return;
    }
    const std::lock_guard lock(mutex);
    response.set_content(page.html(true), "text/html; charset=utf-8");
  });
  server.Get("/frames", [&](const httplib::Request& request, httplib::Response& response) {
    if (!fromHere(request)) {
      response.status = 403;
      return;
    }
    const std::lock_guard lock(mutex);
    response.set_content(page.framesJson(numberOf(request.get_param_value("from")), ended),
                         "application/json");
  });
  int port = serve.port;
  const bool bound =
      port > 0 ? server.bind_to_port(kLoopback, port) : (port = server.bind_to_any_port(kLoopback)) > 0;
  if (!bound) throw InputError(fmt::format("--port {}: is taken (name another, or 0 for any)", serve.port));
  std::thread listener([&] { server.listen_after_bind(); });
  fmt::print("http://{}:{}/\n", kLoopback, port);
  std::fflush(stdout);

  std::optional<Divergence> divergence;
  try {
    const auto start = std::chrono::steady_clock::now();
    const RunResult result = run(scenario, "", [&](double, std::int64_t, const Simulator& simulator) {
      {
        const std::lock_guard lock(mutex);
        page.observe(simulator);
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
    const std::lock_guard lock(mutex);
    ended = true;
  }
  fmt::print("the run has ended; its page stays until Ctrl-C\n");
  std::fflush(stdout);
  listener.join();
  return divergence ? 3 : 0;
}

}  // namespace grashof
