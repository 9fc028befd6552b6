// The engines behind Place(); a packing without a clash goes in.
#pragma once
#include "allocate/placer.h"

namespace act::allocate {

PlaceResult PlaceGreedy(const Packing& packing, int64_t* nodes, int64_t limit);
PlaceResult PlaceSearch(const Packing& packing, int64_t* nodes, int64_t limit);

}  // namespace act::allocate
