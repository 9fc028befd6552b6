#include "cli/watch.h"

#include <unistd.h>

#include <algorithm>

#include "cli/console.h"

namespace act::cli {

Watch::Watch(bool show_progress, double max_seconds, std::string limit_text)
    : show_progress_(show_progress), max_seconds_(max_seconds), limit_text_(std::move(limit_text)) {
  if (show_progress_ || max_seconds_ > 0) thread_ = std::thread([this] { Run(); });
}

Watch::~Watch() { Stop(); }

void Watch::SetStage(const std::string& stage) {
  const std::lock_guard<std::mutex> lock(mutex_);
  CheckLimit();
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

double Watch::Seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Watch::CheckLimit() {
  if (max_seconds_ <= 0 || Seconds() < max_seconds_) return;
  Erase();
  PrintErr("Error: no assembly found: --max-seconds " + limit_text_ + " reached in " + stage_ + "\n");
  _exit(1);
}

void Watch::Run() {
  using Clock = std::chrono::steady_clock;
  // A limit beyond a few years never strikes and must not overflow the clock.
  const double limit_seconds = max_seconds_ > 0 ? std::min(max_seconds_, 1e8) : 1e8;
  const auto limit =
      start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
  std::unique_lock<std::mutex> lock(mutex_);
  for (int64_t tick = 1; !stop_; ++tick) {
    const Clock::time_point second = start_ + std::chrono::seconds(tick);
    if (wake_.wait_until(lock, std::min(second, limit), [this] { return stop_; })) break;
    CheckLimit();
    const double seconds = Seconds();
    if (!show_progress_ || seconds < 1) continue;
    std::string line = stage_ + ", " + std::to_string(static_cast<int64_t>(seconds)) + " s";
    const size_t columns = line.size();
    if (shown_ > columns) line.resize(shown_, ' ');
    PrintErr("\r" + line);
    shown_ = std::max(shown_, columns);
  }
}

}  // namespace act::cli
