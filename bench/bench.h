// Benchmarks that print one JSON object a line and judge only on a machine quiet enough to be judged.
//
//   {"name": "...", "value": 12.3, "unit": "ms", "ratio": 0.9}
//
// value is the measured median, ratio = value / (limit * machine factor): 1 or less is a pass. The machine
// factor is the time of a fixed workload relative to an idle reference machine: 1.0 there, 2.0 where the same
// work takes twice as long. Above kBusy nothing is judged, because a loaded machine says nothing about us.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace act::bench {

constexpr double kBusy = 1.3;

// Median of `runs` calls, in seconds, after one call that is not counted.
double MedianSeconds(const std::function<void()>& body, int runs);

// Seconds of the fixed workload: the smallest of a few runs, so that a short disturbance does not count.
double WorkloadSeconds();
// WorkloadSeconds() relative to the reference machine.
double MachineFactor();

class Report {
 public:
  Report();  // measures the machine factor
  // A row with a limit for the reference machine, in the row's own unit; smaller is better.
  void Judge(std::string_view name, double value, std::string_view unit, double limit);
  // A row that is only told; its ratio is null.
  void Tell(std::string_view name, double value, std::string_view unit);
  double machine_factor() const { return factor_; }
  // Prints the verdict to stderr. 0: all rows were met, or the machine was too busy to judge; 1: a row was
  // missed.
  int Finish();

 private:
  double factor_;
  std::vector<std::string> missed_;
};

}  // namespace act::bench
