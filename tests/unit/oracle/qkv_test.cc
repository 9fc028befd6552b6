// Hand-written QKV programs against an executor that shares no code with the simulator.
#include "helpers/qkv.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "oracle/oracle.h"
#include "unit/oracle/qkv_reference.h"

namespace act::oracle {
namespace {

isa::Accelerator Target(const std::string& name) { return name == "qkv" ? MakeQkv() : MakeQkvNew(); }

assembly::Program ReadNative(const isa::Accelerator& accelerator, const std::string& file) {
  std::string path = ACT_SOURCE_DIR "/tests/data/asm/" + file + ".asm";
  StatusOr<std::string> text = ReadFile(path);
  EXPECT_TRUE(text.ok());
  StatusOr<assembly::Program> p = assembly::ParseNative(accelerator, SourceText(path, *text));
  EXPECT_TRUE(p.ok()) << p.status().message();
  return *p;
}

enum class Draw { kNormal, kSixtyFourths, kBits };
Literal RandomRows(Draw draw, Random* random) {
  Literal literal(Shape::Array(ElementType::kBF16, {64, 64}));
  for (int64_t i = 0; i < literal.num_elements(); ++i) {
    if (draw == Draw::kNormal) literal.SetDouble(i, random->Normal());
    if (draw == Draw::kSixtyFourths)
      literal.SetDouble(i, static_cast<double>(random->Between(-128, 128)) / 64);
    if (draw == Draw::kBits)
      literal.SetDouble(i, std::ldexp(random->Normal(), static_cast<int>(random->Between(-8, 8))));
  }
  return literal;
}

std::vector<uint8_t> RunReference(const isa::Accelerator& accelerator, const assembly::Program& program,
                                  const std::vector<Literal>& inputs) {
  QkvReference reference(program);
  for (size_t i = 0; i < inputs.size(); ++i) reference.Put(program.inputs[i].address, inputs[i].bytes);
  for (const assembly::Statement& s : program.body) {
    std::vector<int64_t> attributes = s.call.computational;
    for (const assembly::AttributeValue& a : s.call.addressing) attributes.push_back(*a.AsInteger());
    reference.Run(accelerator.instruction(s.call.instruction).name, attributes);
  }
  auto begin = reference.hbm.begin() + program.outputs[0].address;
  return {begin, begin + *program.outputs[0].shape.num_bytes()};
}

// Largest difference between the first outputs of two runs.
double Difference(const isa::Accelerator& machine_a, const assembly::Program& a,
                  const isa::Accelerator& machine_b, const assembly::Program& b,
                  const std::vector<Literal>& inputs) {
  StatusOr<Simulation> run_a = Simulate(machine_a, a, inputs), run_b = Simulate(machine_b, b, inputs);
  EXPECT_TRUE(run_a.ok() && run_b.ok());
  double difference = 0;
  for (int64_t i = 0; i < 4096; ++i) {
    difference =
        std::max(difference, std::fabs(run_a->outputs[0].GetDouble(i) - run_b->outputs[0].GetDouble(i)));
  }
  return difference;
}

TEST(QkvTest, CommittedProgramsBitForBit) {
  for (const char* target : {"qkv", "qkv_new"}) {
    isa::Accelerator accelerator = Target(target);
    for (const char* name : {"identity", "matmul", "softmax", "attention"}) {
      assembly::Program program = ReadNative(accelerator, std::string(target) + "_" + name);
      for (Draw draw : {Draw::kNormal, Draw::kSixtyFourths, Draw::kBits}) {
        Random random(42);
        for (int seed = 0; seed < 3; ++seed) {
          std::vector<Literal> inputs;
          for (size_t i = 0; i < program.inputs.size(); ++i) inputs.push_back(RandomRows(draw, &random));
          StatusOr<Simulation> run = Simulate(accelerator, program, inputs);
          ASSERT_TRUE(run.ok()) << run.status().message();
          EXPECT_TRUE(run->warnings.empty());
          EXPECT_EQ(run->executed_calls, assembly::NumCalls(program));
          EXPECT_EQ(run->outputs[0].bytes, RunReference(accelerator, program, inputs))
              << target << " " << name;
        }
      }
    }
  }
}

TEST(QkvTest, PythonFormGivesTheSameBytes) {
  for (const char* target : {"qkv", "qkv_new"}) {
    isa::Accelerator accelerator = Target(target);
    for (const char* name : {"identity", "matmul", "softmax", "attention"}) {
      std::string file = std::string(target) + "_" + name;
      assembly::Program native = ReadNative(accelerator, file);
      StatusOr<std::string> text = ReadFile(ACT_SOURCE_DIR "/tests/data/asm/" + file + ".py");
      ASSERT_TRUE(text.ok());
      StatusOr<assembly::Program> python = assembly::ParsePythonKernel(accelerator, SourceText(file, *text));
      ASSERT_TRUE(python.ok()) << python.status().message();
      Random random(5);
      std::vector<Literal> inputs;
      for (size_t i = 0; i < native.inputs.size(); ++i) inputs.push_back(RandomRows(Draw::kNormal, &random));
      StatusOr<Simulation> a = Simulate(accelerator, native, inputs),
                           b = Simulate(accelerator, *python, inputs);
      ASSERT_TRUE(a.ok() && b.ok());
      EXPECT_EQ(a->outputs[0].bytes, b->outputs[0].bytes);
    }
  }
}

// Within two bf16 ulps of the largest magnitude in V of the reference that rounds S only.
// pitfall 213
TEST(QkvTest, AttentionAgainstRealArithmetic) {
  isa::Accelerator qkv = MakeQkv();
  assembly::Program program = ReadNative(qkv, "qkv_attention");
  Random random(1);
  for (int seed = 0; seed < 10; ++seed) {
    std::vector<Literal> in;
    for (int i = 0; i < 3; ++i) in.push_back(RandomRows(Draw::kNormal, &random));
    StatusOr<Simulation> run = Simulate(qkv, program, in);
    ASSERT_TRUE(run.ok());
    double largest = 0;
    for (int64_t i = 0; i < 4096; ++i) largest = std::max(largest, std::fabs(in[2].GetDouble(i)));
    double tolerance = 2 * std::ldexp(1.0, static_cast<int>(std::floor(std::log2(largest))) - 7);
    for (int64_t i = 0; i < 64; ++i) {
      double p[64], sum = 0;
      for (int64_t j = 0; j < 64; ++j) {
        double s = 0;
        for (int64_t k = 0; k < 64; ++k) s += in[0].GetDouble(i * 64 + k) * in[1].GetDouble(j * 64 + k);
        sum += p[j] = std::exp(static_cast<double>(Widen(Round(s))));
      }
      for (int64_t c = 0; c < 64; ++c) {
        double o = 0;
        for (int64_t j = 0; j < 64; ++j) o += p[j] / sum * in[2].GetDouble(j * 64 + c);
        ASSERT_NEAR(run->outputs[0].GetDouble(i * 64 + c), o, tolerance);
      }
    }
  }
}

// The row sums laid along the wrong axis.
// pitfall 210
TEST(QkvTest, AWrongBroadcastIsSeen) {
  isa::Accelerator qkv = MakeQkv(), wrong = qkv;
  std::string semantics = kSoftmax;
  semantics.replace(semantics.find("dimensions={0}"), 14, "dimensions={1}");
  SpecBuilder::Ok(
      isa::SetSemantics(&wrong, wrong.FindInstruction("softmax")->value(), SourceText("s", semantics)));
  assembly::Program program = ReadNative(qkv, "qkv_attention");
  Random random(3);
  std::vector<Literal> in;
  for (int i = 0; i < 3; ++i) in.push_back(RandomRows(Draw::kNormal, &random));
  EXPECT_GT(Difference(qkv, program, wrong, program, in), 0.3);
}

// V loaded over P.
// pitfall 211
TEST(QkvTest, AWrongAddressIsSeen) {
  isa::Accelerator qkv = MakeQkv();
  assembly::Program right = ReadNative(qkv, "qkv_attention"), wrong = right;
  wrong.body[5].call.addressing[1] = assembly::AttributeValue::Of(0);
  Random random(2);
  std::vector<Literal> in;
  for (int i = 0; i < 3; ++i) in.push_back(RandomRows(Draw::kNormal, &random));
  EXPECT_GT(Difference(qkv, right, qkv, wrong, in), 0.3);
}

// Random programs of in-range calls, so that partial windows, column forms and overlaps meet.
TEST(QkvTest, RandomProgramsBitForBit) {
  for (const char* target : {"qkv", "qkv_new"}) {
    isa::Accelerator accelerator = Target(target);
    Random random(9);
    for (int round = 0; round < 25; ++round) {
      assembly::Program p;
      p.name = "r";
      p.target = "QKV";
      p.hbm_bytes = 40000;
      p.inputs = {{"", 0, Shape::Array(ElementType::kBF16, {64, 64})}};
      p.outputs = {{"", 0, Shape::Array(ElementType::kU8, {40000})}};
      for (int c = 0; c < 12; ++c) {
        assembly::Statement s;
        s.call.instruction = InstructionId(random.Below(accelerator.instructions.size()));
        const isa::Instruction& instruction = accelerator.instruction(s.call.instruction);
        int64_t n = random.Between(1, 64);
        if (instruction.computational.empty())
          n = 64;
        else
          s.call.computational = {n};
        for (size_t a = 0; a < instruction.addressing.size(); ++a) {
          // Each attribute is the start of one region: the a-th, or the only one (softmax).
          const isa::Region& region =
              a < instruction.inputs.size() ? instruction.inputs[a] : instruction.outputs[0];
          const std::string& buffer = accelerator.buffer(region.buffer).name;
          int64_t units = buffer == "d0" ? 40000 : buffer == "d2" ? 64 : 128;
          int64_t size = buffer == "d0" ? n * 128 : n;
          s.call.addressing.push_back(assembly::AttributeValue::Of(random.Between(0, units - size)));
        }
        p.body.push_back(std::move(s));
      }
      std::vector<Literal> in{RandomRows(Draw::kNormal, &random)};
      StatusOr<Simulation> run = Simulate(accelerator, p, in);
      ASSERT_TRUE(run.ok()) << run.status().message();
      ASSERT_EQ(run->outputs[0].bytes, RunReference(accelerator, p, in)) << round;
    }
  }
}

}  // namespace
}  // namespace act::oracle
