#ifndef QUERNEL_ARRAYS
#define QUERNEL_ARRAYS
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace quernel {

/// What a call throws that doesn't end well; `status` is one of quernel_status.
class Error : public std::runtime_error {
public:
  Error(std::int32_t status, const char *text) : std::runtime_error(text), status(status) {}
  const std::int32_t status;
};

/// Elements of somebody else's: an address, a shape, and strides in elements. T is constant where nobody writes to
/// them.
template <class T, std::size_t rank> struct View {
  using Shape = std::array<std::int64_t, rank>;
  T *data = nullptr;
  Shape shape{}, strides{};

  View() = default;
  /// Elements without gaps, in C order.
  View(T *data, const Shape &shape) : data(data), shape(shape) {
    std::int64_t step = 1;
    for (std::size_t axis = rank; axis-- > 0;) {
      strides[axis] = step;
      step *= shape[axis] > 1 ? shape[axis] : 1;
    }
  }
  View(T *data, const Shape &shape, const Shape &strides) : data(data), shape(shape), strides(strides) {}
  /// All of a vector.
  template <class E, std::size_t r = rank,
            class = std::enable_if_t<r == 1 && std::is_const_v<T> && std::is_same_v<const E, T>>>
  View(const std::vector<E> &all) : View(all.data(), Shape{std::int64_t(all.size())}) {}
  template <class E, std::size_t r = rank,
            class = std::enable_if_t<r == 1 && std::is_same_v<E, std::remove_const_t<T>>>>
  View(std::vector<E> &all) : View(all.data(), Shape{std::int64_t(all.size())}) {}
  /// The same elements, of which nobody writes one.
  template <class E, class = std::enable_if_t<std::is_same_v<const E, T>>>
  View(const View<E, rank> &other) : View(other.data, other.shape, other.strides) {}

  template <class... Index> T &operator()(Index... index) const {
    static_assert(sizeof...(index) == rank, "one index for each axis");
    const Shape at{std::int64_t(index)...};
    T *place = data;
    for (std::size_t axis = 0; axis < rank; ++axis)
      place += at[axis] * strides[axis];
    return *place;
  }
};

/// An array that owns its elements, without gaps.
template <class T, std::size_t rank> class Array : public View<T, rank> {
public:
  Array() = default;
  /// Elements that nobody has written yet.
  explicit Array(const View<T, rank> &like) : View<T, rank>(nullptr, like.shape, like.strides) {
    std::int64_t bytes = sizeof(T);
    for (std::int64_t size : like.shape)
      bytes *= size;
    memory.reset(static_cast<T *>(std::aligned_alloc(64, (bytes + 64) / 64 * 64)));
    if (!memory)
      throw std::bad_alloc();
    this->data = memory.get();
  }
  std::int64_t size() const {
    std::int64_t count = 1;
    for (std::int64_t size : this->shape)
      count *= size;
    return count;
  }
  /// All elements, in the order of memory.
  T *begin() const { return this->data; }
  T *end() const { return this->data + size(); }

private:
  struct Freed {
    void operator()(T *data) const { std::free(static_cast<void *>(const_cast<std::remove_const_t<T> *>(data))); }
  };
  std::unique_ptr<T, Freed> memory;
};

} // namespace quernel
#endif
