#include "cli/manual.h"

namespace act::cli {
namespace {

std::string Number(int64_t value) { return std::to_string(value); }

void Common(ManualWriter* out) {
  out->Line("## Program files");
  out->Line();
  out->Paragraph(
      "A program is written in native assembly, `.asm`, or in the published kernel format, `.py`. Both say "
      "the "
      "same, and every command takes either; the suffix decides. What holds for both:");
  out->Bullet(
      "The first input declared is the kernel's first parameter, and so on; outputs likewise. Only the order "
      "counts. Types and dimensions are the kernel's.");
  out->Bullet(
      "Computational attributes are integers. Addressing attributes are integers or address expressions.");
  out->Bullet(
      "A loop runs its variable from the first number to just before the second, by 1; not at all if there "
      "is "
      "none. Loops nest up to " +
      Number(assembly::kMaxLoopDepth) +
      " deep, each with a variable of its own, which only address expressions may use.");
  out->Bullet(
      "An address expression has integers, variables of the loops around it, `+ - * / %`, signs and round "
      "brackets; `/` rounds toward zero, and blanks mean nothing.");
  out->Bullet(
      "Debug prints, whenever the run reaches it, a text and then the part of a memory at the given leading "
      "indices, counted over its addresses and then the dimensions at each address: without any, all of it.");
  out->Line();
}

void Native(ManualWriter* out) {
  out->Line("### Native assembly");
  out->Line();
  out->Line(R"(```
program   := "program" NAME "target" ACCELERATOR "hbm" INT { tensor } "code" "{" { statement } "}"
tensor    := ("input" | "output") [NAME] "@" BYTE type  |  "const" [NAME] "@" BYTE type "=" value
type      := TYPE "[" [INT {"," INT}] "]"
value     := element | nested | "full" element | "eye" | "iota" DIMENSION | "bytes" STRING
nested    := "{" (nested | element) {"," (nested | element)} "}"
statement := call | "loop" VARIABLE INT ".." INT "{" { statement } "}"
           | "debug" STRING MEMORY "[" [INT {"," INT}] "]"
call      := INSTRUCTION { ATTRIBUTE "=" INT } [ "[" place {"," place} "]" ] [ names ]
place     := ATTRIBUTE "=" address                                        such as a=i*64 + 128
names     := ";" name [ "<-" name {"," name} ]
```)");
  out->Line();
  out->Bullet(
      "Computational attributes stand before the bracket, separated by blanks, or not at all if there are "
      "none; addressing attributes stand in it, separated by commas. Each is given once, in any order.");
  out->Bullet("Line ends mean nothing; INT may have a sign. Comments are `// ...` and `/* ... */`.");
  out->Bullet(
      "A program's name is an identifier. Names of tensors are free and may be left out or repeated: nothing "
      "refers to them but messages.");
  out->Bullet(
      "An element is an integer, a decimal, `inf`, `-inf`, `nan`, `true` or `false`; a tensor without "
      "dimensions is one element, others are nested row by row. `full x` is x everywhere, `eye` is 1 where "
      "both indices are equal, `iota d` each element's index in dimension d, `bytes` the bytes in "
      "hexadecimal, in row-major "
      "order.");
  out->Bullet(
      "Names behind `;` are optional and say what the values are: the value that the call makes (in its "
      "first "
      "`writes` window), then one for each `reads` window in order; `_` says nothing. They name values, not "
      "places: where a result replaces an operand, `; after <- before`. A name may be used again. Only the "
      "number of operand names is checked, unless a certificate of a compile is given (`--certificate`): a "
      "name that it has must then stand beside its value.");
  out->Line();
}

void Python(ManualWriter* out) {
  out->Line("### Published kernel format");
  out->Line();
  out->Line(R"(```
import jax.numpy as jnp

def NAME(kernel, api):
    @kernel(hbm=INT, input=[tensor, ...], constant=[const, ...], output=[tensor, ...])
    def INNER():
        statement
        ...
    return INNER

tensor    := {'addr': BYTE, 'shape': (INT, ...), 'dtype': jnp.TYPE}
const     := {'addr': BYTE, 'shape': (INT, ...), 'dtype': jnp.TYPE, 'value': value}
value     := element | nested list of elements | jnp.eye(n) | jnp.full(shape, element) | jnp.array(nested list)
statement := api.INSTRUCTION(ATTRIBUTE = argument, ...)
           | api.start_loop("VARIABLE", INT, INT)  |  api.end_loop()  |  api.debug("TEXT", "MEMORY[INT, ...]")
argument  := INT | "address"
```)");
  out->Line();
  out->Bullet(
      "act reads this and executes nothing; whatever else Python has (variables, `for`, other calls) is "
      "refused "
      "with line and column.");
  out->Bullet(
      "Needed: both functions (the inner one alone if `kernel` and `api` are imported), the decorator with "
      "`hbm`, `input` and `output`, every key of a declaration, "
      "and "
      "the `return`. `constant` may be left out. Comments, blanks, line breaks in brackets, quotes, and all "
      "names that are not part of the format are free. Statements stand one below the other, those of a loop "
      "too, without further indentation; a body without any is `pass`.");
  out->Bullet(
      "A shape with one dimension is `(64,)`, one without `()`. Elements are written as in Python, also "
      "`True`, `False`, `jnp.inf`, `jnp.nan`. `INT` may use `+ - * // % **`.");
  out->Bullet(
      "Attributes may stand in any order under their names, or without names in the order of the "
      "instruction's "
      "heading. In an address text, variables carry a percent sign: `\"%i*64 + 128\"`; division is `/` "
      "there.");
  out->Line();
}

void Types(ManualWriter* out) {
  out->Line("### Element types");
  out->Line();
  out->Paragraph(
      "Native assembly, and HLO kernels, write `pred`, `s2 s4 s8 s16 s32 s64`, `u2 u4 u8 u16 u32 u64`, "
      "`f16 bf16 f32 f64`, `f8e4m3fn f8e5m2 f8e8m0fnu f4e2m1fn` and further kinds of f8, `c64 c128`; the "
      "kernel "
      "format writes the same as `bool_`, `int2` to `int64`, `uint2` to `uint64`, "
      "`float16 bfloat16 float32 float64`, `float8_e4m3fn float8_e5m2 float8_e8m0fnu float4_e2m1fn`, "
      "`complex64 complex128`.");
}

void Explain(const isa::Accelerator& accelerator, const assembly::Program& program, ManualWriter* out) {
  for (const assembly::Statement& statement : program.body) {
    if (statement.kind != assembly::Statement::Kind::kCall) continue;
    const assembly::Call& call = statement.call;
    const isa::Instruction& in = accelerator.instruction(call.instruction);
    std::vector<int64_t> addressing, state;
    for (const assembly::AttributeValue& value : call.addressing) {
      addressing.push_back(value.AsInteger().value_or(0));
    }
    for (const isa::StateVariable& s : accelerator.state) state.push_back(s.initial);
    const isa::Environment environment{call.computational, addressing, state};
    std::string line = "`" + in.name + "` reads ";
    const auto list = [&](const std::vector<isa::Region>& regions) {
      for (size_t k = 0; k < regions.size(); ++k) {
        line += k > 0 ? " and " : "";
        const auto box = isa::EvaluateRegion(regions[k], environment);
        if (!box.ok()) continue;
        line += "`" + accelerator.buffer(box->buffer).name + "[";
        for (size_t d = 0; d < box->start.size(); ++d) {
          line += (d > 0 ? ", " : "") + Number(box->start[d]) + " : +" + Number(box->size[d]);
        }
        line += "]`";
      }
    };
    list(in.inputs);
    line += " and writes ";
    list(in.outputs);
    out->Bullet(line + ".");
  }
}

void Example(const isa::Accelerator& accelerator, const std::optional<RoundTrip>& round_trip,
             ManualWriter* out) {
  out->Line("## Example: a tensor through the chip and back");
  out->Line();
  if (!round_trip) {
    out->Paragraph(
        "No program that brings a tensor onto the chip and back unchanged was found for this accelerator.");
    return;
  }
  out->Line("The kernel");
  out->Line();
  out->Line("```\n" + round_trip->kernel + "```");
  out->Line();
  out->Line("as a program in the published format:");
  out->Line();
  out->Line("```python\n" +
            assembly::PrintPythonKernel(accelerator, round_trip->program, {"roundtrip.hlo", 1}) + "```");
  out->Line();
  out->Line("and in native assembly:");
  out->Line();
  out->Line("```\n" + assembly::PrintNative(accelerator, round_trip->program) + "```");
  out->Line();
  Explain(accelerator, round_trip->program, out);
  out->Line();
}

}  // namespace

void WritePrograms(const isa::Accelerator& accelerator, const std::optional<RoundTrip>& round_trip,
                   ManualWriter* out) {
  Common(out);
  Native(out);
  Python(out);
  Types(out);
  Example(accelerator, round_trip, out);
}

void WriteChecking(ManualWriter* out) {
  out->Line("## Checking a program");
  out->Line();
  out->Line(R"(```
act validate PROGRAM --target SPEC.taidl
act verify   PROGRAM --target SPEC.taidl --kernel kernel.hlo
act simulate PROGRAM --target SPEC.taidl --input a.dat --input b.dat --output c.dat
act simulate PROGRAM --target SPEC.taidl --cost
```)");
  out->Line();
  out->Paragraph("`PROGRAM` is a `.asm` or a `.py` file.");
  out->Bullet(
      "`validate` follows every instruction without data, loops unrolled: windows inside their memories, "
      "what "
      "instructions demand, nothing used that was never written, inputs intact, outputs written.");
  out->Bullet(
      "`verify` validates, then runs the program on random inputs (`--runs`, 3; floats from N(0,1)) and "
      "compares with the "
      "kernel, "
      "both computed by the rules under Numbers. Integers and booleans must be equal. A float may differ "
      "from "
      "the kernel's by a bound computed for that element: what the kernel's own roundings, and sums in "
      "another "
      "order, can make at most. For data that is only moved it is 0. Zeros of either sign count as equal, "
      "and "
      "NaN equals NaN. Where the bound exceeds a quarter of the value, no difference within it is decisive: "
      "the report counts such elements as not decided.");
  out->Bullet(
      "A kernel is HLO text as JAX prints it, `jax.jit(f).lower(*arguments).as_text(\"hlo\")`; the example "
      "above "
      "has one. `parameter(k)` is input k, counted from 0; `ROOT` is the output, or a `tuple` of the outputs "
      "in "
      "order.");
  out->Bullet(
      "`simulate` runs the program, bit for bit. A `.dat` file holds one tensor's elements and nothing else, "
      "row-major and little-endian, as NumPy's `tofile` writes them: one `--input` for each input and one "
      "`--output` for each output, in order. `--random SEED` stands in for the inputs; without `--output` a "
      "summary is printed.");
  out->Bullet("`simulate --cost` prints the program's cost.");
}

}  // namespace act::cli
