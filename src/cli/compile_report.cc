#include "cli/compile_report.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace act::cli {
namespace {

std::string Number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

// Milliseconds to a thousandth.
std::string Milliseconds(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 3);
  return std::string(text, end.ptr);
}

struct Count {
  const char* name;
  int64_t value;
};
std::vector<Count> Counts(const backend::CompileReport& r) {
  return {{"e_nodes", r.select.e_nodes},
          {"e_classes", r.select.e_classes},
          {"iterations", r.select.iterations},
          {"states", r.select.states},
          {"productions", r.select.productions},
          {"extraction_nodes", r.select.extract_nodes},
          {"candidates", r.candidates},
          {"orders", r.allocate.orders},
          {"allocation_nodes", r.allocate.search_nodes},
          {"validated_calls", r.validate.calls},
          {"validated_terms", r.validate.terms},
          {"instructions", r.instructions},
          {"hbm_bytes", r.hbm_bytes}};
}

std::string JsonList(const std::vector<std::string>& items) {
  std::string text = "[";
  for (size_t i = 0; i < items.size(); ++i) text += (i > 0 ? ", " : "") + JsonString(items[i]);
  return text + "]";
}

}  // namespace

std::string ReportText(const backend::CompileReport& report) {
  std::string text;
  for (const std::string& limit : report.select.limits) text += "limit reached: " + limit + "\n";
  for (const std::string& dropped : report.dropped) text += "dropped: " + dropped + "\n";
  for (const std::string& step : report.inexact_steps) text += "not exact on all inputs: " + step + "\n";
  if (report.candidates > 0) {
    text += "candidates with a program: " + std::to_string(report.candidates) + "\n";
    text += "instructions: " + std::to_string(report.instructions) + ", cost " + Number(report.cost) +
            ", HBM " + std::to_string(report.hbm_bytes) + " bytes" +
            (report.select.proved ? ", cheapest selection proved" : "") + "\n";
  }
  if (!report.verification.empty()) text += "verification: " + report.verification + "\n";
  return text;
}

std::string StatsText(const backend::CompileReport& report) {
  std::string text;
  for (const Count& count : Counts(report)) {
    std::string name = count.name;
    name.resize(20, ' ');
    text += name + std::to_string(count.value) + "\n";
  }
  text += "cost                " + Number(report.cost) + "\n";
  double total = 0;
  for (const backend::StageTime& stage : report.times) {
    text += Milliseconds(stage.milliseconds) + " ms  " + stage.name + "\n";
    total += stage.milliseconds;
  }
  return text + Milliseconds(total) + " ms  all\n";
}

std::string StatsJson(const backend::CompileReport& report) {
  std::string text = "{";
  for (const Count& count : Counts(report)) {
    text += JsonString(count.name) + ": " + std::to_string(count.value) + ", ";
  }
  text += "\"cost\": " + Number(report.cost) + ", \"proved\": " + (report.select.proved ? "true" : "false");
  text += ", \"engine\": " + JsonString(report.allocate.engine);
  text += ", \"limits\": " + JsonList(report.select.limits);
  text += ", \"dropped\": " + JsonList(report.dropped);
  text += ", \"inexact_steps\": " + JsonList(report.inexact_steps);
  text += ", \"verification\": " + JsonString(report.verification);
  text += ", \"stages\": [";
  for (size_t i = 0; i < report.times.size(); ++i) {
    text += std::string(i > 0 ? ", " : "") + "{\"name\": " + JsonString(report.times[i].name) +
            ", \"milliseconds\": " + Milliseconds(report.times[i].milliseconds) + "}";
  }
  return text + "]}\n";
}

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace act::cli
