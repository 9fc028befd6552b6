#include "backend/package.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

namespace act::backend {
namespace {

constexpr char kMagic[] = "ACT-PKG1";  // 8 bytes
constexpr size_t kTrailer = 8 + 4 * 8;

std::string Word(uint64_t value) {
  std::string out;
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}
uint64_t ReadWord(const char* bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

struct Tail {
  uint64_t engine_bytes = 0;  // before the package
  uint64_t sizes[3] = {0, 0, 0};
  uint64_t checksum = 0;
};

// Reads the trailer; nullopt if the file ends otherwise.
StatusOr<std::optional<Tail>> ReadTail(int fd, const std::string& path, uint64_t file_size) {
  if (file_size < kTrailer) return std::optional<Tail>();
  char bytes[kTrailer];
  if (pread(fd, bytes, kTrailer, static_cast<off_t>(file_size - kTrailer)) !=
      static_cast<ssize_t>(kTrailer)) {
    return Error(ErrorClass::kEnvironment, "file", "cannot read the end of '" + path + "'");
  }
  if (std::memcmp(bytes, kMagic, 8) != 0) return std::optional<Tail>();
  Tail tail;
  uint64_t total = 0;
  for (int i = 0; i < 3; ++i) {
    tail.sizes[i] = ReadWord(bytes + 8 + 8 * i);
    if (tail.sizes[i] > file_size) total = file_size + 1;
    total += tail.sizes[i];
  }
  tail.checksum = ReadWord(bytes + 32);
  if (total > file_size - kTrailer) {
    return Error(ErrorClass::kEnvironment, "package",
                 "'" + path + "' carries a damaged package; generate it again");
  }
  tail.engine_bytes = file_size - kTrailer - total;
  return std::optional<Tail>(tail);
}

}  // namespace

StatusOr<std::optional<Package>> ReadPackage(const std::string& executable) {
  const int fd = open(executable.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return Error(ErrorClass::kEnvironment, "file",
                 "cannot read '" + executable + "': " + std::strerror(errno));
  }
  const off_t size = lseek(fd, 0, SEEK_END);
  auto tail = ReadTail(fd, executable, size < 0 ? 0 : static_cast<uint64_t>(size));
  if (!tail.ok() || !*tail) {
    close(fd);
    if (!tail.ok()) return tail.status();
    return std::optional<Package>();
  }
  const uint64_t total = (*tail)->sizes[0] + (*tail)->sizes[1] + (*tail)->sizes[2];
  std::string bytes(total, '\0');
  const ssize_t got = pread(fd, bytes.data(), total, static_cast<off_t>((*tail)->engine_bytes));
  close(fd);
  if (got != static_cast<ssize_t>(total) || HashBytes(bytes) != (*tail)->checksum) {
    return Error(ErrorClass::kEnvironment, "package",
                 "'" + executable + "' carries a damaged package; generate it again");
  }
  Package package;
  package.spec = bytes.substr(0, (*tail)->sizes[0]);
  package.cost_library = bytes.substr((*tail)->sizes[0], (*tail)->sizes[1]);
  package.cost_path = bytes.substr((*tail)->sizes[0] + (*tail)->sizes[1]);
  return std::optional<Package>(std::move(package));
}

Status WriteBackend(const std::string& engine, const Package& package, const std::string& output) {
  ACT_ASSIGN_OR_RETURN(std::string bytes, ReadFile(engine));
  const int fd = open(engine.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    const auto tail = ReadTail(fd, engine, bytes.size());
    close(fd);
    if (tail.ok() && *tail) bytes.resize((*tail)->engine_bytes);
  }
  const std::string payload = package.spec + package.cost_library + package.cost_path;
  bytes += payload;
  bytes.append(kMagic, 8);
  bytes += Word(package.spec.size()) + Word(package.cost_library.size()) + Word(package.cost_path.size());
  bytes += Word(HashBytes(payload));
  return WriteFileAtomically(output, bytes, 0755);
}

}  // namespace act::backend
