// Internal: an `ENTRY ... { ... }` block as written, before names and operations mean anything.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "isa/semantics_builder.h"

namespace act::isa {

struct Argument {
  std::string value;  // a name, without '%'; empty for numbers
  std::optional<Expression> expression;
  std::optional<ConstantItem> literal;
  size_t offset = 0;
};

struct Statement {
  std::string name;
  bool is_root = false;
  size_t offset = 0;
  ElementType type = ElementType::kInvalid;
  std::vector<Expression> dims;
  std::string op;
  size_t op_offset = 0;
  std::vector<Argument> arguments;
  std::vector<OperationAttribute> attributes;
};

struct Block {
  std::vector<Statement> statements;
  size_t offset = 0;
  size_t end_offset = 0;  // of the closing brace
};

// Reads the block at the cursor and leaves the cursor behind its closing brace.
StatusOr<Block> ReadBlock(Cursor* cursor, const NameTable& names);

}  // namespace act::isa
