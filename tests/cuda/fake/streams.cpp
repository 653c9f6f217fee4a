// Implements the fake driver's streams and events. A stream is a queue: its work runs when something waits for it.
#include <algorithm>
#include <utility>

#include "cuda/fake/state.h"

using namespace fake;

namespace fake {

CUresult drain(Stream& stream, size_t end) {
  while (!stream.work.empty() && stream.done < end) {
    const std::function<CUresult()> work = std::move(stream.work.front());
    stream.work.pop_front();
    ++stream.done;
    if (stream.context->sticky != kSuccess) continue;
    if (const CUresult status = work(); status != kSuccess) stream.context->sticky = status;
  }
  return stream.context->sticky;
}

CUresult wait_for(Stream& stream) {
  if (stream.capture != nullptr) return break_capture(stream, "a wait");
  if (state.order & 4)
    for (Stream* other : state.streams)
      if (other != &stream) drain(*other);
  const CUresult status = drain(stream);
  for (Pool* pool : state.pools) pool->kept = std::min(pool->kept, pool->threshold);
  return status;
}

CUresult enqueue(Stream& stream, std::function<CUresult()> run, Kernel* kernel) {
  if (stream.is_capture_invalid) return kCaptureInvalidated;
  if (stream.capture != nullptr) {
    auto node = std::make_unique<Node>(Node{{}, std::move(run), kernel});
    if (stream.captured != nullptr) node->after.push_back(stream.captured);
    stream.captured = stream.capture->nodes.emplace_back(std::move(node)).get();
    return kSuccess;
  }
  if (kernel == nullptr) {
    stream.work.push_back(std::move(run));
    return kSuccess;
  }
  ++stream.launches;
  stream.work.push_back([&stream, launch = std::move(run)] {
    --stream.launches;
    return launch();
  });
  return kSuccess;
}

CUresult break_capture(Stream& stream, const char* name) {
  mistake(std::string(name) + " on a stream that is captured");
  stream.is_capture_invalid = true;
  return kCaptureUnsupported;
}

CUresult check_no_capture(const char* name) {
  for (Stream* stream : state.streams)
    if (stream->capture != nullptr && stream->is_capture_global) return break_capture(*stream, name);
  return kSuccess;
}

Stream* known(Stream* stream) {
  if (reinterpret_cast<uintptr_t>(stream) <= 1 && !current.empty())
    return &state.legacy.try_emplace(current.back(), Stream{current.back()}).first->second;
  return state.streams.count(stream) != 0 ? stream : nullptr;
}

Stream* usable(Stream* handle) {
  Stream* const stream = known(handle);
  return stream != nullptr && stream->context == current.back() ? stream : nullptr;
}

}  // namespace fake

EXPORTED CUresult cuStreamCreate(Stream** stream, unsigned flags) {
  ENTER_WITH_CONTEXT("cuStreamCreate");
  if (flags > 1) return kInvalidValue;
  *stream = *state.streams.insert(new Stream{current.back()}).first;
  (*stream)->number = ++state.streams_made;
  return kSuccess;
}

EXPORTED CUresult cuStreamDestroy_v2(Stream* stream) {
  const Call call("cuStreamDestroy");
  if (state.streams.count(stream) == 0) return kInvalidHandle;
  drain(*stream);
  state.streams.erase(stream);
  delete stream;
  return call.status();
}

EXPORTED CUresult cuStreamGetCtx(Stream* handle, Context** context) {
  ENTER_WITH_CONTEXT("cuStreamGetCtx");
  Stream* const stream = known(handle);
  if (stream == nullptr) return kInvalidHandle;
  *context = stream->context;
  return kSuccess;
}

EXPORTED CUresult cuStreamSynchronize(Stream* stream) {
  ENTER_WITH_CONTEXT("cuStreamSynchronize");
  return known(stream) != nullptr ? wait_for(*known(stream)) : kInvalidHandle;
}

/// Makes the stream wait for the work that the event stands for at this time. It does not matter if the event is recorded again or
/// destroyed later.
EXPORTED CUresult cuStreamWaitEvent(Stream* handle, Event* event, unsigned flags) {
  ENTER_WITH_CONTEXT("cuStreamWaitEvent");
  Stream* const stream = usable(handle);
  if (state.events.count(event) == 0 || stream == nullptr) return kInvalidHandle;
  if (flags != 0) return kInvalidValue;
  if (event->is_captured != (stream->capture != nullptr)) {
    mistake("a stream waits for an event that is part of a capture, or the other way round");
    return kCaptureIsolation;
  }
  return enqueue(*stream, [awaited = *event, stream] {
    if (awaited.stream == nullptr || awaited.stream == stream) return static_cast<CUresult>(kSuccess);
    const bool is_there = awaited.number == 0 || (state.streams.count(awaited.stream) != 0 && awaited.stream->number == awaited.number);
    return is_there ? drain(*awaited.stream, awaited.position) : static_cast<CUresult>(kSuccess);
  });
}

EXPORTED CUresult cuEventCreate(Event** event, unsigned) {
  ENTER_WITH_CONTEXT("cuEventCreate");
  *event = *state.events.insert(new Event{current.back()}).first;
  return kSuccess;
}

EXPORTED CUresult cuEventRecord(Event* event, Stream* handle) {
  ENTER_WITH_CONTEXT("cuEventRecord");
  Stream* const stream = known(handle);
  if (state.events.count(event) == 0 || stream == nullptr || stream->context != event->context) return kInvalidHandle;
  event->stream = stream;
  event->number = stream->number;
  event->position = stream->done + stream->work.size();
  event->is_captured = stream->capture != nullptr;
  return kSuccess;
}

EXPORTED CUresult cuEventDestroy_v2(Event* event) {
  const Call call("cuEventDestroy");
  if (state.events.erase(event) == 0) return kInvalidHandle;
  delete event;
  return call.status();
}

std::vector<Row> fake::stream_functions() {
  return {
      ROW("cuStreamCreate", 2000, cuStreamCreate),
      ROW("cuStreamDestroy", 4000, cuStreamDestroy_v2),
      ROW("cuStreamSynchronize", 2000, cuStreamSynchronize),
      ROW("cuStreamGetCtx", 9020, cuStreamGetCtx),
      ROW("cuStreamWaitEvent", 3020, cuStreamWaitEvent),
      ROW("cuEventCreate", 2000, cuEventCreate),
      ROW("cuEventRecord", 2000, cuEventRecord),
      ROW("cuEventDestroy", 4000, cuEventDestroy_v2),
  };
}
