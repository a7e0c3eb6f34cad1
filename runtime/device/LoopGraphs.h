// Loops of a program that the device repeats by itself: graphs of CUDA with a node whose body runs as long as a
// condition holds.
#ifndef QUERNEL_RUNTIME_DEVICE_LOOPGRAPHS_H
#define QUERNEL_RUNTIME_DEVICE_LOOPGRAPHS_H

#include "runtime/abi.h"
#include "runtime/device/Driver.h"
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace quernel::runtime {

class Device;

/// What graphs of a device share, and whether it can have any. A device has none where its driver is older than CUDA
/// 12.4 or lacks a function, where the variable QUERNEL_DEVICE_GRAPHS is "off", and as soon as the driver has refused
/// anything: loops are asked for turn by turn then.
class LoopGraphs {
public:
  explicit LoopGraphs(Device &device) : device(device) {}
  LoopGraphs(const LoopGraphs &) = delete;
  LoopGraphs &operator=(const LoopGraphs &) = delete;

  /// The kernel at the end of a turn, which says whether there is another one. The device's context is current.
  /// @throws DeviceFailure where the device has no graphs
  DriverFunction lastKernel();
  /// No loop becomes a graph from now on; the first reason counts.
  void refuse(const std::string &why);
  /// Why the device has no graphs; empty where nothing of that kind is known.
  std::string problem();

  std::atomic<int64_t> launches = 0; ///< of graphs

private:
  void find();

  Device &device;
  std::mutex mutex; ///< guards the following
  std::string why;
  DriverModule module = nullptr;
  DriverFunction kernel = nullptr;
};

/// The turns of one loop. Kernels are added in the order of a turn, then `finish` makes the graph. The device's context
/// is current for all methods, and the thread asks in the same stream.
class LoopGraph {
public:
  /// A loop that goes on as long as the bool `goesOn` in the device's memory holds, and the int64 `failure`, if there
  /// is one, is 0.
  /// @throws DeviceFailure where the device has no graphs, or the driver refuses this one; so do the methods
  LoopGraph(Device &device, const void *goesOn, const void *failure);
  ~LoopGraph();
  LoopGraph(const LoopGraph &) = delete;
  LoopGraph &operator=(const LoopGraph &) = delete;

  /// Adds a kernel, which comes behind those of before. The arguments are copied.
  void add(DriverFunction function, const qn_grid &grid, void *const *arguments);
  /// A turn asks for more than kernels, so no graph can repeat it.
  void spoil() { isSpoiled = true; }
  /// Behind the last kernel; false where it is spoiled, or has no kernel.
  bool finish();

  /// Has the device run turns in the thread's stream, one at least and `most` at most; doesn't wait for it.
  void launch(int64_t most);
  /// Waits for that; whether any turn has been run.
  bool hasRun(int64_t most);

private:
  DriverNode added(DriverGraph to, DriverNode after, DriverNodeParameters &parameters);

  Device &device;
  DriverFunction lastKernel;
  const void *goesOn, *failure;
  int64_t *left = nullptr; ///< in the device's memory: how many turns the launch may still run
  uint64_t condition = 0;  ///< CUgraphConditionalHandle
  bool isSpoiled = false;
  DriverGraph graph = nullptr;
  DriverGraph body = nullptr; ///< the driver's own
  DriverNode last = nullptr;  ///< of the body
  DriverRunnableGraph runnable = nullptr;
};

} // namespace quernel::runtime

#endif
