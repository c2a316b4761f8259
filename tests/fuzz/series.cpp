// A motion in a CSV file is read and evaluated. The first line of the input is the name of a column.
#include "engine/scenario/series.h"

#include "tests/fuzz/target.h"

using namespace grashof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFolder folder;
  const std::string text = fuzz::textOf({data, size});
  const std::size_t line = text.find('\n');
  if (line == std::string::npos) return 0;
  const std::string path = folder.write("motion.csv", text.substr(line + 1));
  fuzz::refusable([&] {
    (void)seriesHeadings(path);
    Signal signal;
    signal.kind = Signal::Kind::Series;
    readSeries(path, text.substr(0, line), signal);
    for (const double time : {-1e9, 0.0, 0.5, signal.times.front(), signal.times.back(), 1e9})
      for (const Interpolation how : {Interpolation::Linear, Interpolation::Cubic}) {
        signal.interpolation = how;
        (void)signal.value(time);
        (void)signal.rate(time);
      }
  });
  return 0;
}
