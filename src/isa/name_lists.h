// Internal: the lists of names an expression may use, in the order in which plain names are looked up.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/expression.h"

namespace act::isa {

inline constexpr std::array<AttributeKind, 3> kAttributeKinds = {
    AttributeKind::kComputational, AttributeKind::kAddressing, AttributeKind::kState};
inline constexpr std::array<char, 3> kAttributePrefixes = {'c', 'a', 's'};

std::string_view AttributeKindName(AttributeKind kind);
std::span<const std::string> NamesOf(const NameTable& names, AttributeKind kind);
std::optional<int32_t> FindName(std::span<const std::string> list, std::string_view name);

}  // namespace act::isa
