#include "tools/grashof/interruption.h"

#include <array>
#include <csignal>
#include <utility>

namespace grashof {
namespace {

constexpr std::array<std::pair<int, const char*>, 3> kSignals = {
    {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}}};

volatile std::sig_atomic_t noted = 0;

void note(int signal) {
  noted = signal;
  for (const auto& [number, name] : kSignals)
    if (std::signal(number, SIG_DFL) == SIG_IGN) std::signal(number, SIG_IGN);
}

}  // namespace

Interruption::Interruption() {
  noted = 0;
  for (const auto& [number, name] : kSignals)
    if (std::signal(number, &note) == SIG_IGN) std::signal(number, SIG_IGN);
}

Interruption::~Interruption() {
  for (const auto& [number, name] : kSignals)
    if (std::signal(number, SIG_DFL) == SIG_IGN) std::signal(number, SIG_IGN);
}

std::string Interruption::name() {
  for (const auto& [number, name] : kSignals)
    if (number == noted) return name;
  return {};
}

int Interruption::exitCode() { return noted == 0 ? 0 : 128 + noted; }

}  // namespace grashof
