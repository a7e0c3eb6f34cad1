// The interface of the compiler: a graph and a target in; source, object and manifest out. No MLIR in this header.
#ifndef QUERNEL_DRIVER_DRIVER_H
#define QUERNEL_DRIVER_DRIVER_H

#include "compiler/Driver/Graph.h"

namespace quernel {

struct DriverOptions {
  bool fastMath = false;
  bool optimize = true;
  /// Makes no object: the source and the manifest alone.
  bool textOnly = false;
  /// How many threads may compile a long text.
  unsigned threads = 1;
  /// Shared libraries that kernels may need (vector math), by path.
  std::vector<std::string> libraries;
  /// Folders in which NVRTC is looked for first.
  std::vector<std::string> nvrtcPath;
};

struct StageTime {
  std::string stage;
  double seconds;
};

struct Compiled {
  std::string object;           // a shared object, or a cubin
  std::string source;           // the text that it was compiled from
  std::string manifest;         // JSON; docs/architecture.md describes it
  std::vector<StageTime> times; // of all stages, in their order
};

/// Why there is no result.
struct DriverError {
  std::string message;
  /// The target can't run such a program; nothing went wrong.
  bool isUnsupported = false;
};

/// Compiles a finished graph for a target: `host`, a level such as `x86-64-v3`, or `sm_90`. False, with `error` set,
/// where it can't.
bool compileGraph(const Graph &graph, const std::string &target, const DriverOptions &options, Compiled &result,
                  DriverError &error);

/// A user's text, compiled by itself.
struct CompiledText {
  std::string object;
  std::vector<std::string> includes; // files that it takes in, but for system headers
};

/// Compiles a user's text for a target of its kind: an object, or what a device loads. What is wrong with the text,
/// `error` says with its lines.
bool compileText(const UserText &text, const std::string &target, const DriverOptions &options, CompiledText &result,
                 DriverError &error);

/// The text of a stage: quernel kernels loops cpp cuda asm ptx.
bool lowerGraph(const Graph &graph, const std::string &stage, const std::string &target, const DriverOptions &options,
                std::string &text, DriverError &error);

/// Names of the targets for CPUs, the widest level last.
std::vector<std::string> targetNames();
/// Names of other targets, for which there is text and no machine code: other C++ compilers make that.
std::vector<std::string> textTargetNames();
/// What decides the machine code of a target, for cache keys; empty, with `error` set, for an unknown target.
std::string targetKey(const std::string &target, std::string &error);
/// An identifier of C++ that resembles a text: the emitted text's name for what is called so.
std::string cName(const std::string &text);
/// The targets for devices that NVRTC knows, like `sm_90`, the oldest first; empty, with `error` set, where there is no
/// NVRTC.
std::vector<std::string> deviceTargetNames(const DriverOptions &options, std::string &error);
/// NVRTC's version, or why there is none.
std::string nvrtcDescription(const DriverOptions &options);

} // namespace quernel

#endif
