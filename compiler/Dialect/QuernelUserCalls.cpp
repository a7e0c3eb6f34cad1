// The shape rule of calls of the user's own functions.
#include "compiler/Dialect/Quernel.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace quernel;

LogicalResult UserCallOp::inferResults(const InferInput &input, SmallVectorImpl<ArrayInfo> &results) {
  const int64_t written = input.integer("written"), arrays = input.operands.size();
  if (written < 0 || written > arrays)
    return input.fail("writes " + Twine(written) + " of " + Twine(arrays) + " arrays");
  llvm::append_range(results, input.operands.take_back(written));
  ArrayRef<int64_t> ranks = input.integers("ranks");
  auto dtypes = cast<ArrayAttr>(input.attributes.get("dtypes"));
  if (dtypes.size() != ranks.size())
    return input.fail("needs a dtype for each rank");
  const Shape shapes = input.dims("shapes");
  ArrayRef<Dim> rest(shapes);
  for (auto [rank, dtype] : llvm::zip_equal(ranks, dtypes)) {
    if (rank < 0 || static_cast<size_t>(rank) > rest.size())
      return input.fail("has a rank without as many sizes");
    results.push_back({Shape(rest.take_front(rank)), cast<TypeAttr>(dtype).getValue()});
    rest = rest.drop_front(rank);
  }
  return rest.empty() ? success() : input.fail("has more sizes than its results have axes");
}
