#include "runtime/device/LoopGraphs.h"
#include "runtime/device/Device.h"
#include <cstdlib>
#include <string_view>

using namespace quernel::runtime;

namespace {

/// The driver's numbers of nodes, conditions and flags.
enum : int { kernelNode = 0, conditionalNode = 13, whileCondition = 1 };
constexpr unsigned assignAtLaunch = 1;
/// The first driver whose graphs may have loops with kernels, copies and conditions in them.
constexpr int oldestWithLoops = 12040;

/// Counts a turn, and goes on where all say so:
///
///   void quernel_go_on(uint64_t condition, const bool *goes_on, const int64_t *failure, int64_t *left) {
///     const int64_t now = --*left;
///     cudaGraphSetConditional(condition, *goes_on && now > 0 && !(failure && *failure));
///   }
///
/// The driver, which compiles PTX, has that function for kernels of graphs; no library is needed to link them.
constexpr const char *lastKernelText = R"(.version 6.3
.target sm_75
.address_size 64

.extern .func cudaGraphSetConditional(.param .b64 condition, .param .b32 value);

.visible .entry quernel_go_on(.param .u64 condition, .param .u64 goes_on, .param .u64 failure, .param .u64 left)
{
	.reg .pred %more, %isNull;
	.reg .b16 %flag;
	.reg .b32 %value, %enough;
	.reg .b64 %handle, %address, %count, %found;

	ld.param.u64 %address, [left];
	cvta.to.global.u64 %address, %address;
	ld.global.u64 %count, [%address];
	sub.s64 %count, %count, 1;
	st.global.u64 [%address], %count;
	setp.gt.s64 %more, %count, 0;
	selp.b32 %value, 1, 0, %more;
	ld.param.u64 %address, [goes_on];
	cvta.to.global.u64 %address, %address;
	ld.global.u8 %flag, [%address];
	setp.ne.u16 %more, %flag, 0;
	selp.b32 %enough, 1, 0, %more;
	and.b32 %value, %value, %enough;
	ld.param.u64 %address, [failure];
	setp.eq.u64 %isNull, %address, 0;
	@%isNull bra SET;
	cvta.to.global.u64 %address, %address;
	ld.global.u64 %found, [%address];
	setp.eq.s64 %more, %found, 0;
	selp.b32 %enough, 1, 0, %more;
	and.b32 %value, %value, %enough;
SET:
	ld.param.u64 %handle, [condition];
	{
	.param .b64 first;
	.param .b32 second;
	st.param.b64 [first], %handle;
	st.param.b32 [second], %value;
	call.uni cudaGraphSetConditional, (first, second);
	}
	ret;
}
)";
constexpr const char *lastKernelName = "quernel_go_on";

bool areGraphsOff() {
  const char *wish = std::getenv("QUERNEL_DEVICE_GRAPHS");
  return wish && std::string_view(wish) == "off";
}

} // namespace

void LoopGraphs::find() {
  if (areGraphsOff())
    throw DeviceFailure("QUERNEL_DEVICE_GRAPHS is \"off\"");
  const Driver &driver = device.functions();
  int version = 0;
  device.check(driver.getVersion(&version), "doesn't tell the version of its driver");
  const bool hasAll = driver.createGraph && driver.destroyGraph && driver.addGraphNode && driver.createCondition &&
                      driver.instantiateGraph && driver.launchGraph && driver.destroyRunnableGraph;
  if (version < oldestWithLoops || !hasAll)
    throw DeviceFailure("the driver is one for CUDA " + driver.versionText() + ", and loops in graphs need CUDA 12.4");
  module = device.load(lastKernelText, true);
  kernel = device.function(module, lastKernelName);
}

DriverFunction LoopGraphs::lastKernel() {
  std::lock_guard lock(mutex);
  if (!why.empty())
    throw DeviceFailure(why);
  if (!kernel)
    find();
  return kernel;
}

void LoopGraphs::refuse(const std::string &text) {
  std::lock_guard lock(mutex);
  if (why.empty())
    why = text;
}

std::string LoopGraphs::problem() {
  std::lock_guard lock(mutex);
  return why;
}

LoopGraph::LoopGraph(Device &device, const void *goesOn, const void *failure)
    : device(device), lastKernel(device.loopGraphs().lastKernel()), goesOn(goesOn), failure(failure) {}

LoopGraph::~LoopGraph() {
  // Where it is under way, the driver keeps it until that is done; so does the pool with memory for what comes later.
  const Driver &driver = device.functions();
  if (runnable)
    driver.destroyRunnableGraph(runnable);
  if (graph)
    driver.destroyGraph(graph);
  device.memory().release(left);
}

DriverNode LoopGraph::added(DriverGraph to, DriverNode after, DriverNodeParameters &parameters) {
  DriverNode node = nullptr;
  device.check(device.functions().addGraphNode(&node, to, &after, after ? 1 : 0, &parameters),
               "can't put a loop into a graph");
  return node;
}

void LoopGraph::add(DriverFunction function, const qn_grid &grid, void *const *arguments) {
  const Driver &driver = device.functions();
  if (!graph) {
    device.check(driver.createGraph(&graph, 0), "has no graph");
    device.check(driver.createCondition(&condition, graph, device.contextHandle(), 1, assignAtLaunch),
                 "has no condition for a graph");
    DriverNodeParameters loop = {};
    loop.type = conditionalNode;
    loop.conditional = {condition, whileCondition, 1, nullptr, device.contextHandle()};
    added(graph, nullptr, loop);
    if (!loop.conditional.bodies || !loop.conditional.bodies[0])
      throw DeviceFailure(device.name() + " gives a graph's loop no body");
    body = loop.conditional.bodies[0];
  }
  device.check(device.allowShared(function, grid.shared), "gives a kernel of a graph no such shared memory");
  DriverNodeParameters kernel = {};
  kernel.type = kernelNode;
  kernel.kernel.function = function;
  for (int axis = 0; axis < 3; ++axis) {
    kernel.kernel.blocks[axis] = grid.blocks[axis];
    kernel.kernel.threads[axis] = grid.threads[axis];
  }
  kernel.kernel.shared = grid.shared;
  kernel.kernel.arguments = const_cast<void **>(arguments);
  last = added(body, last, kernel);
}

bool LoopGraph::finish() {
  if (isSpoiled || !last)
    return false;
  left = static_cast<int64_t *>(device.allocate(sizeof *left));
  void *const arguments[] = {&condition, &goesOn, &failure, &left};
  add(lastKernel, {{1, 1, 1}, {1, 1, 1}, 0}, arguments);
  device.check(device.functions().instantiateGraph(&runnable, graph, 0), "can't make a graph of a loop");
  return true;
}

void LoopGraph::launch(int64_t most) {
  device.write(left, &most, sizeof most);
  device.check(device.functions().launchGraph(runnable, device.streamHandle()), "can't run the graph of a loop");
  ++device.loopGraphs().launches;
}

bool LoopGraph::hasRun(int64_t most) {
  int64_t now = most;
  device.read(&now, left, sizeof now);
  return now >= 0 && now < most;
}
