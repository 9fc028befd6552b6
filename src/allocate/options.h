// What bounds an allocation, and what it reports.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace act::allocate {

struct AllocateOptions {
  int64_t max_search_nodes = 200000;  // of the order and the address search together
  int max_orders = 64;                // orders tried, each with another interference graph
  bool use_greedy = true;             // best fit in several placement orders before the search
  bool use_search = true;             // the complete search after it
};

struct AllocateReport {
  int64_t search_nodes = 0;
  int orders = 0;             // orders for which addresses were sought
  std::string engine;         // that found the addresses: "greedy" or "search"
  std::vector<int64_t> peak;  // highest used address plus one (outermost dimension), one a buffer
};

}  // namespace act::allocate
