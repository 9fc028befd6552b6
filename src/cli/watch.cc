#include "cli/watch.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "cli/console.h"

namespace act::cli {

Watch::Watch(bool show_progress, double max_seconds, std::string limit_text)
    : show_progress_(show_progress), max_seconds_(max_seconds), limit_text_(std::move(limit_text)) {
  if (show_progress_ || max_seconds_ > 0) thread_ = std::thread([this] { Run(); });
}

Watch::~Watch() { Stop(); }

void Watch::SetStage(const std::string& stage) {
  const std::lock_guard<std::mutex> lock(mutex_);
  stage_ = stage;
}

void Watch::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
  Erase();
}

void Watch::Erase() {
  if (shown_ > 0) PrintErr("\r" + std::string(shown_, ' ') + "\r");
  shown_ = 0;
}

void Watch::Run() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  for (int64_t tick = 1; !stop_; ++tick) {
    auto next = start + std::chrono::seconds(tick);
    const bool limited = max_seconds_ > 0;
    // A limit beyond a few years never strikes and must not overflow the clock.
    const auto limit = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                                   limited ? std::min(max_seconds_, 1e8) : 1e8));
    next = std::min(next, limit);
    if (wake_.wait_until(lock, next, [this] { return stop_; })) break;
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (limited && seconds >= max_seconds_) {
      Erase();
      PrintErr("Error: no assembly found: --max-seconds " + limit_text_ + " reached in " + stage_ + "\n");
      _exit(1);
    }
    if (!show_progress_ || seconds < 1) continue;
    std::string line = stage_ + ", " + std::to_string(static_cast<int64_t>(seconds)) + " s";
    const size_t columns = line.size();
    if (shown_ > columns) line.resize(shown_, ' ');
    PrintErr("\r" + line);
    shown_ = std::max(shown_, columns);
  }
}

}  // namespace act::cli
