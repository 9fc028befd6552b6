#include "cli/console.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace act::cli {
namespace {

Status Environment(std::string message) {
  return Error(ErrorClass::kEnvironment, "file", std::move(message));
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

Status PrintOut(std::string_view text) {
  if (WriteAll(STDOUT_FILENO, text)) return Status();
  return Environment(std::string("cannot write to stdout: ") + std::strerror(errno));
}

void PrintErr(std::string_view text) { WriteAll(STDERR_FILENO, text); }

std::string OneLine(const Status& status) {
  std::string text = status.message();
  std::string line;
  for (const char c : text) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == '\0';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  const size_t more = status.diagnostics().size() - 1;
  if (more > 0) line += " (and " + std::to_string(more) + (more == 1 ? " more fault)" : " more faults)");
  return line;
}

int Fail(const Status& status) {
  const bool internal = status.front().error_class == ErrorClass::kInternal;
  PrintErr((internal ? "Error: internal: " : "Error: ") + OneLine(status) + "\n");
  return 1;
}

int FailNoAssembly(const Status& status) {
  if (status.front().error_class == ErrorClass::kInternal) return Fail(status);
  PrintErr("Error: no assembly found: " + OneLine(status) + "\n");
  return 1;
}

bool EndsWith(std::string_view text, std::string_view suffix) { return text.ends_with(suffix); }

std::string BaseName(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

StatusOr<isa::Accelerator> LoadAccelerator(const std::string& path) {
  ACT_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  const SourceText source(path, std::move(text));
  ACT_ASSIGN_OR_RETURN(isa::Accelerator accelerator, isa::ParseTaidl(source));
  Status faults;
  for (Diagnostic& d : isa::Check(accelerator, &source)) {
    if (!d.is_warning) faults.mutable_diagnostics().push_back(std::move(d));
  }
  if (!faults.ok()) return faults;
  return accelerator;
}

StatusOr<std::string> CheckOutputPath(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path target = path;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    const fs::path link = fs::read_symlink(target, error);
    if (error || links == 40)
      return Environment("output '" + path + "' is a symbolic link that leads nowhere");
    target = link.is_absolute() ? link : target.parent_path() / link;
  }
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) return Environment("output '" + path + "' is a directory");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return Environment("output '" + path + "' is not a regular file");
  }
  if (fs::exists(status) && access(target.c_str(), W_OK) != 0) {
    return Environment("cannot write output '" + path + "': " + std::strerror(errno));
  }
  const fs::path parent = target.parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return Environment("cannot write output '" + path + "': folder '" + folder +
                       "': " + std::strerror(errno));
  }
  if (!fs::is_directory(folder, error)) {
    return Environment("cannot write output '" + path + "': '" + folder + "' is no folder");
  }
  return target.string();
}

}  // namespace act::cli
