#include "Stream.h"

#include "Driver.h"
#include "Settings.h"

namespace emulator {

static Stream &defaultStream() {
  static Stream stream(0, true, 0);
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

std::vector<Ticket> Stream::before() const {
  std::vector<Ticket> result;
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

int Stream::run(Work work) {
  for (auto [stream, ticket] : work.after)
    stream->drain(ticket);
  int &sticky = Driver::get().sticky;
  if (sticky != Success)
    return sticky;
  // The work may set the error that all calls return, too.
  int code = work.run();
  if (isLogged() && !work.name.empty())
    Driver::get().log += std::to_string(number) + " " + work.name + "\n";
  return code;
}

int Stream::submit(Work work) {
  std::vector<Ticket> others = before();
  work.after.insert(work.after.end(), others.begin(), others.end());
  if (lateStreams()) {
    ++issued;
    queue.push_back(std::move(work));
    advanceAll();
    return Success;
  }
  drain();
  ++issued;
  int code = run(std::move(work));
  ++finished;
  return code;
}

bool Stream::progress() {
  if (queue.empty())
    return true;
  // Who only asks whether the work is done doesn't wait for all that precedes it.
  for (auto [stream, ticket] : queue.front().after)
    if (stream->finished < ticket && !stream->progress())
      return false;
  Work work = std::move(queue.front());
  queue.pop_front();
  isBusy = true;
  if (int code = run(std::move(work)); code != Success)
    Driver::get().sticky = code;
  isBusy = false;
  ++finished;
  advanceAll();
  return false;
}

/// Does one piece of quick work that needn't wait; whether there was one.
bool Stream::advance() {
  if (isBusy || queue.empty() || !queue.front().isQuick)
    return false;
  for (auto [stream, ticket] : queue.front().after)
    if (stream->finished < ticket)
      return false;
  progress();
  return true;
}

void Stream::advanceAll() {
  static bool isAdvancing = false;
  if (!eagerCopies() || isAdvancing)
    return;
  isAdvancing = true;
  bool hasMore = true;
  while (hasMore) {
    hasMore = defaultStream().advance();
    for (const auto &[handle, stream] : Driver::get().streams)
      hasMore |= stream->advance();
  }
  isAdvancing = false;
}

void Stream::drain(uint64_t ticket) {
  while (finished < ticket && !progress())
    ;
}

} // namespace emulator
