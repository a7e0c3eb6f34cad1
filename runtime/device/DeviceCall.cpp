#include "runtime/device/DeviceCall.h"
#include "runtime/Interrupts.h"
#include "runtime/Pool.h"
#include "runtime/device/DeviceRoutines.h"
#include "runtime/device/Devices.h"
#include "runtime/device/HostRoutines.h"
#include <algorithm>
#include <chrono>
#include <utility>

using namespace quernel::runtime;

/// The innermost call of the thread: `alloc` and `release` of a context don't say whose they are.
static thread_local DeviceCall *currentCall = nullptr;

Device &DeviceProgram::device() { return own ? *own : Devices::shared().at(position); }

Kernels &DeviceProgram::kernels() {
  Device &used = device();
  std::call_once(isMade, [&] { made.emplace(used, source); });
  return *made;
}

/// Whatever the device can't do becomes a code with a text.
template <typename Body> int32_t DeviceCall::guarded(Body body) {
  try {
    return body();
  } catch (const DeviceFailure &failure) {
    return fail(failure.what());
  } catch (const DeviceInterrupted &) {
    return QN_INTERRUPTED;
  } catch (const std::bad_alloc &) {
    return QN_OUT_OF_MEMORY;
  }
}

/// Before the program's work is asked for: where copies are late, `mark` tells them what it uses.
template <typename Mark> void DeviceCall::announce(Mark mark) {
  if (!told) [[likely]]
    return;
  mark(*told);
  told->begin();
}

/// Copies from the device's memory, when all that was asked before is done.
void DeviceCall::fetch(void *to, const void *from, size_t bytes) {
  if (told) {
    told->mark(from);
    told->beginWaiting();
  }
  used.read(to, from, bytes);
}

/// A loop that ends when the device's memory says so. Its first turns are asked for one by one, as most loops are short
/// and a graph costs about as much as some turns; then the device repeats them.
struct DeviceCall::Loop {
  DeviceCall &call;
  const void *goesOn, *failure;
  qn_turn turn;
  void *data;

  static constexpr int turnsBeforeGraph = 16;
  /// A launch of the graph takes about so long at most, since the device goes on with it where the user stops the
  /// program. The first one runs as many turns as take so long one by one; then twice as many, while they don't.
  static constexpr std::chrono::nanoseconds longestLaunch = std::chrono::milliseconds(10);
  static constexpr int64_t mostAtFirst = 64, mostTurns = int64_t(1) << 40;

  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();

  int32_t run() {
    for (int64_t turns = 0;; ++turns) {
      if (const int32_t code = poll(); code != QN_OK)
        return code;
      if (isOver())
        return QN_OK;
      if (turns == turnsBeforeGraph)
        if (const std::optional<int32_t> code = runAsGraph())
          return *code;
      if (const int32_t code = turn(data); code != QN_OK)
        return code;
    }
  }

private:
  template <typename Number> Number fetched(const void *from) const {
    Number number{};
    call.fetch(&number, from, sizeof number);
    return number;
  }

  bool isOver() const { return !fetched<uint8_t>(goesOn) || (failure && fetched<int64_t>(failure)); }

  /// What the loop ends with; none where it has to go on turn by turn.
  std::optional<int32_t> runAsGraph() {
    LoopGraphs &graphs = call.used.loopGraphs();
    std::optional<LoopGraph> graph;
    try {
      graph.emplace(call.used, goesOn, failure);
      call.building = &*graph;
      const int32_t code = turn(data);
      call.building = nullptr;
      if (code == QN_INTERRUPTED)
        return code;
      if (code != QN_OK || !graph->finish())
        return std::nullopt;
    } catch (const DeviceFailure &problem) {
      graphs.refuse(problem.what());
      return std::nullopt;
    }
    const auto eachTurn = std::max<Clock::duration>((Clock::now() - begin) / turnsBeforeGraph, Clock::duration(1));
    int64_t most = std::clamp<int64_t>(longestLaunch / eachTurn, 1, mostAtFirst);
    for (bool isFirst = true;; isFirst = false) {
      const Clock::time_point launched = Clock::now();
      try {
        call.announce([](DeviceCopies &copies) { copies.markAll(); });
        graph->launch(most);
      } catch (const DeviceFailure &problem) {
        graphs.refuse(problem.what());
        return std::nullopt;
      }
      if (isOver())
        return QN_OK;
      if (isFirst && !graph->hasRun(most)) {
        graphs.refuse(call.used.name() + " runs no turn of a loop's graph");
        return std::nullopt;
      }
      if (const int32_t code = poll(); code != QN_OK)
        return code;
      if (most < mostTurns && Clock::now() - launched < longestLaunch / 2)
        most *= 2;
    }
  }
};

/// The functions of a `qn_device`.
struct DeviceCall::Functions {
  static DeviceCall &of(const qn_device *device) {
    // Programs see it as constant; this one was made by the constructor below.
    return *static_cast<DeviceCall *>(const_cast<qn_device *>(device));
  }
  static DeviceCall &of(const qn_context *context) { return of(reinterpret_cast<const qn_device *>(context)); }

  static void *alloc(int64_t bytes) {
    DeviceCall &call = *currentCall;
    if (call.building)
      call.building->spoil(); // the next turn would get other memory
    void *memory = bytes < 0 ? nullptr : call.used.tryAllocate(bytes);
    if (!memory)
      call.guarded([&] { return call.fail(call.used.outOfMemoryText(bytes)); });
    return memory;
  }

  static void release(void *memory) { currentCall->used.memory().release(memory); }

  static int32_t fail(const qn_context *context, int32_t code, const int64_t *values, int32_t count) {
    return of(context).noted.note(code, values, count);
  }

  /// Whether a turn is asked for to be repeated, of which more than kernels can't be.
  static bool spoils(DeviceCall &call) {
    if (call.building)
      call.building->spoil();
    return call.building;
  }

  static int32_t call(const qn_context *context, int32_t routine, int32_t type, void *const *operands,
                      const int64_t *strides, const int64_t *sizes) {
    DeviceCall &call = of(context);
    if (spoils(call))
      return QN_DEVICE_FAILED;
    const RoutineCall asked{&call.host, routine, type, operands, strides, sizes};
    return call.guarded([&] {
      call.announce([&](DeviceCopies &copies) {
        if (routine < 0 || routine >= QN_ROUTINES)
          return; // which nobody has
        const RoutineRow &row = routineRows[routine];
        const int count = row.operands() + row.has(routineTraits::mayFail);
        for (int k = 0; k < count; ++k)
          copies.mark(operands[k]);
      });
      const std::optional<int32_t> code = callOnDevice(call.used, call.kernels, asked);
      return code ? *code : callOnHost(call.used, asked);
    });
  }

  static int32_t draw(const qn_context *context, int32_t routine, int64_t words, const uint64_t *before,
                      uint64_t *after, double *number) {
    DeviceCall &call = of(context);
    if (spoils(call))
      return QN_DEVICE_FAILED;
    return call.guarded([&] {
      call.announce([&](DeviceCopies &copies) {
        for (const void *operand :
             {static_cast<const void *>(before), static_cast<const void *>(after), static_cast<const void *>(number)})
          copies.mark(operand);
      });
      return drawOnHost(call.used, &call.host, routine, words, before, after, number);
    });
  }

  // Programs for devices have no loops that threads share: these are here for whoever asks all the same.
  static int32_t parallelFor(const qn_context *, int64_t begin, int64_t end, int64_t, int64_t, qn_turns turns,
                             void *data) {
    return begin < end ? turns(data, begin, end) : int32_t(QN_OK);
  }
  static int32_t parallelTasks(const qn_context *context, int64_t begin, int64_t end, int64_t, qn_tasks tasks,
                               void *data) {
    return begin < end ? tasks(data, context, begin, end) : int32_t(QN_OK);
  }

  /// Puts a launch into a graph.
  static int32_t add(DeviceCall &call, int32_t kernel, const qn_grid &grid, void *const *arguments) {
    try {
      call.kernels.add(kernel, grid, arguments, *call.building);
      return QN_OK;
    } catch (const DeviceFailure &problem) {
      call.used.loopGraphs().refuse(problem.what());
      return QN_DEVICE_FAILED;
    }
  }

  static int32_t launch(const qn_device *device, int32_t kernel, const qn_grid *grid, void *const *arguments) {
    DeviceCall &call = of(device);
    if (call.building) [[unlikely]]
      return add(call, kernel, *grid, arguments);
    return call.guarded([&] {
      call.announce([&](DeviceCopies &copies) {
        const std::span<const size_t> bytes = call.kernels.argumentBytes(kernel);
        if (bytes.empty())
          copies.markAll();
        for (size_t k = 0; k < bytes.size(); ++k)
          copies.markWords(arguments[k], bytes[k]);
      });
      call.kernels.launch(kernel, *grid, arguments);
      return QN_OK;
    });
  }

  static int32_t read(const qn_device *device, void *to, const void *from, int64_t bytes) {
    DeviceCall &call = of(device);
    if (spoils(call))
      return QN_DEVICE_FAILED;
    return call.guarded([&] {
      call.fetch(to, from, bytes);
      return QN_OK;
    });
  }

  static int32_t write(const qn_device *device, void *to, const void *from, int64_t bytes) {
    DeviceCall &call = of(device);
    if (spoils(call))
      return QN_DEVICE_FAILED;
    return call.guarded([&] {
      call.announce([&](DeviceCopies &copies) { copies.mark(to); });
      call.used.write(to, from, bytes);
      return QN_OK;
    });
  }

  static int32_t repeat(const qn_device *device, const void *goesOn, const void *failure, qn_turn turn, void *data) {
    DeviceCall &call = of(device);
    if (spoils(call))
      return QN_DEVICE_FAILED;
    return call.guarded([&] { return Loop{call, goesOn, failure, turn, data}.run(); });
  }
};

DeviceCall::DeviceCall(DeviceProgram &program, int threads, ErrorNote &error)
    : qn_device{{runtime::context(threads).threads, Functions::alloc, Functions::release, Functions::fail, poll,
                 Functions::call, Functions::parallelFor, Functions::parallelTasks, Functions::draw},
                Functions::launch,
                Functions::read,
                Functions::write,
                Functions::repeat},
      used(program.device()), kernels(program.kernels()), host(runtime::context(threads)), current(used), noted(error),
      outer(currentCall) {
  currentCall = this;
}

DeviceCall::~DeviceCall() { currentCall = outer; }

int32_t DeviceCall::fail(const std::string &text) {
  if (why.empty())
    why = text;
  return QN_DEVICE_FAILED;
}

namespace {

/// Brings memory that a program has handed over into the host's pool.
bool takeOver(Device &device, void *&address) {
  if (!address)
    return true;
  /// Theirs, which goes in any case, and ours, which stays if it holds what theirs does.
  struct Memories {
    Device &device;
    void *theirs, *ours = nullptr;
    ~Memories() {
      device.memory().release(theirs);
      Pool::shared().release(ours);
    }
  } memories{device, std::exchange(address, nullptr)};
  const size_t bytes = device.memory().wanted(memories.theirs);
  memories.ours = Pool::shared().allocate(bytes);
  if (memories.ours)
    device.read(memories.ours, memories.theirs, bytes);
  address = std::exchange(memories.ours, nullptr);
  return address;
}

/// Whether the host sees something of a buffer afterwards.
bool comesBack(const HostBuffer &buffer) {
  const bool isSame = buffer.kind == HostBuffer::number || buffer.kind == HostBuffer::resident;
  return !isSame && (buffer.kind != HostBuffer::array || buffer.isWritten);
}

int32_t entered(DeviceCall &call, qn_entry entry, std::span<const HostBuffer> buffers, const int64_t *sizes) {
  Device &device = call.device();
  for (const HostBuffer &buffer : buffers)
    if (buffer.use)
      device.use(*buffer.use, buffer.isWritten);
  DeviceCopies copies(device, buffers);
  const std::vector<void *> addresses = copies.make();
  if (copies.areLate())
    call.tell(copies);
  int32_t code = entry(&call.context, addresses.data(), sizes);
  if (code == QN_DEVICE_FAILED || code == QN_INTERRUPTED) // who wants to stop doesn't wait for what is under way
    return code;
  if (std::ranges::any_of(buffers, comesBack))
    copies.putBack(code == QN_OK);
  for (const HostBuffer &buffer : buffers)
    if (buffer.kind == HostBuffer::address || buffer.kind == HostBuffer::kept) {
      void *&address = *static_cast<void **>(buffer.memory);
      if (code != QN_OK)
        address = nullptr; // a program that ends with an error gives nothing away
      else if (buffer.kind == HostBuffer::address && !takeOver(device, address))
        code = QN_OUT_OF_MEMORY;
    }
  return code;
}

} // namespace

int32_t quernel::runtime::runOnDevice(DeviceProgram &program, int threads, std::span<const HostBuffer> buffers,
                                      const int64_t *sizes, ErrorNote &error) {
  try {
    DeviceCall call(program, threads, error);
    const int32_t code = entered(call, program.entry(), buffers, sizes);
    if (!call.problem().empty() || code == QN_DEVICE_FAILED)
      noteDeviceProblem(call.problem());
    // Where nothing of that kind is noted, it is the host that has had no memory.
    if (code != QN_DEVICE_FAILED && (code != QN_OUT_OF_MEMORY || call.problem().empty()))
      return code;
  } catch (const DeviceFailure &failure) {
    noteDeviceProblem(failure.what());
  } catch (const DeviceInterrupted &) {
    return QN_INTERRUPTED;
  } catch (const std::bad_alloc &) {
    return QN_OUT_OF_MEMORY;
  }
  return QN_DEVICE_FAILED;
}
