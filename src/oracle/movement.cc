#include "oracle/movement.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace act::oracle {
namespace {

constexpr int64_t kMaxBytes = int64_t{4} << 20;

// Pool byte of each byte of a value.
using Table = std::shared_ptr<const std::vector<uint32_t>>;

bool WholeBytes(ElementType type) {
  return type == ElementType::kPred || BitWidth(type) == 8 * StorageBytes(type);
}

Table Consecutive(int64_t begin, int64_t bytes) {
  auto table = std::make_shared<std::vector<uint32_t>>(static_cast<size_t>(bytes));
  for (size_t i = 0; i < table->size(); ++i)
    (*table)[i] = static_cast<uint32_t>(begin) + static_cast<uint32_t>(i);
  return table;
}

// Result element (i0, i1, ...) is the operand's element start + sum i_d * stride_d, elements of `width`
// bytes.
Table Strided(const Table& operand, const std::vector<int64_t>& dims, const std::vector<int64_t>& strides,
              int64_t start, int64_t width, int64_t bytes) {
  auto table = std::make_shared<std::vector<uint32_t>>(static_cast<size_t>(bytes));
  uint32_t* out = table->data();
  std::vector<int64_t> index(dims.size(), 0);
  int64_t element = start;
  while (out < table->data() + table->size()) {
    std::memcpy(out, operand->data() + element * width, static_cast<size_t>(width) * sizeof(uint32_t));
    out += width;
    for (size_t d = dims.size(); d-- > 0;) {
      element += strides[d];
      if (++index[d] < dims[d]) break;
      element -= strides[d] * dims[d];
      index[d] = 0;
    }
  }
  return table;
}

Table Concatenate(const hlo::Instruction& node, const std::vector<Table>& tables, int64_t bytes) {
  auto table = std::make_shared<std::vector<uint32_t>>();
  table->reserve(static_cast<size_t>(bytes));
  auto d = static_cast<size_t>(node.dimensions.empty() ? 0 : node.dimensions[0]);
  int64_t outer = 1;
  for (size_t i = 0; i < d; ++i) outer *= node.shape.dims[i];
  for (int64_t o = 0; o < outer; ++o) {
    for (int32_t operand : node.operands) {
      const Table& part = tables[static_cast<size_t>(operand)];
      auto block = static_cast<int64_t>(part->size()) / outer;
      table->insert(table->end(), part->begin() + o * block, part->begin() + (o + 1) * block);
    }
  }
  return table;
}

// The operand as a strided function of the result's index; false for other operations.
bool AsStrides(const hlo::Instruction& node, const Shape& operand, std::vector<int64_t>* strides,
               int64_t* start) {
  std::vector<int64_t> own = RowMajorStrides(operand.dims);
  strides->assign(node.shape.dims.size(), 0);
  *start = 0;
  switch (node.opcode) {
    case hlo::Opcode::kTranspose:
      for (size_t i = 0; i < strides->size(); ++i)
        (*strides)[i] = own[static_cast<size_t>(node.dimensions[i])];
      return true;
    case hlo::Opcode::kBroadcast:
      for (size_t i = 0; i < node.dimensions.size(); ++i) {
        (*strides)[static_cast<size_t>(node.dimensions[i])] = own[i];
      }
      return true;
    case hlo::Opcode::kSlice:
      for (size_t i = 0; i < strides->size(); ++i) {
        *start += own[i] * node.slice[i].start;
        (*strides)[i] = own[i] * node.slice[i].stride;
      }
      return true;
    case hlo::Opcode::kReverse:
      *strides = own;
      for (int64_t d : node.dimensions) {
        *start += own[static_cast<size_t>(d)] * (operand.dims[static_cast<size_t>(d)] - 1);
        (*strides)[static_cast<size_t>(d)] = -own[static_cast<size_t>(d)];
      }
      return true;
    default:
      return false;
  }
}

Movement Compress(const std::vector<uint32_t>& table) {
  Movement movement;
  auto bytes = static_cast<int64_t>(table.size());
  auto run = [&](int64_t unit) {
    if (bytes % unit != 0) return false;
    for (int64_t i = 0; i < bytes; ++i) {
      uint32_t first = table[static_cast<size_t>(i - i % unit)];
      if (table[static_cast<size_t>(i)] != first + static_cast<uint32_t>(i % unit)) return false;
      if (unit != bytes && first % static_cast<uint32_t>(unit) != 0) return false;
    }
    return true;
  };
  for (int64_t unit : {bytes, int64_t{8}, int64_t{4}, int64_t{2}, int64_t{1}}) {
    if (unit == 0 || !run(unit)) continue;
    movement.unit = unit;
    if (unit == bytes) {
      movement.index.push_back(table[0]);  // a byte position: the whole output is one run
      return movement;
    }
    for (int64_t i = 0; i < bytes; i += unit) {
      movement.index.push_back(table[static_cast<size_t>(i)] / static_cast<uint32_t>(unit));
    }
    return movement;
  }
  return movement;
}

template <typename T>
void MoveUnits(const Movement& movement, const uint8_t* pool, uint8_t* out) {
  for (uint32_t index : movement.index) {
    std::memcpy(out, pool + static_cast<size_t>(index) * sizeof(T), sizeof(T));
    out += sizeof(T);
  }
}

}  // namespace

std::optional<MovementPool> AnalyseMovement(const isa::Instance& instance) {
  const hlo::Computation& body = instance.body;
  // Which nodes the outputs need.
  std::vector<bool> needed(body.instructions.size(), false);
  for (int32_t output : instance.outputs) needed[static_cast<size_t>(output)] = true;
  for (size_t i = body.instructions.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (int32_t operand : body.instructions[i].operands) needed[static_cast<size_t>(operand)] = true;
  }
  MovementPool pool;
  int64_t total = 0;
  for (int32_t parameter : body.parameters) {
    const std::optional<int64_t> bytes = body.instructions[static_cast<size_t>(parameter)].shape.num_bytes();
    // Units of up to 8 bytes stay aligned in the pool.
    total = (total + 7) / 8 * 8;
    pool.parameter_offset.push_back(total);
    if (!bytes || *bytes > kMaxBytes) return std::nullopt;
    total += *bytes;
    if (total > kMaxBytes) return std::nullopt;
  }
  total = (total + 7) / 8 * 8;
  pool.constants_offset = total;
  std::vector<Table> tables(body.instructions.size());
  for (size_t i = 0; i < body.instructions.size(); ++i) {
    const hlo::Instruction& node = body.instructions[i];
    if (!needed[i]) continue;
    std::optional<int64_t> bytes = node.shape.num_bytes();
    if (!bytes || *bytes > kMaxBytes || *bytes == 0 || !WholeBytes(node.shape.type)) return std::nullopt;
    std::vector<int64_t> strides;
    int64_t start = 0;
    switch (node.opcode) {
      case hlo::Opcode::kParameter: {
        auto number = static_cast<size_t>(node.parameter_number);
        if (number >= pool.parameter_offset.size()) return std::nullopt;
        tables[i] = Consecutive(pool.parameter_offset[number], *bytes);
        break;
      }
      case hlo::Opcode::kConstant: {
        if (node.literal == nullptr) return std::nullopt;
        int64_t offset = pool.constants_offset + static_cast<int64_t>(pool.constants.size());
        pool.constants.insert(pool.constants.end(), node.literal->bytes.begin(), node.literal->bytes.end());
        pool.constants.resize((pool.constants.size() + 7) / 8 * 8);
        if (static_cast<int64_t>(pool.constants.size()) > kMaxBytes) return std::nullopt;
        tables[i] = Consecutive(offset, *bytes);
        break;
      }
      case hlo::Opcode::kReshape:
      case hlo::Opcode::kCopy:
      case hlo::Opcode::kBitcastConvert:
        tables[i] = tables[static_cast<size_t>(node.operands[0])];
        break;
      case hlo::Opcode::kConcatenate:
        tables[i] = Concatenate(node, tables, *bytes);
        break;
      default: {
        if (node.operands.empty()) return std::nullopt;
        const Shape& operand = body.instructions[static_cast<size_t>(node.operands[0])].shape;
        if (!AsStrides(node, operand, &strides, &start)) return std::nullopt;
        tables[i] = Strided(tables[static_cast<size_t>(node.operands[0])], node.shape.dims, strides, start,
                            StorageBytes(node.shape.type), *bytes);
      }
    }
  }
  for (int32_t output : instance.outputs)
    pool.outputs.push_back(Compress(*tables[static_cast<size_t>(output)]));
  return pool;
}

void Move(const Movement& movement, const uint8_t* pool, uint8_t* out, int64_t bytes) {
  if (movement.unit == bytes) {
    std::memcpy(out, pool + movement.index[0], static_cast<size_t>(bytes));
  } else if (movement.unit == 8) {
    MoveUnits<uint64_t>(movement, pool, out);
  } else if (movement.unit == 4) {
    MoveUnits<uint32_t>(movement, pool, out);
  } else if (movement.unit == 2) {
    MoveUnits<uint16_t>(movement, pool, out);
  } else {
    MoveUnits<uint8_t>(movement, pool, out);
  }
}

}  // namespace act::oracle
