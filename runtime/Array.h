/// \file
/// Element types, and what can be said of an array from its address, shape and strides alone.

#ifndef QUERNEL_RUNTIME_ARRAY_H
#define QUERNEL_RUNTIME_ARRAY_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace quernel::runtime {

/// Element types that programs can take and give; in native byte order.
enum class DType : uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float32,
  Float64,
  Complex64,
  Complex128,
};

/// The type that NumPy calls `name`; none where programs can't use it.
std::optional<DType> dtypeFromName(std::string_view name);

/// NumPy's name of a type.
std::string_view dtypeName(DType type);

/// Bytes of an element.
int64_t itemSize(DType type);

/// An array that someone else owns. Strides are in bytes, as NumPy has them.
struct ArrayView {
  const void *data;
  std::span<const int64_t> shape;
  std::span<const int64_t> strides;
  int64_t itemSize;
};

/// The half-open range of addresses that an array's elements lie in; empty for an array without elements.
struct Extent {
  uintptr_t low;
  uintptr_t high;

  bool overlaps(const Extent &other) const { return low < other.high && other.low < high; }
};

Extent extentOf(const ArrayView &array);

/// False if no two elements can share memory; true where that isn't easily seen.
bool mayOverlapItself(const ArrayView &array);

/// The number of bytes of a contiguous array, or none where it doesn't fit into an int64 or a dimension is negative.
std::optional<int64_t> byteCount(std::span<const int64_t> shape, int64_t itemSize);

} // namespace quernel::runtime

#endif // QUERNEL_RUNTIME_ARRAY_H
