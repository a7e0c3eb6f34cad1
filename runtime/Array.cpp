#include "runtime/Array.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

namespace quernel::runtime {

namespace {

struct DTypeRow {
  DType type;
  std::string_view name;
  int64_t size;
};

constexpr std::array<DTypeRow, 13> table = {{
    {DType::Bool, "bool", 1},
    {DType::Int8, "int8", 1},
    {DType::Int16, "int16", 2},
    {DType::Int32, "int32", 4},
    {DType::Int64, "int64", 8},
    {DType::UInt8, "uint8", 1},
    {DType::UInt16, "uint16", 2},
    {DType::UInt32, "uint32", 4},
    {DType::UInt64, "uint64", 8},
    {DType::Float32, "float32", 4},
    {DType::Float64, "float64", 8},
    {DType::Complex64, "complex64", 8},
    {DType::Complex128, "complex128", 16},
}};

const DTypeRow &row(DType type) { return table[static_cast<size_t>(type)]; }

bool isEmpty(const ArrayView &array) { return std::ranges::find(array.shape, 0) != array.shape.end(); }

} // namespace

std::optional<DType> dtypeFromName(std::string_view name) {
  const auto *found = std::ranges::find(table, name, &DTypeRow::name);
  if (found == table.end())
    return std::nullopt;
  return found->type;
}

std::string_view dtypeName(DType type) { return row(type).name; }

int64_t itemSize(DType type) { return row(type).size; }

Extent extentOf(const ArrayView &array) {
  auto address = reinterpret_cast<uintptr_t>(array.data);
  if (isEmpty(array))
    return {address, address};
  Extent extent = {address, address + static_cast<uintptr_t>(array.itemSize)};
  for (size_t axis = 0; axis < array.shape.size(); ++axis) {
    int64_t reach = (array.shape[axis] - 1) * array.strides[axis];
    (reach < 0 ? extent.low : extent.high) += static_cast<uintptr_t>(reach);
  }
  return extent;
}

bool mayOverlapItself(const ArrayView &array) {
  if (isEmpty(array))
    return false;
  std::vector<std::pair<int64_t, int64_t>> axes; // |stride|, size
  for (size_t axis = 0; axis < array.shape.size(); ++axis)
    if (array.shape[axis] > 1)
      axes.emplace_back(std::abs(array.strides[axis]), array.shape[axis]);
  std::ranges::sort(axes);
  int64_t inner = array.itemSize;
  for (auto [stride, size] : axes) {
    if (stride < inner)
      return true;
    inner += (size - 1) * stride;
  }
  return false;
}

std::optional<int64_t> byteCount(std::span<const int64_t> shape, int64_t itemSize) {
  // As in NumPy, the other dimensions must fit even where one of them is zero.
  int64_t bytes = itemSize;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    empty |= size == 0;
    if (__builtin_mul_overflow(bytes, size == 0 ? 1 : size, &bytes))
      return std::nullopt;
  }
  return empty ? 0 : bytes;
}

} // namespace quernel::runtime
