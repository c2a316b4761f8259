#include "engine/scenario/series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/csv.h"
#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/scenario/xml_element.h"

namespace grashof {
namespace {

using xml::parseNumbers;

bool number(const std::optional<std::vector<double>>& parsed) { return parsed && parsed->size() == 1; }

/// Whether a cell is meant as a number, be it a good one.
bool meantAsNumber(const std::string& cell) {
  const std::size_t first = cell.find_first_not_of(" \t");
  if (first == std::string::npos) return false;
  if (std::string_view("+-.0123456789").find(cell[first]) != std::string_view::npos) return true;
  const std::string word = cell.substr(first, 3);
  return word == "nan" || word == "NaN" || word == "inf" || word == "Inf";
}

/// The next row that holds something; false at the end.
bool nextRow(std::istream& file, int& line, std::vector<std::string>& cells) {
  std::string text;
  while (std::getline(file, text)) {
    ++line;
    if (!text.empty() && text.back() == '\r') text.pop_back();
    if (text.empty() || text[0] == '#') continue;
    cells = csvCells(text);
    if (cells.back().empty()) cells.pop_back();  // a comma at the end of a line ends it
    return true;
  }
  return false;
}

constexpr std::uintmax_t kLargestSeries = std::uintmax_t{512} << 20;

std::ifstream openSeries(const std::string& path) {
  const std::string wanted = "a CSV file: time, then values";
  checkInputFile(path, kLargestSeries, wanted);
  std::ifstream file(path);
  if (!file) throw InputError(path + ": cannot be read (" + wanted + ")");
  // Some spreadsheets begin a file with the mark of UTF-8.
  std::array<char, 3> mark{};
  file.read(mark.data(), mark.size());
  if (std::string_view(mark.data(), mark.size()) != "\xef\xbb\xbf") {
    file.clear();
    file.seekg(0);
  }
  return file;
}

}  // namespace

std::vector<std::string> seriesHeadings(const std::string& path) {
  std::ifstream file = openSeries(path);
  int line = 0;
  std::vector<std::string> cells;
  if (!nextRow(file, line, cells) || (!cells.empty() && meantAsNumber(cells[0]))) return {};
  return cells;
}

void readSeries(const std::string& path, const std::string& column, Signal& signal, SeriesGaps gaps) {
  std::ifstream file = openSeries(path);
  int line = 0;
  std::vector<std::string> cells;
  const std::vector<std::string> headings = seriesHeadings(path);
  std::size_t wanted = 1;
  if (!headings.empty()) {
    nextRow(file, line, cells);
    if (!column.empty()) {
      const auto at = std::find(headings.begin(), headings.end(), column);
      if (at == headings.end())
        throw InputError(fmt::format("{}:{}: there is no column '{}' (the headings are on this line)", path,
                                     line, column));
      wanted = static_cast<std::size_t>(at - headings.begin());
    }
  } else if (!column.empty()) {
    const auto index = parseNumbers(column);
    if (!number(index) || !((*index)[0] >= 2.0 && (*index)[0] <= 1e6) ||
        std::floor((*index)[0]) != (*index)[0])
      throw InputError(fmt::format("column=\"{}\": {} has no headings (a number from 2 on)", column, path));
    wanted = static_cast<std::size_t>((*index)[0]) - 1;
  }
  while (nextRow(file, line, cells)) {
    const auto time = parseNumbers(cells.empty() ? "" : cells[0]);
    auto value = wanted < cells.size() ? parseNumbers(cells[wanted]) : std::nullopt;
    if (gaps == SeriesGaps::Nan && wanted < cells.size() && cells[wanted] == "nan")
      value = {std::numeric_limits<double>::quiet_NaN()};
    if (!number(time) || !number(value))
      throw InputError(
          fmt::format("{}:{}: needs a finite time and value (separated by a comma)", path, line));
    if (!signal.times.empty() && !((*time)[0] > signal.times.back()))
      throw InputError(fmt::format("{}:{}: time does not increase (sort the rows)", path, line));
    signal.times.push_back((*time)[0]);
    signal.values.push_back((*value)[0]);
  }
  if (signal.times.empty()) throw InputError(path + ": holds no samples (rows of time, value)");
}

}  // namespace grashof
