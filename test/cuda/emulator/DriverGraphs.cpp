// The driver's functions of graphs.
#include "Driver.h"

#include "Settings.h"

#include <algorithm>

using namespace emulator;

namespace {

constexpr int kernelNode = 0, conditionalNode = 13, whileCondition = 1;
constexpr uint64_t mostTurns = 100'000;

/// cuda.h's CUgraphNodeParams, CUDA_KERNEL_NODE_PARAMS_v3 and CUDA_CONDITIONAL_NODE_PARAMS.
struct KernelParameters {
  Function *function;
  unsigned blocksX, blocksY, blocksZ, threadsX, threadsY, threadsZ, shared;
  void **parameters, **extra;
  void *kernel;
  Context *context;
};
struct ConditionalParameters {
  unsigned long long condition;
  int type;
  unsigned count;
  Graph **bodies;
  Context *context;
};
struct NodeParameters {
  int type, reserved0[3];
  union {
    long long reserved1[29];
    KernelParameters kernel;
    ConditionalParameters conditional;
  };
  long long reserved2;
};

/// A graph that somebody has made, or the body of a loop in one.
Graph *findGraph(const void *handle) {
  struct Search {
    const void *handle;
    Graph *in(Graph *graph) const {
      if (graph == handle)
        return graph;
      for (const GraphNode &node : graph->nodes)
        if (Graph *found = node.body ? in(node.body.get()) : nullptr)
          return found;
      return nullptr;
    }
  } search{handle};
  for (const auto &[root, graph] : Driver::get().graphs)
    if (Graph *found = search.in(graph.get()))
      return found;
  return nullptr;
}

int refuse(const char *name, const std::string &why) {
  return Driver::get().fail(InvalidValue, std::string(name) + ": " + why);
}

int makeKernel(const KernelParameters &wanted, GraphNode &node) {
  auto made = std::make_shared<LaunchRequest>();
  const Shape shape = {{wanted.blocksX, wanted.blocksY, wanted.blocksZ},
                       {wanted.threadsX, wanted.threadsY, wanted.threadsZ},
                       wanted.shared};
  const int code = request("cuGraphAddNode", wanted.function, shape, wanted.parameters, wanted.extra, *made);
  node.kernel = made;
  return code;
}

int makeLoop(ConditionalParameters &wanted, Graph &graph, GraphNode &node) {
  const auto found = Driver::get().conditions.find(wanted.condition);
  if (found == Driver::get().conditions.end() || found->second.graph != graph.root || found->second.isUsed)
    return refuse("cuGraphAddNode", "the condition is another graph's, or another node's, or isn't there");
  if (wanted.type != whileCondition || wanted.count != 1 || wanted.context != Driver::get().context())
    return refuse("cuGraphAddNode", "the node isn't a loop with one body in the thread's context");
  found->second.isUsed = true;
  node.condition = wanted.condition;
  node.body = std::make_shared<Graph>();
  node.body->root = graph.root;
  node.body->bodies[0] = node.body.get();
  wanted.bodies = node.body->bodies;
  return Success;
}

/// A copy that later changes of the graph don't reach.
std::shared_ptr<Graph> copyOf(const Graph &graph) {
  auto copy = std::make_shared<Graph>();
  copy->root = graph.root;
  for (GraphNode node : graph.nodes) {
    if (node.body)
      node.body = copyOf(*node.body);
    copy->nodes.push_back(std::move(node));
  }
  return copy;
}

int run(const Graph &graph, const Stream &stream);

int run(const GraphNode &node, const Stream &stream) {
  Driver &driver = Driver::get();
  if (node.kernel) {
    const int code = launch(*node.kernel, stream.device);
    if (isLogged())
      driver.log += std::to_string(stream.number) + " kernel " + node.kernel->function->kernel->name + "\n";
    return code;
  }
  for (uint64_t turns = 0; driver.conditions.at(node.condition).value; ++turns) {
    if (turns == mostTurns)
      return driver.fail(LaunchFailed, "a loop of a graph has not ended after " + std::to_string(turns) + " turns");
    if (int code = run(*node.body, stream); code != Success || driver.sticky != Success)
      return code;
  }
  return Success;
}

int run(const Graph &graph, const Stream &stream) {
  std::vector<bool> done(graph.nodes.size());
  for (size_t left = graph.nodes.size(); left > 0; --left) {
    size_t next = graph.nodes.size() - 1;
    const auto isReady = [&](size_t k) {
      const std::vector<size_t> &after = graph.nodes[k].after;
      return !done[k] && std::all_of(after.begin(), after.end(), [&](size_t other) { return done[other]; });
    };
    while (!isReady(next))
      --next;
    if (int code = run(graph.nodes[next], stream); code != Success || Driver::get().sticky != Success)
      return code;
    done[next] = true;
  }
  return Success;
}

/// With the conditions as they are at a launch.
int runRoot(const Graph &graph, const Stream &stream) {
  auto &conditions = Driver::get().conditions;
  for (auto &[handle, condition] : conditions)
    if (condition.graph == graph.root) {
      condition.isRunning = true;
      condition.value = condition.isAssigned ? condition.atLaunch : 0;
    }
  const int code = run(graph, stream);
  for (auto &[handle, condition] : conditions)
    condition.isRunning &= condition.graph != graph.root;
  return code;
}

} // namespace

std::string emulator::setCondition(uint64_t condition, unsigned value) {
  const auto found = Driver::get().conditions.find(condition);
  if (found == Driver::get().conditions.end() || !found->second.isRunning)
    return "sets the condition of a graph that doesn't run";
  found->second.value = value;
  return {};
}

DRIVER cuGraphCreate(Graph **result, unsigned flags) {
  ENTER
  auto graph = std::make_unique<Graph>();
  graph->root = *result = graph.get();
  Driver::get().graphs[*result] = std::move(graph);
  return flags == 0 ? Success : InvalidValue;
}

DRIVER cuGraphDestroy(Graph *graph) {
  ENTER
  return Driver::get().graphs.erase(graph) ? Success : InvalidValue;
}

DRIVER cuGraphConditionalHandleCreate(unsigned long long *result, Graph *graph, Context *context, unsigned atLaunch,
                                      unsigned flags) {
  ENTER_CONTEXT
  static uint64_t made = 0;
  if (Driver::get().graphs.count(graph) == 0 || context != Driver::get().context() || flags > 1)
    return refuse("cuGraphConditionalHandleCreate", "there is no such graph, or it isn't the thread's context");
  *result = ++made;
  Driver::get().conditions[*result] = {graph, atLaunch, flags == 1};
  return Success;
}

DRIVER cuGraphAddNode(char **result, Graph *handle, char *const *after, size_t count, NodeParameters *wanted) {
  ENTER_CONTEXT
  Graph *graph = findGraph(handle);
  if (!graph)
    return refuse("cuGraphAddNode", "there is no such graph");
  if (wanted->reserved0[0] || wanted->reserved0[1] || wanted->reserved0[2] || wanted->reserved2)
    return refuse("cuGraphAddNode", "reserved bytes aren't 0");
  GraphNode node;
  for (size_t k = 0; k < count; ++k) {
    const auto found = std::find_if(graph->handles.begin(), graph->handles.end(),
                                    [&](const auto &known) { return known.get() == after[k]; });
    if (found == graph->handles.end())
      return refuse("cuGraphAddNode", "a node that is to come before isn't one of the graph");
    node.after.push_back(found - graph->handles.begin());
  }
  const int code = wanted->type == kernelNode        ? makeKernel(wanted->kernel, node)
                   : wanted->type == conditionalNode ? makeLoop(wanted->conditional, *graph, node)
                                                     : refuse("cuGraphAddNode", "the emulator has no such nodes");
  if (code != Success)
    return code;
  graph->nodes.push_back(std::move(node));
  graph->handles.push_back(std::make_unique<char>());
  *result = graph->handles.back().get();
  return Success;
}

DRIVER cuGraphInstantiateWithFlags(const Graph **result, Graph *graph, unsigned long long flags) {
  ENTER_CONTEXT
  if (Driver::get().graphs.count(graph) == 0 || flags != 0)
    return refuse("cuGraphInstantiateWithFlags", "there is no such graph, or flags are asked for");
  for (const auto &[handle, condition] : Driver::get().conditions)
    if (condition.graph == graph && !condition.isUsed)
      return refuse("cuGraphInstantiateWithFlags", "no node has a condition of the graph");
  std::shared_ptr<const Graph> copy = copyOf(*graph);
  *result = copy.get();
  Driver::get().runnables[*result] = copy;
  return Success;
}

DRIVER cuGraphLaunch(const Graph *runnable, void *streamHandle) {
  ENTER_CONTEXT
  Stream *stream = findStream(streamHandle);
  const auto found = Driver::get().runnables.find(runnable);
  if (!stream || found == Driver::get().runnables.end())
    return Driver::get().fail(InvalidHandle, "cuGraphLaunch: the graph or the stream doesn't exist");
  // What is under way stays until it is done.
  return stream->submit({[graph = found->second, stream] { return runRoot(*graph, *stream); }});
}

DRIVER cuGraphExecDestroy(const Graph *runnable) {
  ENTER
  return Driver::get().runnables.erase(runnable) ? Success : InvalidHandle;
}
