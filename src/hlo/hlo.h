// HLO modules: representation, text reader and printer, verifier with shape inference, and the simplifier
// that inlines calls; reader of HLO protos.
#pragma once
#include "hlo/module.h"
#include "hlo/opcode.h"
#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/proto_read.h"
#include "hlo/verify.h"
