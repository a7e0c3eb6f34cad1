// Graphs of kernels, and of loops of them that go on as long as a condition holds.
//
// Of nodes that nothing orders, the one that was added last runs first: so a dependency that is missing shows. A loop
// whose condition nobody sets any more runs on, as on a device, until it has had more turns than any test needs.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_GRAPH_H
#define QUERNEL_TEST_CUDA_EMULATOR_GRAPH_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace emulator {

struct Graph;
struct LaunchRequest;

struct GraphNode {
  /// A kernel, or else a loop.
  std::shared_ptr<const LaunchRequest> kernel;
  uint64_t condition = 0;
  std::shared_ptr<Graph> body;
  /// The numbers of nodes of the graph that come before.
  std::vector<size_t> after;
};

struct Graph {
  /// The graph that somebody has made, which a body is a part of.
  const Graph *root;
  std::vector<GraphNode> nodes;
  /// Handles of `nodes`; `Graph::bodies` is what the parameters of a loop point to.
  std::vector<std::unique_ptr<char>> handles;
  Graph *bodies[1] = {};
};

/// The condition of a loop, which belongs to a graph.
struct Condition {
  const Graph *graph;
  unsigned atLaunch;
  bool isAssigned;
  /// Whether a loop has it; whether a graph with it is running, and its value then.
  bool isUsed = false, isRunning = false;
  unsigned value = 0;
};

/// Why that can't be, or an empty text.
std::string setCondition(uint64_t condition, unsigned value);

} // namespace emulator

#endif
