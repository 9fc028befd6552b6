// The clock of a compile: a progress line on a terminal, and --max-seconds. Neither changes a result.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace act::cli {

class Watch {
 public:
  // show_progress: from one second on a line on stderr says what is being done; it is erased at the end.
  // max_seconds > 0: when it strikes the process prints the line of a compile that found nothing, in which
  // the limit is called `limit_text`, and ends with status 1, unless it is inside Guard.
  Watch(bool show_progress, double max_seconds, std::string limit_text);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Also where the limit is looked at when the clock's own thread gets no processor.
  void SetStage(const std::string& stage);
  // No limit strikes while the lock is held: files are written whole.
  std::unique_lock<std::mutex> Guard() { return std::unique_lock<std::mutex>(mutex_); }
  // Stops the clock and erases the line; called again it does nothing.
  void Stop();

 private:
  void Run();
  void Erase();
  // Ends the process if the time is over; the mutex is held.
  void CheckLimit();
  double Seconds() const;

  const bool show_progress_;
  const double max_seconds_;
  const std::string limit_text_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string stage_ = "reading";
  bool stop_ = false;
  size_t shown_ = 0;  // columns of the line that stands there
  std::thread thread_;
};

}  // namespace act::cli
