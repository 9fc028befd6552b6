// HLO modules: representation, text reader and printer, verifier with shape inference, and the simplifier
// that inlines calls. (The proto reader and writer come with the JAX issue.)
#pragma once
#include "hlo/module.h"
#include "hlo/opcode.h"
#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/verify.h"
