#include "pitfalls/kit.h"

#include <cmath>

#include "oracle/oracle.h"
#include "view/view.h"

namespace act::pitfalls {
namespace {

std::string Reducer(const std::string& name, const std::string& op, const std::string& type) {
  return name + " {\n  x = " + type + "[] parameter(0)\n  y = " + type +
         "[] parameter(1)\n  ROOT z = " + type + "[] " + op + "(x, y)\n}\n";
}

isa::Accelerator Parse(const std::string& taidl) {
  auto accelerator = isa::ParseTaidl(SourceText("test.taidl", taidl));
  if (accelerator.ok()) return *std::move(accelerator);
  ADD_FAILURE() << accelerator.status().message();
  return isa::MakeAccelerator("none");
}

// Small multiples of a quarter for floats; all 32 bits for integers.
Literal RandomInput(const Shape& shape, Random* random) {
  Literal literal(Shape::Array(shape.type, shape.dims));
  for (int64_t i = 0; i < literal.num_elements(); ++i) {
    const auto bits = static_cast<int64_t>(random->Next());
    if (IsFloat(shape.type)) {
      literal.SetDouble(i, static_cast<double>(static_cast<uint64_t>(bits) % 17) / 4 - 2);
    } else {
      literal.SetInt(i, bits);
    }
  }
  return literal;
}

Values ToValues(const Literal& literal) {
  Values values(static_cast<size_t>(literal.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = literal.GetDouble(static_cast<int64_t>(i));
  return values;
}

int64_t CountCalls(const std::vector<assembly::Statement>& body, size_t instruction) {
  int64_t count = 0;
  for (const assembly::Statement& statement : body) {
    if (statement.kind == assembly::Statement::Kind::kCall) {
      count += statement.call.instruction.value() == instruction;
    }
    count += CountCalls(statement.body, instruction);
  }
  return count;
}

}  // namespace

Machine::Machine(isa::Accelerator accelerator)
    : accelerator_(std::make_unique<isa::Accelerator>(std::move(accelerator))),
      selector_(std::make_unique<select::Selector>(accelerator_.get())) {}
Machine::Machine(const std::string& taidl) : Machine(Parse(taidl)) {}

Machine Machine::FromFile(const std::string& path) {
  const auto text = ReadFile(std::string(ACT_SOURCE_DIR) + "/" + path);
  if (!text.ok()) ADD_FAILURE() << text.status().message();
  return Machine(text.ok() ? *text : "");
}

std::string ModuleText(const std::string& lines) {
  if (lines.rfind("HloModule", 0) == 0) return lines;
  return "HloModule k\n" + Reducer("add", "add", "bf16") + Reducer("maximum", "maximum", "bf16") +
         Reducer("add_s32", "add", "s32") + Reducer("maximum_s32", "maximum", "s32") + "ENTRY e {\n" + lines +
         "}\n";
}

StatusOr<backend::Compiled> Machine::Compile(const std::string& lines, const backend::CompileOptions& options,
                                             backend::CompileReport* report) {
  ACT_ASSIGN_OR_RETURN(const hlo::Module module, hlo::Parse(SourceText("k.hlo", ModuleText(lines))));
  return backend::Compile(*accelerator_, selector_.get(), module, options, report);
}

void Machine::CompareWith(const hlo::Module& module, const assembly::Program& program,
                          const Reference& reference, double tolerance) {
  const auto kernel = hlo::Flatten(module);
  ASSERT_TRUE(kernel.ok());
  Random random(7);
  std::vector<Literal> images;
  std::vector<Values> inputs;
  for (const Shape& shape : kernel->parameter_shapes) {
    const Literal literal = RandomInput(shape, &random);
    inputs.push_back(ToValues(literal));
    auto image = ToImage(literal, shape);
    ASSERT_TRUE(image.ok()) << image.status().message();
    images.push_back(*std::move(image));
  }
  oracle::SimulateOptions options;
  options.poison = true;
  const auto simulation = oracle::Simulate(*accelerator_, program, images, options);
  ASSERT_TRUE(simulation.ok()) << simulation.status().message();
  const std::vector<Values> expected = reference(inputs);
  ASSERT_EQ(simulation->outputs.size(), expected.size());
  for (size_t k = 0; k < expected.size(); ++k) {
    const auto output = FromImage(simulation->outputs[k], kernel->output_shapes[k]);
    ASSERT_TRUE(output.ok()) << output.status().message();
    const Values got = ToValues(*output);
    ASSERT_EQ(got.size(), expected[k].size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_LE(std::abs(got[i] - expected[k][i]), tolerance)
          << "output " << k << ", element " << i << ": " << got[i] << ", expected " << expected[k][i] << "\n"
          << NativeText(program);
    }
  }
}

std::optional<backend::Compiled> Machine::ExpectComputes(const std::string& lines, const Reference& reference,
                                                         double tolerance) {
  const auto module = hlo::Parse(SourceText("k.hlo", ModuleText(lines)));
  if (!module.ok()) {
    ADD_FAILURE() << module.status().message();
    return std::nullopt;
  }
  auto compiled = backend::Compile(*accelerator_, selector_.get(), *module, {});
  if (!compiled.ok()) {
    ADD_FAILURE() << compiled.status().message() << "\n" << lines;
    return std::nullopt;
  }
  EXPECT_TRUE(compiled->report.validate.claims_result);
  CompareWith(*module, compiled->program, reference, tolerance);
  return *std::move(compiled);
}

void Machine::ExpectComputesOrRefuses(const std::string& lines, const Reference& reference,
                                      double tolerance) {
  if (Compile(lines).ok()) {
    ExpectComputes(lines, reference, tolerance);
  } else {
    ExpectRefused(lines);
  }
}

void Machine::ExpectRefused(const std::string& lines, const std::vector<std::string>& named) {
  const auto compiled = Compile(lines);
  if (compiled.ok()) {
    ADD_FAILURE() << "compiled:\n" << lines << NativeText(compiled->program);
    return;
  }
  const Diagnostic& d = compiled.status().front();
  EXPECT_TRUE(d.error_class == ErrorClass::kUnsupported || d.error_class == ErrorClass::kLimit ||
              d.error_class == ErrorClass::kSyntax || d.error_class == ErrorClass::kValue ||
              d.error_class == ErrorClass::kNotImplemented)
      << d.message;
  EXPECT_FALSE(d.message.empty());
  EXPECT_EQ(d.message.find('\n'), std::string::npos) << d.message;
  for (const std::string& name : named) EXPECT_NE(d.message.find(name), std::string::npos) << d.message;
}

std::string Machine::NativeText(const assembly::Program& program) const {
  return assembly::PrintNative(*accelerator_, program);
}

int64_t Machine::Calls(const assembly::Program& program, const std::string& instruction) const {
  for (size_t i = 0; i < accelerator_->instructions.size(); ++i) {
    if (accelerator_->instructions[i].name == instruction) return CountCalls(program.body, i);
  }
  ADD_FAILURE() << "no instruction " << instruction;
  return -1;
}

std::string Toy(const std::string& more) {
  return "accelerator Toy\nbuffer v [64] of s32[16]\n"
         "instruction load(n; src, dst)\n  in x = d0[src : +n*64]\n  out y = v[dst : +n]\n"
         "  y = bitcast_convert(reshape(x, u8[n,16,4]), s32[n,16])\n"
         "instruction store(n; src, dst)\n  in x = v[src : +n]\n  out y = d0[dst : +n*64]\n"
         "  y = reshape(bitcast_convert(x, u8[n,16,4]), u8[n*64])\n" +
         more;
}

double Round(ElementType type, double value) {
  Literal literal(Shape::Array(type, {1}));
  literal.SetDouble(0, value);
  return literal.GetDouble(0);
}

double WrapS32(int64_t value) {
  return static_cast<double>(static_cast<int32_t>(static_cast<uint32_t>(value)));
}

Values Map(const Values& x, const std::function<double(double)>& f) {
  Values out;
  for (double v : x) out.push_back(f(v));
  return out;
}

Values Map(const Values& x, const Values& y, const std::function<double(double, double)>& f) {
  Values out;
  for (size_t i = 0; i < x.size(); ++i) out.push_back(f(x[i], y[i]));
  return out;
}

Values Transpose(const Values& x, int64_t rows, int64_t columns) {
  Values out(x.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      out[static_cast<size_t>(j * rows + i)] = x[static_cast<size_t>(i * columns + j)];
    }
  }
  return out;
}

Values MatMul(const Values& x, const Values& y, int64_t m, int64_t k, int64_t n, ElementType type) {
  Values out;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        sum += x[static_cast<size_t>(i * k + l)] * y[static_cast<size_t>(l * n + j)];
      }
      out.push_back(Round(type, sum));
    }
  }
  return out;
}

Values Softmax(const Values& x, int64_t rows, int64_t columns) {
  Values out(x.size());
  for (int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < columns; ++j) sum += std::exp(x[static_cast<size_t>(i * columns + j)]);
    for (int64_t j = 0; j < columns; ++j) {
      const auto at = static_cast<size_t>(i * columns + j);
      out[at] = std::exp(x[at]) / sum;
    }
  }
  return out;
}

double TwoUlps(const Values& x) {
  double largest = 0;
  for (double v : x) largest = std::max(largest, std::abs(v));
  return 2 * std::pow(2, std::floor(std::log2(largest)) - 7);
}

}  // namespace act::pitfalls
