// Program IR: instruction calls with concrete or loop-affine attributes, loops, constants and the HBM map;
// readers and printers of native assembly (`.asm`) and of the published Python kernel format (`.py`); the
// selected graph, which is the certificate of a compile.
#pragma once
#include "assembly/native.h"
#include "assembly/program.h"
#include "assembly/python_kernel.h"
#include "assembly/selected_graph.h"
