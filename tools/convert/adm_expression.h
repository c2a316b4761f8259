#pragma once
/// Function expressions of Adams/Solver: arithmetic over time and measures between markers.

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grashof::convert {

/// What a function measures between two markers.
struct AdmMeasure {
  std::string name;              ///< DM, VR, AZ, ...
  std::array<int, 4> markers{};  ///< as written; 0: not given
  bool operator<(const AdmMeasure& other) const {
    return name != other.name ? name < other.name : markers < other.markers;
  }
};

/// A sum of measures times constants, and what depends on time alone (a node).
struct AdmLinear {
  std::map<AdmMeasure, double> coefficients;
  int rest = -1;
};

/// An expression as a tree, in the units of its file and rad.
class AdmExpression {
 public:
  /// The text of the function of VARIABLE/id, for VARVAL; null: there is none.
  using Variables = std::function<const std::string*(int id)>;

  /// Parses `text`; `defect` receives what is wrong with it. Nesting beyond some hundred levels is a defect.
  AdmExpression(const std::string& text, const Variables& variables, std::string& defect);

  int root() const { return root_; }
  /// What a measure is worth, in the units of the file.
  using Measures = std::function<double(const AdmMeasure&)>;
  /// The value at a time; NaN where a function comes in that is not known, or a measure without `measures`.
  double value(int node, double time, const Measures& measures = {}) const;
  /// Whether nothing in it is measured, or not known.
  bool ofTimeAlone(int node) const;
  /// Whether it is a number.
  bool constant(int node) const;
  /// The first function that is not known, or a measure; empty: none.
  std::string obstacle(int node) const;
  /// All that is measured, each once; none if a function is not known.
  std::optional<std::vector<AdmMeasure>> measures() const;
  /// The expression as a linear one in its measures.
  std::optional<AdmLinear> linear();

  enum class Kind { Number, Time, Add, Subtract, Multiply, Divide, Power, Negate, Call, Measure, Unknown };
  struct Node {
    Kind kind = Kind::Number;
    double number = 0.0;
    std::string name;           // of calls, measures and what is not known
    std::vector<int> children;  // of calls and operators
    AdmMeasure measure{};
  };
  const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }

 private:
  friend class AdmParser;
  int add(Node node) {
    nodes_.push_back(std::move(node));
    return static_cast<int>(nodes_.size()) - 1;
  }
  double call(const Node& n, double time, const Measures& measures) const;
  std::optional<AdmLinear> linearOf(int node);
  std::optional<AdmLinear> scaled(const AdmLinear& form, double factor);
  std::optional<AdmLinear> sum(const AdmLinear& a, const AdmLinear& b, double factor);

  std::vector<Node> nodes_;
  int root_ = -1;
};

}  // namespace grashof::convert
