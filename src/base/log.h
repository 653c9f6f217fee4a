// Passes log messages to the host. Every layer of harp gets a Log object as a parameter. harp itself prints nothing: a message goes to the
// host's callback or is dropped. The implementation is a private spdlog logger (no registry, one sink) that only log.cpp includes.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/text.h"

namespace harp {

enum class LogLevel : int { kTrace = 0, kDebug = 1, kInfo = 2, kWarning = 3, kError = 4, kOff = 5 };

/// Receives one message. The text is not NUL-terminated and is valid only during the call. Several harp threads may call the callback at
/// the same time. The callback must not call harp.
using LogCallback = void (*)(void* user, int level, const char* text, size_t size);

/// Writes messages to the host's callback. Copies share one logger. Thread-safe. Never throws: if building or delivering a message fails,
/// the message is dropped.
class Log {
 public:
  /// Makes a log that drops all messages.
  Log() = default;
  Log(LogCallback callback, void* user, LogLevel least);

  bool enabled(LogLevel level) const noexcept { return logger_ && level >= least_ && level < LogLevel::kOff; }
  void write(LogLevel level, std::string_view text) const noexcept;

  template <class... Parts>
  void debug(const Parts&... parts) const noexcept {
    write_parts(LogLevel::kDebug, parts...);
  }
  template <class... Parts>
  void info(const Parts&... parts) const noexcept {
    write_parts(LogLevel::kInfo, parts...);
  }
  template <class... Parts>
  void warning(const Parts&... parts) const noexcept {
    write_parts(LogLevel::kWarning, parts...);
  }
  template <class... Parts>
  void error(const Parts&... parts) const noexcept {
    write_parts(LogLevel::kError, parts...);
  }

 private:
  template <class... Parts>
  void write_parts(LogLevel level, const Parts&... parts) const noexcept {
    if (!enabled(level)) return;
    try {
      write(level, cat(parts...));
    } catch (...) {  // If memory runs out, the message is dropped, so that logging never makes a call fail.
    }
  }

  struct Logger;
  std::shared_ptr<Logger> logger_;
  LogLevel least_ = LogLevel::kOff;
};

}  // namespace harp
