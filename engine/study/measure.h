#pragma once
/// What is to be known of a run: a channel over time, brought down to one number.

#include <functional>
#include <string>
#include <vector>

#include "engine/dynamics/channels.h"
#include "engine/study/path.h"

namespace grashof::study {

/// How the values of a channel after every step become one number, in its unit unless said otherwise.
enum class Reduction {
  Max,
  Min,
  Peak,       ///< largest absolute value
  Range,      ///< max - min
  Mean,       ///< over time, as all that follow
  Rms,        ///< root mean square
  Deviation,  ///< root mean square of the difference to the mean
  Integral,   ///< unit times s
  End,        ///< after the last step
  At,         ///< after the step that ends nearest to a time
  TimeOfMax,  ///< s
  TimeOfMin,  ///< s
  Period,  ///< s, mean time between two rises through 0, between steps interpolated; NaN with less than two
  // Of the path of a point, BODY or BODY:X,Y,Z, instead of a channel:
  Straightness,  ///< largest distance from its best line over the extent along that; see fitLine()
  Extent,        ///< m, along its best line
  Miss,          ///< m, root mean square of the distances of points that it is to pass, given after an @
  Transmission,  ///< rad, least angle at joint C of joints B,C,D, see findTransmission()
};

struct Measure {
  std::string name;  ///< of its column
  Reduction reduction = Reduction::Max;
  std::string channel;                ///< or a point, or joints
  double from = 0.0, to = 0.0;        ///< s, the steps that end within; `at` has its time in both
  std::vector<PathTarget> targets{};  ///< of Miss
};

/// Reads `max:joint.crank.force.x`, `load=rms[0.5..2]:joint.crank.reaction` (only from 0.5 to 2 s, each may
/// be missing), `at[0.1]:body.bob.position.z`, `straightness:coupler:0.1,0,0`, `miss:coupler@0.1 0 0.2; 0.2 0
/// 0.2`, `transmission:B,C,D`. Without a name the text is the name. Throws InputError.
Measure parseMeasure(const std::string& text);

/// Follows a run.
class Measurement {
 public:
  /// Throws InputError for a channel, body or joint that the model does not have.
  Measurement(const std::vector<Measure>& measures, const Model& model);

  /// Call after every step.
  void observe(const Simulator& simulator);
  /// One number a measure; NaN where no step was observed.
  std::vector<double> values() const;

 private:
  struct Sum {
    Measure measure;
    Channel channel;
    long count = 0;
    double max = 0.0, min = 0.0, timeOfMax = 0.0, timeOfMin = 0.0;
    double mean = 0.0, squares = 0.0;  // squares: of the differences to the mean
    double last = 0.0, lastTime = 0.0, nearest = 0.0;
    double firstRise = 0.0, lastRise = 0.0;
    long rises = 0;
    std::function<Vec3(const Simulator&)> point;  // of a measure of a path, which is kept
    std::vector<Vec3> path;
    std::vector<double> times;
  };
  static void add(Sum& sum, double value, double time, double timestep);
  static void follow(Sum& sum, const Simulator& simulator, double timestep);
  static double valueOf(const Sum& sum, double timestep);

  std::vector<Sum> sums_;
  double timestep_;
};

}  // namespace grashof::study
