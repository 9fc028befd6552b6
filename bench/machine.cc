// The machine factor alone: how this machine compares with the reference that the limits of the other
// benchmarks are stated for.
#include "bench/bench.h"

int main() {
  act::bench::Report report;
  report.Tell("machine_factor", report.machine_factor(), "ratio");
  return report.Finish();
}
