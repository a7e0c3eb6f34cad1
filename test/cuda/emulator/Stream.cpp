#include "Stream.h"

#include "Driver.h"
#include "Settings.h"

namespace emulator {

static Stream &defaultStream() {
  static Stream stream(0, true);
  return stream;
}

Stream *findStream(const void *handle) {
  if (reinterpret_cast<uintptr_t>(handle) <= 2)
    return &defaultStream();
  auto found = Driver::get().streams.find(handle);
  return found == Driver::get().streams.end() ? nullptr : found->second.get();
}

int drainAll() {
  defaultStream().drain();
  for (const auto &[handle, stream] : Driver::get().streams)
    stream->drain();
  return Driver::get().sticky;
}

int drainBlocking() {
  defaultStream().drain();
  for (const auto &[handle, stream] : Driver::get().streams)
    if (stream->blocks)
      stream->drain();
  return Driver::get().sticky;
}

std::vector<std::pair<Stream *, uint64_t>> Stream::before() const {
  std::vector<std::pair<Stream *, uint64_t>> result;
  if (this != &defaultStream()) {
    if (blocks)
      result.emplace_back(&defaultStream(), defaultStream().issued);
    return result;
  }
  for (const auto &[handle, stream] : Driver::get().streams)
    if (stream->blocks)
      result.emplace_back(stream.get(), stream->issued);
  return result;
}

int Stream::submit(std::function<int()> work) {
  auto others = before();
  if (lateStreams()) {
    ++issued;
    queue.push_back([others, work = std::move(work)] {
      for (auto [stream, ticket] : others)
        stream->drain(ticket);
      return work();
    });
    return Success;
  }
  for (auto [stream, ticket] : others)
    stream->drain(ticket);
  drain();
  if (Driver::get().sticky != Success)
    return Driver::get().sticky;
  ++issued;
  int code = work();
  ++finished;
  return code;
}

bool Stream::progress() {
  if (queue.empty())
    return true;
  std::function<int()> work = std::move(queue.front());
  queue.pop_front();
  int &sticky = Driver::get().sticky;
  if (sticky == Success)
    // The work may set it too.
    if (int code = work(); code != Success)
      sticky = code;
  ++finished;
  return false;
}

void Stream::drain(uint64_t ticket) {
  while (finished < ticket && !progress())
    ;
}

} // namespace emulator
