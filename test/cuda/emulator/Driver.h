// What the functions of the stand-in for the CUDA driver share. Every call holds one lock from begin to end. Stream.h
// says when what is asked of a device is done.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_DRIVER_H
#define QUERNEL_TEST_CUDA_EMULATOR_DRIVER_H

#include "Graph.h"
#include "Launch.h"
#include "Ptx.h"
#include "Stream.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

// An entry of the driver, which begins with ENTER or ENTER_CONTEXT.
#define DRIVER extern "C" __attribute__((visibility("default"))) int

namespace emulator {

/// Some of cuda.h's CUresult.
enum Result {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForDevice = 209,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchFailed = 719,
  NotSupported = 801,
  Unknown = 999
};

/// Plain handles: what they are the addresses of.
struct Context {
  int device;
};
struct Event {
  /// Where it was recorded last.
  Stream *stream = nullptr;
  uint64_t ticket = 0;
  int64_t nanoseconds = 0;

  bool isPending() const { return stream && stream->finished < ticket; }
};
/// Of a module, or of a text of PTX.
struct Function {
  Module *module;
  const Ptx *ptx;
  const Kernel *kernel;
  int mostDynamic = 48 << 10;

  unsigned sharedBytes() const { return module ? module->sharedBytes(*kernel) : 0; }
};
struct LoadedModule {
  std::unique_ptr<Module> module;
  std::unique_ptr<Ptx> ptx;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

class Driver {
public:
  static Driver &get();

  std::recursive_mutex mutex;
  bool isInitialized = false;
  /// The error of a launch that every later call returns, where errors come late.
  int sticky = Success;
  std::map<std::string, int64_t> calls, copied;
  /// What streams have done, a line each: the stream's number, and "kernel NAME", or the copy's direction and bytes.
  std::string log;
  std::map<const void *, std::unique_ptr<Stream>> streams;
  std::map<const void *, std::unique_ptr<Event>> events;
  /// Memory of the host that copies read and write while they are done, with its sizes.
  std::map<const void *, size_t> hostMemory;
  std::map<const void *, std::unique_ptr<LoadedModule>> modules;
  /// Those that somebody has made, and what can be launched of them. `conditions` are those of all.
  std::map<const void *, std::unique_ptr<Graph>> graphs;
  std::map<const void *, std::shared_ptr<const Graph>> runnables;
  std::map<uint64_t, Condition> conditions;

  /// The context of the calling thread; null where it has none.
  Context *context() const;
  Context *primary(int device);

  /// Notes and prints what is wrong; returns `code`.
  int fail(int code, const std::string &text);
  const char *text(int code) const;

private:
  int lastCode = Success;
  std::string lastText;
};

/// What a launch is asked for.
struct LaunchRequest {
  const Function *function;
  Shape shape;
  /// The arguments as the kernel had them when it was launched, which the host may change at once.
  std::vector<std::vector<char>> values;
};

/// The request, if it can be; else the error, which is noted.
int request(const char *name, const Function *function, const Shape &shape, void **parameters, void **extra,
            LaunchRequest &made);
/// Runs a kernel on a device; the error that it fails with, unless errors come late.
int launch(const LaunchRequest &asked, int device);

/// A call: counted, and alone.
class Call {
public:
  Call(const char *name, bool needsContext);
  int code;

private:
  std::lock_guard<std::recursive_mutex> lock;
};

} // namespace emulator

#define ENTER_WITH(NEEDS_CONTEXT)                                                                                      \
  emulator::Call call(__func__, NEEDS_CONTEXT);                                                                        \
  if (call.code != emulator::Success)                                                                                  \
    return call.code;
#define ENTER ENTER_WITH(false)
#define ENTER_CONTEXT ENTER_WITH(true)

#endif
