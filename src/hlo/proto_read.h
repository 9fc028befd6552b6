// Reader of HloModuleProto, the lossless form in which JAX hands over a module.
#pragma once
#include <string_view>

#include "hlo/module.h"
#include "hlo/parse.h"
#include "support/support.h"

namespace act::hlo {

// Reads a serialized HloModuleProto and verifies it. The module is the one that Parse gives for the text that
// JAX prints of it (Lowered.as_text("hlo")): what that text leaves out is not read either, which is metadata,
// source places, control dependencies and statistics. Operations that the module does not know keep their
// attributes in the spelling of the text. `name` stands for the bytes in messages.
//
// Never aborts, whatever the bytes; memory stays within a small multiple of theirs. The first fault is
// reported, with the names of the instruction and the computation. kEnvironment where this build has no
// protozero. Operations across devices (all-reduce, send, ...) are kNotImplemented by name.
StatusOr<Module> ParseProto(std::string_view bytes, const ParseOptions& options = {},
                            std::string_view name = "<proto>");

}  // namespace act::hlo
