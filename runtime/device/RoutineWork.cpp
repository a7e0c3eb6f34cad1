#include "runtime/device/RoutineWork.h"

using namespace quernel::runtime;

namespace {

// What the kernels of compiler/Emit/Preludes/routine_*.h take: members of 8 bytes each.
struct CopyArguments {
  void *to;
  const void *from, *factors;
  int64_t toType, toStrides[3], fromType, fromStrides[3], factorType, factorStride;
  int64_t sizes[3], rows, columns, part, lastReal;
};

constexpr int32_t blockThreads = 256;
constexpr int64_t mostBlocks = 1 << 20;

} // namespace

int quernel::runtime::elementOf(int32_t type) {
  switch (type) {
  case QN_F32:
    return cuda::realFloat;
  case QN_F64:
    return cuda::realDouble;
  case QN_C64:
    return cuda::complexFloat;
  default:
    return cuda::complexDouble;
  }
}

RoutineWork::~RoutineWork() {
  for (void *block : blocks)
    used.memory().release(block);
}

void *RoutineWork::takeBytes(int64_t count, int64_t each) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(std::max<int64_t>(count, 1), each, &bytes))
    throw DeviceFailure(used.outOfMemoryText(SIZE_MAX));
  blocks.reserve(blocks.size() + 1);
  blocks.push_back(used.allocate(bytes));
  return blocks.back();
}

DeviceMatrices RoutineWork::takeMatrices(int32_t type, int64_t rows, int64_t columns, int64_t problems) {
  int64_t each = 0, all = 0;
  if (__builtin_mul_overflow(rows, columns, &each) ||
      __builtin_mul_overflow(each, problems < 0 ? batch() : problems, &all))
    throw DeviceFailure(used.outOfMemoryText(SIZE_MAX));
  return {takeBytes(all, typeBytes[type]), type, each, 1, std::max<int64_t>(rows, 1)};
}

const Cublas *RoutineWork::beginBlas() {
  const Cublas *blas = libraries().blas();
  if (!blas)
    return nullptr;
  // As much as cuBLAS would take by itself. It does with less.
  constexpr int hopper = 9;
  size_t bytes = device().info().major >= hopper ? 32 << 20 : 4 << 20;
  blocks.reserve(blocks.size() + 1);
  void *memory = device().tryAllocate(bytes);
  if (memory)
    blocks.push_back(memory);
  libraries().check(blas->setWorkspace(libraries().blasHandle(), memory, memory ? bytes : 0), "cublasSetWorkspace");
  return blas;
}

void RoutineWork::launch(int32_t kernel, int64_t turns, void *const *arguments) {
  if (turns <= 0)
    return;
  const int64_t blocks = std::min((turns - 1) / blockThreads + 1, mostBlocks);
  loaded.launch(kernel, {{int32_t(blocks), 1, 1}, {blockThreads, 1, 1}, 0}, arguments);
}

void RoutineWork::copy(const DeviceMatrices &from, const DeviceMatrices &to, int64_t rows, int64_t columns,
                       const CopyOptions &options) {
  // Neighbouring threads write neighbouring elements.
  const bool isFlipped = to.column < to.row && columns > 1;
  if (isFlipped && options.lastReal < 0) {
    CopyOptions other = options;
    std::swap(other.rows, other.columns);
    if (options.part == MatrixPart::lower || options.part == MatrixPart::upper)
      other.part = options.part == MatrixPart::lower ? MatrixPart::upper : MatrixPart::lower;
    return copy(from.flipped(), to.flipped(), columns, rows, other);
  }
  const int64_t problems = options.problems < 0 ? batch() : options.problems;
  CopyArguments arguments{to.data,
                          from.data,
                          options.factors.data,
                          to.type,
                          {to.next, to.row, to.column},
                          from.type,
                          {from.next, from.row, from.column},
                          options.factors.type,
                          options.factors.next,
                          {problems, rows, columns},
                          options.rows < 0 ? rows : options.rows,
                          options.columns < 0 ? columns : options.columns,
                          int64_t(options.part),
                          options.lastReal};
  void *const addresses[] = {&arguments, nullptr};
  launch(kernels().copy, problems * rows * columns, addresses);
}

DeviceMatrices RoutineWork::load(int number, int64_t rows, int64_t columns) {
  const DeviceMatrices to = takeMatrices(wideTypeOf(type()), rows, columns);
  copy(operand(number), to, rows, columns);
  return to;
}

void RoutineWork::fill(const DeviceMatrices &to, int64_t rows, int64_t columns, MatrixPart part) {
  CopyOptions options;
  options.part = part;
  options.rows = 0; // nothing is read
  copy(to, to, rows, columns, options);
}

void **RoutineWork::addresses(const DeviceMatrices &of) {
  void **to = take<void *>(batch());
  void *first = of.data;
  int64_t bytes = of.next * typeBytes[of.type], count = batch();
  void *const arguments[] = {&to, &first, &bytes, &count, nullptr};
  launch(kernels().addresses, count, arguments);
  return to;
}

void RoutineWork::noteFailures(const int32_t *infos, int32_t code, const double *values, int64_t next) {
  // The status stands behind the arrays.
  void *status = call.operands[routineRows[call.routine].operands()];
  int64_t wide = code, count = batch();
  void *const arguments[] = {&status, &wide, &infos, &values, &next, &count, nullptr};
  launch(kernels().status, count, arguments);
}
