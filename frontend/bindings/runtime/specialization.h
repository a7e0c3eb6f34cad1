/// \file
/// A compiled program with the conditions under which it answers a call.

#ifndef QUERNEL_BINDINGS_RUNTIME_SPECIALIZATION_H
#define QUERNEL_BINDINGS_RUNTIME_SPECIALIZATION_H

#include "conditions.h"
#include "errors.h"
#include "float_watch.h"
#include "outputs.h"
#include "results.h"
#include "runtime/Loader.h"
#include "runtime/device/DeviceCall.h"
#include "stream_guard.h"

#include <optional>

namespace quernel::binding {

/// What a specialization is made from; docs of `_runtime.Specialization` say what the forms look like.
struct SpecializationForms {
  ConditionForms conditions;
  int64_t symbols;
  py::object outputs;
  py::object result;
  py::object errors;
  py::object checked;
  py::object floats;
  bool loops;
  int64_t threads;
  py::object keep;
  std::optional<int> device; ///< the number of the one that the program is for
};

class Specialization final : public Answer {
public:
  /// Throws a TypeError or ValueError with what is wrong with the forms.
  Specialization(py::object program, const runtime::Program &loaded, const SpecializationForms &forms);

  bool call(const Arguments &arguments, PyObject *&result) const override;
  int traverse(visitproc visit, void *argument) const override;
  void clear() override;

private:
  /// How a run has ended.
  struct Ended {
    int32_t code;
    int flags; ///< the floating-point flags that it has left behind
  };

  bool writesApart(const Frame &frame) const;
  PyObject *run(Frame &frame, const Arguments &arguments) const;
  Ended enter(const qn_context &lent, const Frame &frame) const;
  Ended enterQuickly(const Frame &frame) const;
  Ended left(int32_t code) const;
  Ended enterWithCopies(const qn_context &lent, const Frame &frame, py::object &copies) const;
  void forgetAddresses(const Frame &frame, int32_t code) const;
  bool hasRun(const Frame &frame, const Arguments &arguments, StreamStates &states, PyObject *&instead) const;
  bool hasRunOnDevice(const Frame &frame, const Arguments &arguments, StreamStates &states, PyObject *&instead) const;
  Ended enterOnDevice(const Frame &frame, runtime::ErrorNote &error) const;
  std::vector<runtime::HostBuffer> deviceBuffers(const Frame &frame) const;
  bool isFine(const Ended &ended) const;
  [[gnu::cold]] bool isSettled(const Frame &frame, const Ended &ended, std::span<const int64_t> values,
                               const Arguments &arguments, const py::object &copies, StreamStates &states,
                               PyObject *&instead) const;

  py::object program;
  py::object keep;
  qn_entry entry;
  qn_shapes shapes;
  const qn_context &context;
  std::unique_ptr<runtime::DeviceProgram> device; ///< null for a program of the host
  int resident = -1;                              ///< the device's number, where arguments, and so results, are on it
  Errors errors;
  FloatWatch floats;
  bool loops; ///< it may run for long, whatever the size of its arrays

  Conditions conditions;
  std::vector<size_t> arrays;  ///< inputs that are arrays
  std::vector<size_t> written; ///< those that the program writes
  std::vector<const StreamGuard *> streams;
  Outputs outputs;
  std::vector<size_t> changed;   ///< lists and dicts whose items the result changes, by number
  std::vector<size_t> addresses; ///< buffers that hold where memory is that the program hands over
  std::unique_ptr<Result> result;
  bool dynamic;
  FrameLayout layout;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_SPECIALIZATION_H
