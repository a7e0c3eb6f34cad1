/// \file
/// What one call needs: the arrays that an entry is called with, and the objects that must live until it returns.

#ifndef QUERNEL_BINDINGS_RUNTIME_FRAME_H
#define QUERNEL_BINDINGS_RUNTIME_FRAME_H

#include <pybind11/pybind11.h>

#include <cstdint>
#include <cstring>
#include <memory>

namespace quernel::binding {

/// How many of everything a specialization's calls need.
struct FrameLayout {
  size_t inputs = 0;
  size_t instances = 0; ///< objects among the arguments whose attributes the program takes
  size_t outputs = 0;
  size_t sizes = 0;    ///< symbols and strides
  size_t dims = 0;     ///< dimensions of all outputs, where the program computes them
  size_t streams = 0;  ///< words of the states of random streams
  size_t shared = 0;   ///< objects that the result has more than once
  size_t onDevice = 0; ///< buffers, where any may be an array on a device, else 0

  size_t buffers() const { return inputs + outputs; }
  /// A slot is two words, as it may hold a complex128.
  size_t slots() const { return 2 * buffers(); }
  size_t objects() const { return buffers() + instances + shared + onDevice; }
  size_t words() const { return slots() + objects() + buffers() + sizes + dims + streams; }
};

/// The storage of a call, all zero at first. It owns the objects it is given.
class Frame {
public:
  explicit Frame(const FrameLayout &layout) : count(layout.objects()) {
    uint64_t *word = own;
    if (layout.words() > ownWords) {
      allocated = std::make_unique<uint64_t[]>(layout.words());
      word = allocated.get();
    } else {
      std::memset(own, 0, layout.words() * sizeof(uint64_t));
    }
    slots = word;
    objects = reinterpret_cast<PyObject **>(word += layout.slots());
    instances = objects + layout.buffers();
    deviceArrays = objects + layout.objects() - layout.onDevice;
    buffers = reinterpret_cast<void **>(word += layout.objects());
    sizes = reinterpret_cast<int64_t *>(word += layout.buffers());
    dims = reinterpret_cast<int64_t *>(word += layout.sizes);
    streams = word += layout.dims;
  }

  ~Frame() {
    for (size_t k = 0; k < count; ++k)
      Py_XDECREF(objects[k]);
  }

  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  /// The slot of an input, or of an output, which count on from there.
  uint64_t *slot(size_t buffer) { return slots + 2 * buffer; }

  PyObject **objects;      ///< array inputs by number, then outputs, instances, what the result shares; the rest null
  PyObject **instances;    ///< of `objects`: those of the user's classes, by number
  PyObject **deviceArrays; ///< of `objects`: those whose headers are among the inputs and outputs, by buffer
  void **buffers;          ///< as the kernel ABI has them
  uint64_t *slots;         ///< scalars, two words for each input and output, at a 16-byte boundary
  int64_t *sizes;          ///< as the kernel ABI has them
  int64_t *dims;           ///< of the outputs, where the program computes them
  uint64_t *streams;       ///< the states of random streams
  int64_t bytes = 0;       ///< of all arrays together

private:
  static constexpr size_t ownWords = 160;

  size_t count;
  std::unique_ptr<uint64_t[]> allocated;
  alignas(16) uint64_t own[ownWords]; // last, and not initialised as a whole: most calls use a small part
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_FRAME_H
