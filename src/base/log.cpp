// This file uses spdlog as headers only, without its registry, default logger, thread-local storage and thread ids. The logger's error
// handler does nothing, because spdlog's default handler writes to stderr, which belongs to the host.
#include "base/log.h"

#ifndef SPDLOG_HEADER_ONLY
#define SPDLOG_HEADER_ONLY
#endif
#define SPDLOG_NO_TLS
#define SPDLOG_NO_THREAD_ID
// This macro makes fmt independent of std::locale. Otherwise fmt 10 defines a static object with a constructor (format_facet::id), and
// loading harp's library would run code.
#define FMT_STATIC_THOUSANDS_SEPARATOR ','
#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>

namespace harp {
namespace {

class CallbackSink final : public spdlog::sinks::sink {
 public:
  CallbackSink(LogCallback callback, void* user) : callback_(callback), user_(user) {}

  void log(const spdlog::details::log_msg& message) override {
    callback_(user_, static_cast<int>(from_spdlog(message.level)), message.payload.data(), message.payload.size());
  }
  void flush() override {}
  // The pattern, which formats log lines, is ignored, because the host gets only the text of the message.
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

 private:
  static LogLevel from_spdlog(spdlog::level::level_enum level) {
    switch (level) {
      case spdlog::level::trace: return LogLevel::kTrace;
      case spdlog::level::debug: return LogLevel::kDebug;
      case spdlog::level::info: return LogLevel::kInfo;
      case spdlog::level::warn: return LogLevel::kWarning;
      default: return LogLevel::kError;
    }
  }

  LogCallback callback_;
  void* user_;
};

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kTrace: return spdlog::level::trace;
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
    case LogLevel::kOff: return spdlog::level::off;
  }
  return spdlog::level::off;
}

}  // namespace

struct Log::Logger {
  spdlog::logger logger;
};

Log::Log(LogCallback callback, void* user, LogLevel least) : least_(least) {
  if (callback == nullptr) return;
  logger_ = std::make_shared<Logger>(Logger{spdlog::logger("harp", std::make_shared<CallbackSink>(callback, user))});
  logger_->logger.set_level(to_spdlog(least));
  logger_->logger.set_error_handler([](const std::string&) {});
}

void Log::write(LogLevel level, std::string_view text) const noexcept {
  if (!enabled(level)) return;
  try {
    logger_->logger.log(to_spdlog(level), spdlog::string_view_t(text.data(), text.size()));
  } catch (...) {  // A callback written in C++ threw an exception, which must not propagate through harp.
  }
}

}  // namespace harp
