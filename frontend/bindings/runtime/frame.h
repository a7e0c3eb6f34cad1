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
  size_t outputs = 0;
  size_t sizes = 0; ///< symbols and strides
  size_t dims = 0;  ///< dimensions of all outputs, where the program computes them

  size_t buffers() const { return inputs + outputs; }
  /// An input's slot is one word; an output's is two, as it may hold a complex128.
  size_t slots() const { return inputs + 2 * outputs; }
  size_t words() const { return 2 * buffers() + slots() + sizes + dims; }
};

/// The storage of a call, all zero at first. It owns the objects it is given.
class Frame {
public:
  explicit Frame(const FrameLayout &layout) : count(layout.buffers()) {
    uint64_t *word = own;
    if (layout.words() > ownWords) {
      allocated = std::make_unique<uint64_t[]>(layout.words());
      word = allocated.get();
    } else {
      std::memset(own, 0, layout.words() * sizeof(uint64_t));
    }
    objects = reinterpret_cast<PyObject **>(word);
    buffers = reinterpret_cast<void **>(word += layout.buffers());
    slots = word += layout.buffers();
    sizes = reinterpret_cast<int64_t *>(word += layout.slots());
    dims = reinterpret_cast<int64_t *>(word += layout.sizes);
  }

  ~Frame() {
    for (size_t k = 0; k < count; ++k)
      Py_XDECREF(objects[k]);
  }

  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  PyObject **objects; ///< array inputs by number, then outputs; the rest null
  void **buffers;     ///< as the kernel ABI has them
  uint64_t *slots;    ///< scalars: a word for each input, then two for each output
  int64_t *sizes;     ///< as the kernel ABI has them; a symbol that isn't bound yet is 0
  int64_t *dims;      ///< of the outputs, where the program computes them
  int64_t bytes = 0;  ///< of all arrays together

private:
  static constexpr size_t ownWords = 96;

  size_t count;
  std::unique_ptr<uint64_t[]> allocated;
  uint64_t own[ownWords]; // last, and not initialised as a whole: most calls use a small part
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_FRAME_H
