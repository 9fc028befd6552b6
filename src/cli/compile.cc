#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "cli/compile_options.h"
#include "cli/compile_report.h"
#include "cli/watch.h"

namespace act::cli {
namespace {

constexpr std::string_view kNumerics[] = {"strict", "default", "relaxed"};
constexpr std::string_view kSolvers[] = {"search", "cpsat"};
constexpr std::string_view kStats[] = {"json"};

Status Fault(std::string message) { return Error(ErrorClass::kValue, "command-line", std::move(message)); }

// The command line as values.
struct Request {
  std::string input, output;  // as given
  std::string target;         // of `output`, symbolic links followed
  std::string certificate;    // empty: not wanted
  bool python = false;
  bool verbose = false, stats = false, json = false, cpsat = false;
  double max_seconds = 0;
  backend::CompileOptions options;
};

StatusOr<double> Seconds(const Arguments& arguments) {
  if (!arguments.Has("--max-seconds")) return 0.0;
  const std::string text = arguments.Get("--max-seconds");
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec == std::errc() && end.ptr == text.data() + text.size() && std::isfinite(value) && value > 0) {
    return value;
  }
  return Fault("option --max-seconds takes a number above 0, not '" + text + "'");
}

StatusOr<Request> ReadRequest(const Arguments& arguments, const std::string& input) {
  Request request;
  request.input = input;
  request.output = arguments.Get("--output");
  if (!EndsWith(BaseName(input), ".hlo")) {
    return Fault("the kernel file '" + input + "' must have the suffix .hlo");
  }
  request.python = EndsWith(request.output, ".py");
  if (!request.python && !EndsWith(request.output, ".asm")) {
    return Fault("the output file '" + request.output +
                 "' must have the suffix .py (Python kernel) or .asm (native assembly)");
  }
  ACT_ASSIGN_OR_RETURN(const uint64_t effort, arguments.Integer("--effort", 1, 0, 3));
  ACT_ASSIGN_OR_RETURN(const size_t numerics, arguments.Choice("--numerics", kNumerics, 1));
  ACT_ASSIGN_OR_RETURN(const size_t solver, arguments.Choice("--solver", kSolvers, 0));
  ACT_ASSIGN_OR_RETURN(request.options.seed, arguments.Integer("--seed", 1, 0, UINT64_MAX));
  ACT_ASSIGN_OR_RETURN(request.max_seconds, Seconds(arguments));
  if (arguments.Has("--verify") && arguments.Has("--no-verify")) {
    return Fault("options --verify and --no-verify exclude each other");
  }
  request.stats = arguments.Has("--stats");
  request.json = request.stats && !arguments.Get("--stats").empty();
  if (request.json) ACT_RETURN_IF_ERROR(arguments.Choice("--stats", kStats, 0).status());
  request.options.effort = backend::EffortLevel(static_cast<int>(effort));
  request.options.numerics = static_cast<select::Numerics>(numerics);
  request.options.verify = !arguments.Has("--no-verify");
  request.options.stop_at_first = arguments.Has("--stop-at-first") || effort == 0;
  request.options.input_file = BaseName(input);
  request.verbose = arguments.Has("--verbose");
  request.cpsat = solver == 1;
  ACT_ASSIGN_OR_RETURN(request.target, CheckOutputPath(request.output));
  if (arguments.Has("--certificate")) {
    const std::string certificate = arguments.Get("--certificate");
    ACT_ASSIGN_OR_RETURN(request.certificate, CheckOutputPath(certificate));
    if (request.certificate == request.target) {
      return Fault("options --output and --certificate name the same file '" + certificate + "'");
    }
  }
  return request;
}

// A sub-directory of `folder` that no other compile has: run-1, run-2, ...
StatusOr<std::string> MakeRunFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Error(ErrorClass::kEnvironment, "file",
                 "cannot make log folder '" + folder + "': " + error.message());
  }
  for (int64_t n = 1;; ++n) {
    const std::string path = folder + "/run-" + std::to_string(n);
    if (mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST) {
      return Error(ErrorClass::kEnvironment, "file",
                   "cannot make log folder '" + path + "': " + std::strerror(errno));
    }
  }
}

// One compile with its outputs; the watch knows when it may end the process.
class Job {
 public:
  Job(Request request, const isa::Accelerator& accelerator, Watch* watch)
      : request_(std::move(request)), accelerator_(accelerator), watch_(*watch) {}

  Status MakeLog(const std::string& folder) {
    ACT_ASSIGN_OR_RETURN(log_folder_, MakeRunFolder(folder));
    request_.options.log = [this](const std::string& name, const std::string& text) { Log(name, text); };
    return Status();
  }

  int Run(std::string kernel_text) {
    request_.options.progress = [this](const std::string& stage) {
      watch_.SetStage(stage);
      Say(stage + "\n");
      return true;
    };
    if (!log_folder_.empty()) Log(BaseName(request_.input), kernel_text);
    Status status = Compile(std::move(kernel_text));
    if (status.ok()) status = log_status_;
    if (!log_folder_.empty()) {
      notes_ += ReportText(report_);
      notes_ +=
          status.ok() ? "written: " + request_.output + "\n" : "no assembly found: " + OneLine(status) + "\n";
      Log("notes.txt", notes_);
    }
    watch_.Stop();
    if (status.ok()) {
      Say(ReportText(report_));
      Say("written: " + request_.output + "\n");
    }
    if (request_.stats) PrintErr(request_.json ? StatsJson(report_) : StatsText(report_));
    if (status.ok() && out_status_.ok()) return 0;
    if (status.ok()) return Fail(out_status_);
    return status.front().error_class == ErrorClass::kEnvironment && writing_ ? Fail(status)
                                                                              : FailNoAssembly(status);
  }

 private:
  Status Compile(std::string kernel_text) {
    if (request_.cpsat) {
      return Error(
          ErrorClass::kUnsupported, "solver",
          "--solver cpsat was asked for, and this program was built without CP-SAT; use --solver search");
    }
    const SourceText source(request_.input, std::move(kernel_text));
    std::vector<Diagnostic> warnings;
    auto module = hlo::Parse(source, {}, &warnings);
    for (const Diagnostic& warning : warnings) Note(RenderShort(warning) + "\n");
    if (!module.ok()) return module.status();
    select::Selector selector(&accelerator_);
    ACT_ASSIGN_OR_RETURN(const backend::Compiled compiled,
                         backend::Compile(accelerator_, &selector, *module, request_.options, &report_));
    report_ = compiled.report;
    const std::string text =
        request_.python ? assembly::PrintPythonKernel(accelerator_, compiled.program,
                                                      {request_.options.input_file, compiled.candidate})
                        : assembly::PrintNative(accelerator_, compiled.program);
    watch_.SetStage("writing");
    const auto guard = watch_.Guard();
    writing_ = true;
    if (!request_.certificate.empty()) {
      ACT_RETURN_IF_ERROR(WriteFileAtomically(
          request_.certificate, assembly::PrintSelectedGraph(accelerator_, compiled.certificate)));
    }
    return WriteFileAtomically(request_.target, text);
  }

  // Progress on stdout, only under --verbose.
  void Say(const std::string& text) {
    if (!request_.verbose) return;
    const Status printed = PrintOut(text);
    if (out_status_.ok()) out_status_ = printed;
  }
  void Note(const std::string& text) {
    Say(text);
    notes_ += text;
  }
  void Log(const std::string& name, const std::string& text) {
    const auto guard = watch_.Guard();
    const Status written = WriteFileAtomically(log_folder_ + "/" + name, text);
    if (log_status_.ok()) log_status_ = written;
  }

  Request request_;
  const isa::Accelerator& accelerator_;
  Watch& watch_;
  backend::CompileReport report_;
  std::string log_folder_, notes_;
  Status log_status_, out_status_;
  bool writing_ = false;
};

std::vector<Option> With(std::vector<Option> first, const std::vector<Option>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

}  // namespace

std::vector<Option> SharedCompileOptions() {
  return {
      {"--output", "FILE",
       "The program: FILE.py in the published Python kernel format, FILE.asm as native assembly. It appears "
       "only "
       "when complete; a failed compile leaves an existing file as it was.",
       true},
      {"--effort", "N", "How much is searched, 0 to 3 (default 1); the numbers are below."},
      {"--numerics", "MODE",
       "strict: only what is exact on all inputs. default: also what is equal over the reals on finite "
       "inputs. "
       "relaxed: also what over- or underflows elsewhere than the kernel, and approximations."},
      {"--verify", "", "Run the program in the simulator on random inputs against the kernel (default)."},
      {"--no-verify", "", "Do not run it; it is validated against its certificate all the same."},
      {"--seed", "N", "Seed of the verification's random inputs (default 1)."},
      {"--stop-at-first", "", "Take the first program that is valid, not the cheapest one."},
      {"--max-seconds", "N",
       "End without a program after N seconds (default: no limit). It never changes which program is "
       "written."},
      {"--solver", "NAME",
       "Placement: search (default, own complete search) or cpsat (ends the compile where it is not built "
       "in)."},
      {"--certificate", "FILE",
       "Also write the selected graph that the program was validated against, for `act verify "
       "--certificate`. "
       "Without the option only the program is written."},
      {"--log", "DIR",
       "Keep every candidate and notes in a new folder DIR/run-1, DIR/run-2, ...; nothing there is ever "
       "removed."},
      {"--stats", "[=json]", "Counts and the time of each stage on stderr, as text or JSON."},
      {"--verbose", "", "Say on stdout what is being done and how it came out."},
  };
}

std::string CompileDetails() {
  std::string text = "Effort:\n";
  const auto row = [&](std::vector<std::string> cells) {
    std::string line = "  ";
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i == 0) {
        cells[i].resize(34, ' ');
        line += cells[i];
      } else {
        line += std::string(14 - std::min<size_t>(13, cells[i].size()), ' ') + cells[i];
      }
    }
    text += line + "\n";
  };
  row({"--effort", "0", "1", "2", "3"});
  const auto numbers = [&](const char* name, auto member) {
    std::vector<std::string> cells{name};
    for (int level = 0; level <= 3; ++level) {
      cells.push_back(std::to_string(backend::EffortLevel(level).*member));
    }
    row(cells);
  };
  numbers("e-nodes", &backend::Effort::e_nodes);
  numbers("states", &backend::Effort::states);
  numbers("views of a base", &backend::Effort::views);
  numbers("bindings of a rule", &backend::Effort::bindings);
  numbers("orders", &backend::Effort::orders);
  numbers("rewriting iterations", &backend::Effort::iterations);
  numbers("candidates", &backend::Effort::candidates);
  numbers("search nodes of extraction", &backend::Effort::extraction_nodes);
  numbers("search nodes of allocation", &backend::Effort::allocation_nodes);
  numbers("multiply-adds of verification", &backend::Effort::verify_operations);
  text += "  0 also takes the first valid program. A kernel above the last row is validated, not executed.\n";
  text +=
      "\nExit status: 0 when the program was written, else 1 with one line on stderr: `Error: no assembly "
      "found: "
      "...`\nwhere the kernel has no program, `Error: ...` for a command line or file that cannot be used.\n"
      "Nothing is printed on stdout without --verbose. Equal inputs and options give equal bytes.\n";
  return text;
}

int CompileFile(const Arguments& arguments, const std::string& input, const isa::Accelerator& accelerator,
                cost::Model* cost) {
  StatusOr<Request> request = ReadRequest(arguments, input);
  if (!request.ok()) return Fail(request.status());
  StatusOr<std::string> text = ReadFile(input);
  if (!text.ok()) return Fail(text.status());
  request->options.cost = cost;
  Watch watch(isatty(STDERR_FILENO) != 0, request->max_seconds, arguments.Get("--max-seconds"));
  Job job(*std::move(request), accelerator, &watch);
  if (arguments.Has("--log")) {
    const Status made = job.MakeLog(arguments.Get("--log"));
    if (!made.ok()) return Fail(made);
  }
  return job.Run(*std::move(text));
}

Command CompileCommand() {
  Command command;
  command.usage = "act compile";
  command.summary = "Compiles an HLO kernel to a program of the accelerator, without generating a backend.";
  command.operands = {"KERNEL.hlo"};
  command.operand_help = {"HLO text of one module."};
  command.options =
      With({{"--target", "SPEC.taidl", "The accelerator.", true},
            {"--cost", "LIB",
             "Cost model that decides between candidates: an object file, static or shared library with "
             "`int act_cost(const char* asm_path, double* cost)`. Default: the built-in model."}},
           SharedCompileOptions());
  command.details = CompileDetails();
  return command;
}

int RunCompile(const Arguments& arguments) {
  const auto accelerator = LoadAccelerator(arguments.Get("--target"));
  if (!accelerator.ok()) return Fail(accelerator.status());
  std::unique_ptr<cost::Model> model;
  if (arguments.Has("--cost")) {
    auto file = cost::PreparePlugin(arguments.Get("--cost"));
    if (!file.ok()) return Fail(file.status());
    auto loaded = file->absolute_path.empty() ? cost::LoadPluginFromBytes(file->shared_library)
                                              : cost::LoadPlugin(file->absolute_path);
    if (!loaded.ok()) return Fail(loaded.status());
    model = std::move(*loaded);
  }
  return CompileFile(arguments, arguments.operand(0), *accelerator, model.get());
}

Command BackendCommand(const std::string& program, const isa::Accelerator* accelerator) {
  Command command;
  command.usage = program;
  command.summary = "Compiles an HLO kernel to a program of the accelerator " +
                    (accelerator != nullptr ? accelerator->name : std::string("in this file")) + ".";
  command.options =
      With({{"--input", "FILE.hlo", "The kernel: HLO text of one module.", true}}, SharedCompileOptions());
  command.details = CompileDetails();
  return command;
}

int RunBackend(const Arguments& arguments, const isa::Accelerator& accelerator,
               const backend::Package& package) {
  std::unique_ptr<cost::Model> model;
  if (!package.cost_library.empty() || !package.cost_path.empty()) {
    auto loaded = package.cost_path.empty() ? cost::LoadPluginFromBytes(package.cost_library)
                                            : cost::LoadPlugin(package.cost_path);
    if (!loaded.ok()) return FailNoAssembly(loaded.status());
    model = std::move(*loaded);
  }
  return CompileFile(arguments, arguments.Get("--input"), accelerator, model.get());
}

}  // namespace act::cli
