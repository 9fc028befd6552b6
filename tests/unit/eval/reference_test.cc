// Every case of reference.txt (see make_reference.py for who computed what). Results are compared bit for
// bit, every NaN being equal to every NaN; cases with a tolerance, all f64 or complex functions, within that
// many units in the last place of the larger part.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "support/support.h"
#include "unit/eval/test_util.h"

namespace act::eval {
namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}
int64_t ToInt(std::string_view text) {
  int64_t value = 0;
  EXPECT_EQ(std::from_chars(text.data(), text.data() + text.size(), value).ptr, text.data() + text.size())
      << text;
  return value;
}
std::vector<int64_t> ToInts(std::string_view text, char separator = ',') {
  std::vector<int64_t> values;
  if (text == "-") return values;
  for (std::string_view part : Split(text, separator)) values.push_back(ToInt(part));
  return values;
}
Literal ToLiteral(std::string_view type, std::string_view dims, std::string_view hex) {
  Literal literal(Shape::Array(*ElementTypeFromName(type), ToInts(dims)));
  if (hex == "-") hex = "";
  EXPECT_EQ(hex.size(), 2 * literal.bytes.size());
  for (size_t i = 0; i < literal.bytes.size() && 2 * i < hex.size(); ++i) {
    std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, literal.bytes[i], 16);
  }
  return literal;
}

void SetAttribute(std::string_view key, std::string_view value, hlo::Instruction* instruction) {
  if (key == "dimensions") {
    instruction->dimensions = ToInts(value);
  } else if (key == "sizes") {
    instruction->dynamic_slice_sizes = ToInts(value);
  } else if (key == "slice") {
    for (std::string_view part : Split(value, ',')) {
      const std::vector<int64_t> s = ToInts(part, ':');
      instruction->slice.push_back({s[0], s[1], s[2]});
    }
  } else if (key == "padding") {
    for (std::string_view part : Split(value, ',')) {
      const std::vector<int64_t> p = ToInts(part, '_');
      instruction->padding.push_back({p[0], p[1], p[2]});
    }
  } else if (key == "lc") {
    instruction->dot.lhs_contracting = ToInts(value);
  } else if (key == "rc") {
    instruction->dot.rhs_contracting = ToInts(value);
  } else if (key == "lb") {
    instruction->dot.lhs_batch = ToInts(value);
  } else if (key == "rb") {
    instruction->dot.rhs_batch = ToInts(value);
  } else if (key == "total") {
    instruction->total_order = true;
  } else if (key == "direction") {
    for (int i = 0; i < 6; ++i) {
      const auto direction = static_cast<hlo::Direction>(i);
      if (hlo::DirectionName(direction) == value) instruction->direction = direction;
    }
  } else if (key == "reducer") {
    for (int i = 0; i < 6; ++i) {
      const auto reducer = static_cast<hlo::Reducer>(i);
      if (hlo::OpcodeName(hlo::ReducerOpcode(reducer)) == value) instruction->reducer = reducer;
    }
    EXPECT_TRUE(instruction->reducer.has_value()) << value;
  } else {
    ADD_FAILURE() << key;
  }
}

bool IsNan(const Literal& literal, int64_t i) {
  const std::complex<double> value = literal.GetComplex(i);
  return std::isnan(value.real()) || std::isnan(value.imag());
}

void ExpectEqual(const Literal& found, const Literal& expected, double ulps, const std::string& line) {
  ASSERT_TRUE(SameTypeAndDims(found.shape, expected.shape)) << line;
  const ElementType type = expected.shape.type;
  const bool narrow = type == ElementType::kF32 || type == ElementType::kC64;
  const auto size = static_cast<size_t>(StorageBytes(type));
  int shown = 0;
  for (int64_t i = 0; i < expected.num_elements() && shown < 3; ++i) {
    const auto at = static_cast<size_t>(i) * size;
    if (std::equal(found.bytes.begin() + at, found.bytes.begin() + at + size, expected.bytes.begin() + at))
      continue;
    if (!IsInteger(type) && IsNan(found, i) && IsNan(expected, i)) continue;
    if (ulps > 0) {
      const std::complex<double> a = found.GetComplex(i), b = expected.GetComplex(i);
      const double unit = std::ldexp(std::max(std::abs(b.real()), std::abs(b.imag())), narrow ? -23 : -52);
      if (std::abs(a.real() - b.real()) <= ulps * unit && std::abs(a.imag() - b.imag()) <= ulps * unit)
        continue;
    }
    ++shown;
    ADD_FAILURE() << line << "\n  element " << i << ": found " << ElementToString(found, i) << ", expected "
                  << ElementToString(expected, i);
  }
}

class Reference : public testing::TestWithParam<const char*> {};

// One section of the file.
// pitfall 75, 79, 160, 161, 162, 167, 169, 170, 214
TEST_P(Reference, EveryCaseAgrees) {
  const auto text = ReadFile(std::string(ACT_SOURCE_DIR) + "/tests/unit/eval/reference.txt");
  ASSERT_TRUE(text.ok());
  std::map<std::string, Literal, std::less<>> values;
  bool inside = false;
  int cases = 0;
  for (std::string_view line : Split(*text, '\n')) {
    const std::vector<std::string_view> words = Split(line, ' ');
    if (words[0] == "#") {
      inside = words[1] == GetParam();
    } else if (words[0] == "value") {
      values[std::string(words[1])] = ToLiteral(words[2], words[3], words[4]);
    } else if (inside) {
      ASSERT_GE(words.size(), 7u);
      const Literal expected = ToLiteral(words[2], words[3], words[4]);
      hlo::Instruction instruction;
      instruction.name = "case";
      const std::optional<hlo::Opcode> opcode =
          words[1] == "fma" ? hlo::Opcode::kFma : hlo::OpcodeFromName(words[1]);
      ASSERT_TRUE(opcode.has_value()) << words[1];
      instruction.opcode = *opcode;
      instruction.shape = expected.shape;
      std::string label(words[1]);
      label += " " + ToString(expected.shape) + " of " + std::string(words[6]);
      for (size_t i = 7; i < words.size(); ++i) {
        const size_t equal = words[i].find('=');
        SetAttribute(words[i].substr(0, equal), words[i].substr(equal + 1), &instruction);
        label += " " + std::string(words[i]);
      }
      std::vector<const Literal*> operands;
      if (words[6] != "-") {
        for (std::string_view name : Split(words[6], ',')) {
          const auto found = values.find(name);
          ASSERT_NE(found, values.end()) << name;
          operands.push_back(&found->second);
        }
      }
      const auto result = EvaluateInstruction(instruction, operands);
      ASSERT_TRUE(result.ok()) << label << ": " << result.status().message();
      ExpectEqual(*result, expected, static_cast<double>(ToInt(words[5])), label);
      ++cases;
    }
  }
  EXPECT_GT(cases, 2);
}

INSTANTIATE_TEST_SUITE_P(Sections, Reference,
                         testing::Values("float_arithmetic", "fma", "functions", "integers", "movement",
                                         "dots", "reductions", "complexes"),
                         [](const auto& section) { return std::string(section.param); });

}  // namespace
}  // namespace act::eval
