// Results without exceptions: Status and StatusOr<T>. A failure carries one or more diagnostics.
#pragma once
#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/diagnostic.h"

namespace act {

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }
  explicit Status(std::vector<Diagnostic> diagnostics) : diagnostics_(std::move(diagnostics)) {}

  bool ok() const { return diagnostics_.empty(); }
  // The failures, the first one first. Empty iff ok().
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  std::vector<Diagnostic>& mutable_diagnostics() { return diagnostics_; }
  const Diagnostic& front() const { return diagnostics_.front(); }
  // One line, "file:line:column: sentence" of the first failure; empty if ok().
  std::string message() const { return ok() ? std::string() : RenderShort(front()); }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// A failure without a place.
inline Status Error(ErrorClass error_class, std::string code, std::string message) {
  Diagnostic d;
  d.error_class = error_class;
  d.code = std::move(code);
  d.message = std::move(message);
  return Status(std::move(d));
}

template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(T value) : value_(std::move(value)) {}
  StatusOr(Status status) : status_(std::move(status)) { assert(!status_.ok()); }
  StatusOr(Diagnostic diagnostic) : status_(std::move(diagnostic)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace act

#define ACT_CONCAT_INNER(a, b) a##b
#define ACT_CONCAT(a, b) ACT_CONCAT_INNER(a, b)
// Leaves the function with the failure of a Status expression.
#define ACT_RETURN_IF_ERROR(expression)        \
  do {                                         \
    ::act::Status act_status_ = (expression);  \
    if (!act_status_.ok()) return act_status_; \
  } while (false)
// ACT_ASSIGN_OR_RETURN(auto x, F()): x is F()'s value, or the function returns F()'s failure.
#define ACT_ASSIGN_OR_RETURN(declaration, expression) \
  ACT_ASSIGN_OR_RETURN_INNER(ACT_CONCAT(act_result_, __LINE__), declaration, expression)
#define ACT_ASSIGN_OR_RETURN_INNER(temporary, declaration, expression) \
  auto temporary = (expression);                                       \
  if (!temporary.ok()) return std::move(temporary).status();           \
  declaration = std::move(temporary).value()
