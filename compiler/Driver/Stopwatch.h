// How long the stages of a compile take.
#ifndef QUERNEL_DRIVER_STOPWATCH_H
#define QUERNEL_DRIVER_STOPWATCH_H

#include "compiler/Driver/Driver.h"
#include "compiler/Toolchain/Clang.h"

#include <chrono>

namespace quernel {

/// Notes one stage after the other.
class Stopwatch {
public:
  /// The stage that began where the one before ended is over.
  void lap(std::string stage) {
    Clock::time_point now = Clock::now();
    times.push_back({std::move(stage), std::chrono::duration<double>(now - last).count()});
    last = now;
  }

  /// The same for a run of Clang, which says itself how long its stages took.
  void lap(const ClangTimes &clang) {
    times.push_back({"Clang's front end", clang.frontEnd});
    times.push_back({"optimizer", clang.optimizer});
    times.push_back({"code generation", clang.codeGeneration});
    last = Clock::now();
  }

  std::vector<StageTime> times;

private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point last = Clock::now();
};

} // namespace quernel

#endif
