// A generic e-graph: hash-consed e-nodes, union-find over e-classes, deferred rebuild. It knows no tensors:
// operators are 32-bit numbers interned by the client, and a client hook gives nodes their canonical form.
#pragma once
#include "egraph/graph.h"
