// What every layer uses: results and diagnostics, source text with line and column, checked 64-bit
// arithmetic, strong ids, hashing, a seeded random generator, and whole-file input and output.
#pragma once
#include "support/checked.h"
#include "support/diagnostic.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/ids.h"
#include "support/random.h"
#include "support/source_text.h"
#include "support/status.h"
