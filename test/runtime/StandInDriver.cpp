#include "StandInDriver.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace quernel::runtime;
using namespace quernel::test;

static StandInDriver *standIn = nullptr;

/// The driver's functions.
struct StandInDriver::Functions {
  static StandInDriver &self() { return *standIn; }

  static int init(unsigned) { return self().initCode; }
  static int getVersion(int *version) {
    *version = self().version;
    return 0;
  }
  static int getErrorName(int code, const char **name) {
    static const std::map<int, const char *> names = {
        {2, "CUDA_ERROR_OUT_OF_MEMORY"},     {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
        {500, "CUDA_ERROR_NOT_FOUND"},       {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
        {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
        {999, "CUDA_ERROR_UNKNOWN"}};
    const auto found = names.find(code);
    *name = found == names.end() ? nullptr : found->second;
    return found == names.end();
  }
  static int getErrorString(int, const char **text) {
    *text = "as the test wants it";
    return 0;
  }

  static int getDeviceCount(int *count) {
    *count = self().devices;
    return 0;
  }
  static int getDevice(int *device, int number) {
    *device = 40 + number;
    return 0;
  }
  static int getDeviceName(char *name, int bytes, int device) {
    std::strncpy(name, device == 40 ? "Stand-in A" : "Stand-in B", bytes);
    return 0;
  }
  static int getDeviceAttribute(int *value, int attribute, int) {
    const std::map<int, int> values = {{1, 1024}, {16, 132}, {75, 9}, {76, 0}};
    *value = values.at(attribute);
    return 0;
  }
  static int getTotalMemory(size_t *bytes, int) {
    *bytes = self().capacity;
    return 0;
  }

  static int retainContext(DriverContext *context, int device) {
    *context = reinterpret_cast<DriverContext>(uintptr_t(device));
    return 0;
  }
  static int pushContext(DriverContext) {
    ++self().contexts;
    return 0;
  }
  static int popContext(DriverContext *context) {
    *context = nullptr;
    --self().contexts;
    return 0;
  }
  static int createStream(DriverStream *stream, unsigned) {
    *stream = reinterpret_cast<DriverStream>(7 + self().streams++);
    return 0;
  }
  static int destroyStream(DriverStream) {
    ++self().streamsGone;
    return 0;
  }
  static int synchronizeStream(DriverStream stream) {
    ++self().synchronizations;
    self().finish(reinterpret_cast<uintptr_t>(stream));
    return self().lateCode;
  }
  static int destroyEvent(DriverEvent) { return 0; }
  static int elapsedTime(float *milliseconds, DriverEvent begin, DriverEvent end) {
    *milliseconds = static_cast<float>(self().marks[reinterpret_cast<uintptr_t>(end)].ticket -
                                       self().marks[reinterpret_cast<uintptr_t>(begin)].ticket);
    return 0;
  }
  static int waitEvent(DriverStream stream, DriverEvent event, unsigned) {
    const auto found = self().marks.find(reinterpret_cast<uintptr_t>(event));
    if (found != self().marks.end())
      self().enqueue(stream, [mark = found->second] { self().finishUntil(mark); });
    return 0;
  }
  static int createEvent(DriverEvent *event, unsigned) {
    *event = reinterpret_cast<DriverEvent>(++self().events);
    return 0;
  }
  static int recordEvent(DriverEvent event, DriverStream stream) {
    self().enqueue(stream, [] {});
    const auto handle = reinterpret_cast<uintptr_t>(stream);
    self().marks[reinterpret_cast<uintptr_t>(event)] = {handle, self().queues[handle].issued};
    return 0;
  }
  /// Who asks sees all of it done the next time, unless the device is stuck.
  static int queryStream(DriverStream stream) {
    const auto handle = reinterpret_cast<uintptr_t>(stream);
    if (self().isStuck)
      return driverNotReady;
    if (self().queues[handle].work.empty())
      return self().lateCode;
    ++self().synchronizations;
    self().finish(handle);
    return driverNotReady;
  }
  static int queryEvent(DriverEvent event) {
    const auto found = self().marks.find(reinterpret_cast<uintptr_t>(event));
    if (found == self().marks.end() || self().queues[found->second.stream].finished >= found->second.ticket)
      return driverSuccess;
    if (!self().isStuck && ++self().eventQueries % 2 == 0) // so the host can be ahead
      self().finishUntil(found->second);
    return driverNotReady;
  }

  static int getPointerAttribute(void *value, int, const void *memory) {
    *static_cast<int *>(value) = 0;
    return self().holds(memory) ? 0 : 1;
  }

  static int getMemoryInfo(size_t *free, size_t *total) {
    *total = self().capacity;
    *free = self().capacity - self().bytesHeld;
    return 0;
  }
  static int allocate(DriverAddress *address, size_t bytes) {
    if (self().bytesHeld + bytes > self().capacity)
      return driverOutOfMemory;
    ++self().allocations;
    self().bytesHeld += bytes;
    *address = std::aligned_alloc(512, bytes);
    self().memory[*address] = bytes;
    return 0;
  }
  static int release(DriverAddress address) {
    self().finish();
    ++self().releases;
    self().bytesHeld -= self().memory.at(address);
    self().memory.erase(address);
    std::free(address);
    return 0;
  }
  static int allocatePinned(void **address, size_t bytes, unsigned) {
    if (self().pinnedPieces-- < 1)
      return driverOutOfMemory;
    *address = std::aligned_alloc(512, bytes);
    self().pinned[*address] = bytes;
    return 0;
  }
  static int releasePinned(void *address) {
    self().pinned.erase(address);
    std::free(address);
    return 0;
  }
  static int copyToDevice(DriverAddress to, const void *from, size_t bytes, DriverStream stream) {
    self().bytesToDevice += bytes;
    self().enqueue(stream, [=] { std::memcpy(to, from, bytes); }, "up");
    return self().copyCode;
  }
  static int copyToHost(void *to, const void *from, size_t bytes, DriverStream stream) {
    self().bytesToHost += bytes;
    self().enqueue(stream, [=] { std::memcpy(to, from, bytes); }, "down");
    return self().copyCode;
  }
  static int copyOnDevice(DriverAddress to, const void *from, size_t bytes, DriverStream stream) {
    self().enqueue(stream, [=] { std::memcpy(to, from, bytes); });
    return self().copyCode;
  }

  /// An image that begins with "other" is another device's, one with "new" of a later CUDA.
  static int loadModule(DriverModule *module, const void *image, unsigned, int *, void **) {
    if (std::strncmp(static_cast<const char *>(image), "other", 5) == 0)
      return driverNoBinary;
    if (std::strncmp(static_cast<const char *>(image), "new", 3) == 0)
      return driverNewerPtx;
    self().loadedImage = static_cast<const char *>(image);
    *module = reinterpret_cast<DriverModule>(uintptr_t(++self().modules));
    return 0;
  }
  static int unloadModule(DriverModule) {
    ++self().unloads;
    return 0;
  }
  static int getFunction(DriverFunction *function, DriverModule, const char *name) {
    const auto found = self().kernels.find(name);
    if (found == self().kernels.end())
      return 500;
    *function = reinterpret_cast<DriverFunction>(&found->second);
    return 0;
  }
  static int getParameterInfo(DriverFunction function, size_t number, size_t *offset, size_t *bytes) {
    if (!self().tellsParameters)
      return 999;
    if (number >= size_t(reinterpret_cast<const StandInKernel *>(function)->arguments))
      return driverInvalidValue;
    *bytes = sizeof(uint64_t);
    *offset = number * *bytes;
    return 0;
  }
  static int setFunctionAttribute(DriverFunction, int, int value) {
    self().dynamicShared = value;
    return 0;
  }
  static int launch(DriverFunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                    DriverStream stream, void **arguments, void **) {
    ++self().launches;
    const auto &kernel = *reinterpret_cast<const StandInKernel *>(function);
    std::vector<uint64_t> values(kernel.arguments);
    for (int k = 0; k < kernel.arguments; ++k)
      std::memcpy(&values[k], arguments[k], sizeof(uint64_t));
    if (self().launchCode == 0)
      self().enqueue(stream, [&kernel, values] { kernel.run(values.data()); }, "kernel");
    return self().launchCode;
  }

  static int createGraph(DriverGraph *graph, unsigned) {
    ++self().graphs;
    *graph = reinterpret_cast<DriverGraph>(&self().allGraphs.emplace_back());
    return self().graphCode("createGraph");
  }
  static int destroyGraph(DriverGraph) {
    ++self().graphsGone;
    return 0;
  }
  static int createCondition(uint64_t *condition, DriverGraph graph, DriverContext, unsigned, unsigned) {
    *condition = self().allGraphs.size();
    reinterpret_cast<Graph *>(graph)->condition = *condition;
    return self().graphCode("createCondition");
  }
  static int addGraphNode(DriverNode *node, DriverGraph handle, const DriverNode *, size_t,
                          DriverNodeParameters *parameters) {
    auto &graph = *reinterpret_cast<Graph *>(handle);
    *node = reinterpret_cast<DriverNode>(handle);
    if (parameters->type == 13) {
      graph.bodies[0] = handle;
      parameters->conditional.bodies = graph.bodies;
      return 0;
    }
    const auto &kernel = *reinterpret_cast<const StandInKernel *>(parameters->kernel.function);
    std::vector<uint64_t> values(kernel.arguments);
    for (int k = 0; k < kernel.arguments; ++k)
      std::memcpy(&values[k], parameters->kernel.arguments[k], sizeof(uint64_t));
    graph.body.emplace_back([&kernel, values] { kernel.run(values.data()); });
    return self().graphCode("addGraphNode");
  }
  static int instantiateGraph(DriverRunnableGraph *runnable, DriverGraph graph, unsigned long long) {
    *runnable = reinterpret_cast<DriverRunnableGraph>(graph);
    return self().graphCode("instantiateGraph");
  }
  static int launchGraph(DriverRunnableGraph runnable, DriverStream stream) {
    if (const int code = self().graphCode("launchGraph"))
      return code;
    ++self().graphLaunches;
    const auto *graph = reinterpret_cast<const Graph *>(runnable);
    self().enqueue(stream, [graph, &driver = self()] {
      driver.conditions[graph->condition] = driver.runsLoops;
      while (driver.conditions[graph->condition])
        for (const auto &kernel : graph->body)
          kernel();
    });
    return 0;
  }
  static int destroyRunnableGraph(DriverRunnableGraph) { return 0; }
};

StandInDriver::StandInDriver() {
  standIn = this;
  kernels["quernel_go_on"] = {4, [this](const uint64_t *arguments) {
                                const auto *failure = reinterpret_cast<const int64_t *>(arguments[2]);
                                const int64_t left = --*reinterpret_cast<int64_t *>(arguments[3]);
                                const bool goesOn = *reinterpret_cast<const bool *>(arguments[1]);
                                conditions[arguments[0]] = goesOn && left > 0 && !(failure && *failure);
                              }};
}

StandInDriver::~StandInDriver() {
  for (const auto &all : {memory, pinned})
    for (auto [address, bytes] : all)
      std::free(address);
  standIn = nullptr;
}

Driver StandInDriver::table() const {
  Driver driver;
  driver.path = "stand-in";
#define QN_DRIVER_FUNCTION(member, symbol, ...) driver.member = Functions::member;
#include "runtime/device/Driver.def"
  return driver;
}

bool StandInDriver::holds(const void *address) const {
  const auto *place = static_cast<const char *>(address);
  return std::ranges::any_of(memory, [&](const auto &piece) {
    const auto *start = static_cast<const char *>(piece.first);
    return place >= start && place < start + piece.second;
  });
}

void StandInDriver::enqueue(DriverStream stream, std::function<void()> work, const char *name) {
  const auto handle = reinterpret_cast<uintptr_t>(stream);
  if (name)
    work = [this, work, note = name + (" " + std::to_string(handle))] {
      work();
      done.push_back(note);
    };
  usedGone |= gone.contains(handle);
  ++queues[handle].issued;
  queues[handle].work.push_back(std::move(work));
}

void StandInDriver::finishUntil(const Mark &mark) {
  Queue &queue = queues[mark.stream];
  while (!queue.work.empty() && queue.finished < mark.ticket) {
    const std::function<void()> work = std::move(queue.work.front());
    queue.work.pop_front();
    work();
    ++queue.finished;
  }
}

void StandInDriver::finish(uintptr_t stream) { finishUntil({stream, queues[stream].issued}); }

void StandInDriver::finish() {
  for (const auto &[stream, queue] : queues)
    finish(stream);
}
