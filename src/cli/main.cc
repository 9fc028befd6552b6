// The executable. Whatever happens, its status is 0 or 1 and a failure prints one line.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/cli.h"

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kOwnCrashReport = false;  // the sanitizer's says more
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kOwnCrashReport = false;
#else
constexpr bool kOwnCrashReport = true;
#endif
#else
constexpr bool kOwnCrashReport = true;
#endif

// Whether Run came back: code of a cost model that calls exit() must not look like a success.
bool finished = false;

void Say(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// Only what a signal handler may call.
void Crashed(int signal) {
  Say("Error: internal: ");
  Say(signal == SIGSEGV || signal == SIGBUS ? "invalid memory access"
      : signal == SIGFPE                    ? "arithmetic fault"
                                            : "abnormal end");
  Say("; please report it with the input\n");
  _exit(1);
}

void CatchSignals() {
  // A closed pipe is a failed write.
  std::signal(SIGPIPE, SIG_IGN);
  if (!kOwnCrashReport) return;
  // A stack of its own, so that an overflow of the stack is reported too.
  static char stack[1 << 16];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = Crashed;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

int Guarded(const std::vector<std::string>& words) {
  try {
    return act::cli::Run(words);
  } catch (const std::bad_alloc&) {
    Say("Error: internal: out of memory\n");
  } catch (const std::exception& e) {
    Say("Error: internal: ");
    Say(e.what());
    Say("\n");
  } catch (...) {
    Say("Error: internal: unknown exception\n");
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CatchSignals();
  std::atexit([] {
    if (finished) return;
    Say("Error: internal: the process was ended by code it loaded\n");
    _exit(1);
  });
  const int status = Guarded(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  finished = true;
  return status;
}
