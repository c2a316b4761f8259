#include <limits>

#include <fmt/format.h>

#include "engine/study/bytes.h"
#include "engine/study/study.h"

namespace grashof::study {

std::string packRow(const RunRow& row) {
  ByteWriter out;
  out.number(row.run);
  out.number(static_cast<std::uint64_t>(row.status));
  out.number(row.measures.size());
  for (const double x : row.measures) out.real(x);
  out.text(row.reason);
  return out.bytes();
}

RunRow unpackRow(std::string_view bytes) {
  ByteReader in(bytes);
  RunRow row;
  row.run = in.number();
  const std::uint64_t status = in.number();
  if (status > static_cast<std::uint64_t>(RunStatus::Broken))
    throw InputError("the row has an unknown status");
  row.status = static_cast<RunStatus>(status);
  row.measures.resize(in.count(8));
  for (double& x : row.measures) x = in.real();
  row.reason = in.text();
  if (!in.done()) throw InputError("the row is followed by something else");
  return row;
}

void Rows::add(const RunRow& row) {
  const bool ok = row.status == RunStatus::Ok;
  if (row.run >= runs() || row.measures.size() != (ok ? measures_ : 0))
    throw InputError(fmt::format("row {} with {} measures is not of this study ({} runs, {} measures)",
                                 row.run, row.measures.size(), runs(), measures_));
  if (has(row.run)) return;
  if (values_.empty()) values_.assign(runs() * measures_, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < row.measures.size(); ++i) values_[row.run * measures_ + i] = row.measures[i];
  if (!row.reason.empty()) reasons_[row.run] = row.reason;
  status_[row.run] = static_cast<std::uint8_t>(row.status);
  ++count_;
}

double Rows::value(std::uint64_t run, std::size_t measure) const {
  return ok(run) ? values_[run * measures_ + measure] : std::numeric_limits<double>::quiet_NaN();
}

const std::string& Rows::reason(std::uint64_t run) const {
  static const std::string none;
  const auto found = reasons_.find(run);
  return found == reasons_.end() ? none : found->second;
}

}  // namespace grashof::study
