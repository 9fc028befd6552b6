#include "ffi/cache.h"

#include <elf.h>
#include <link.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace act::ffi {
namespace {

constexpr std::string_view kMagic = "act-kernel 1 ";

std::string Hex(uint64_t value) {
  std::string text(16, '0');
  for (size_t i = 16; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

// The first line of an entry: what its text must be.
std::string Head(std::string_view text) {
  return std::string(kMagic) + Hex(HashBytes(text, 0x616374)) + ' ' + std::to_string(text.size()) + '\n';
}

// An address inside this object.
const char kHere = 0;

struct Search {
  std::string found;
};

// The build id is a note: name and content sizes, type, "GNU\0", then the content.
int LookForBuildId(dl_phdr_info* info, size_t, void* search) {
  const auto here = reinterpret_cast<uintptr_t>(&kHere);
  bool ours = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + segment.p_vaddr;
    ours = ours || (segment.p_type == PT_LOAD && here >= start && here - start < segment.p_memsz);
  }
  if (!ours) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    const char* const end = at + segment.p_memsz;
    while (end - at >= static_cast<ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const size_t name = (note.n_namesz + 3u) & ~size_t{3}, content = (note.n_descsz + 3u) & ~size_t{3};
      at += sizeof note;
      if (static_cast<size_t>(end - at) < name + content) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(at, "GNU", 4) == 0) {
        std::string& id = static_cast<Search*>(search)->found;
        for (size_t k = 0; k < note.n_descsz; ++k) {
          const auto byte = static_cast<unsigned char>(at[name + k]);
          id += "0123456789abcdef"[byte >> 4];
          id += "0123456789abcdef"[byte & 15];
        }
        return 1;
      }
      at += name + content;
    }
  }
  return 1;
}

}  // namespace

std::string BuildId() {
  Search search;
  dl_iterate_phdr(LookForBuildId, &search);
  return search.found;
}

std::string DiskCache::PathOf(std::string_view key) const {
  return folder_ + '/' + Hex(HashBytes(key, 1)) + Hex(HashBytes(key, 2)) + ".kernel";
}

std::optional<std::string> DiskCache::Load(std::string_view key) const {
  StatusOr<std::string> entry = ReadFile(PathOf(key));
  if (!entry.ok()) return std::nullopt;
  const size_t line = entry->find('\n');
  if (line == std::string::npos) return std::nullopt;
  std::string text = entry->substr(line + 1);
  if (entry->compare(0, line + 1, Head(text)) != 0) return std::nullopt;
  return text;
}

Status DiskCache::Store(std::string_view key, std::string_view text) const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  return WriteFileAtomically(PathOf(key), Head(text) + std::string(text));
}

}  // namespace act::ffi
