// Random mechanisms, run and judged by what holds for every mechanism (judge.h).
//
//   fuzz_mechanisms [--count N] [--first SEED] [--steps N] [--threads N] [--out FOLDER] [--rough]
//
// Prints one line for each failure, with its seed; `--first SEED --count 1` runs it alone. `--out`: writes
// the mechanisms that fail as scenarios. `--rough`: the same mechanisms with friction that depends on loads,
// losses of couplings, clearances, surfaces with all kinds of friction and knife edges. Exit code 1: there
// were failures.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "tests/fuzz/judge.h"

namespace grashof::fuzz {
namespace {

struct Arguments {
  std::uint64_t count = 300, first = 1;
  int steps = 200, threads = 2;
  std::string out;
  bool verbose = false, rough = false;
};

template <typename Integer>
Integer positive(const std::string& name, std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    throw InputError(fmt::format("{} {}: must be a whole number > 0", name, text));
  return value;
}

Arguments argumentsOf(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--verbose" || name == "--rough") {
      (name == "--rough" ? a.rough : a.verbose) = true;
      continue;
    }
    if (i + 1 == argc) throw InputError(name + ": unknown, or without a value (--count N --first SEED …)");
    const std::string value = argv[++i];
    if (name == "--count")
      a.count = positive<std::uint64_t>(name, value);
    else if (name == "--first")
      a.first = positive<std::uint64_t>(name, value);
    else if (name == "--steps")
      a.steps = std::min(positive<int>(name, value), 2000);
    else if (name == "--threads")
      a.threads = positive<int>(name, value);
    else if (name == "--out")
      a.out = value;
    else
      throw InputError(name + ": unknown (--count --first --steps --threads --out --rough --verbose)");
  }
  return a;
}

/// Sums over the mechanisms of one kind.
struct Tally {
  int run = 0, refused = 0, diverged = 0, failed = 0, refined = 0;
  long steps = 0, unsolved = 0;

  void add(const Judgement& j) {
    ++run;
    refused += j.verdict == Verdict::Refused;
    diverged += j.verdict == Verdict::Diverged;
    failed += j.verdict == Verdict::Failed;
    refined += j.refined;
    steps += j.steps;
    unsolved += j.unsolved;
  }
  Tally& operator+=(const Tally& t) {
    run += t.run;
    refused += t.refused;
    diverged += t.diverged;
    failed += t.failed;
    refined += t.refined;
    steps += t.steps;
    unsolved += t.unsolved;
    return *this;
  }
  void print(const std::string& name) const {
    fmt::print("{:>9} {:>7} {:>8} {:>9} {:>7} {:>8} {:>9} {:>9}\n", name, run, refused, diverged, failed,
               refined, steps, unsolved);
  }
};

std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void writeFailed(const Mechanism& mechanism, const std::string& path) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  Scenario scenario;
  scenario.name = mechanism.model->name;
  scenario.model = mechanism.model;
  writeScenario(scenario, path);
}

int run(const Arguments& a) {
  std::map<std::string, Tally> kinds;
  double slowest = 0.0;
  std::uint64_t slowestSeed = a.first;
  for (std::uint64_t seed = a.first; seed < a.first + a.count; ++seed) {
    const auto start = std::chrono::steady_clock::now();
    const Mechanism mechanism = randomMechanism(seed, firstStep(a.steps), a.rough);
    const Judgement judgement = judge(mechanism, a.steps, a.threads);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds > slowest) slowest = seconds, slowestSeed = seed;
    kinds[mechanism.kind].add(judgement);
    const bool failed = judgement.verdict == Verdict::Failed;
    if (failed || (a.verbose && !judgement.reason.empty())) {
      constexpr const char* kNames[] = {"passed", "refused", "diverged", "FAILED"};
      fmt::print("seed {} ({}) {}: {}\n", seed, mechanism.kind, kNames[static_cast<int>(judgement.verdict)],
                 oneLine(judgement.reason));
      std::fflush(stdout);
    }
    if (failed && !a.out.empty() && mechanism.model)
      writeFailed(mechanism, fmt::format("{}/fuzz-{}.xml", a.out, seed));
  }
  fmt::print("{:>9} {:>7} {:>8} {:>9} {:>7} {:>8} {:>9} {:>9}\n", "kind", "run", "refused", "diverged",
             "failed", "refined", "steps", "unsolved");
  Tally all;
  for (const auto& [kind, tally] : kinds) {
    tally.print(kind);
    all += tally;
  }
  all.print("all");
  fmt::print("slowest: seed {}, {:.2f} s\n", slowestSeed, slowest);
  return all.failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace grashof::fuzz

int main(int argc, char** argv) {
  try {
    return grashof::fuzz::run(grashof::fuzz::argumentsOf(argc, argv));
  } catch (const grashof::Error& error) {
    fmt::print(stderr, "fuzz_mechanisms: {}\n", error.what());
    return 2;
  }
}
