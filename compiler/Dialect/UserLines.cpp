#include "compiler/Dialect/UserLines.h"

#include <set>

using namespace mlir;

llvm::SmallVector<std::string> quernel::userLines(llvm::ArrayRef<Location> locations) {
  std::set<std::pair<StringRef, unsigned>> lines;
  for (Location location : locations)
    location->walk([&](Location inner) {
      if (auto line = dyn_cast<FileLineColLoc>(inner); line && line.getLine() > 0)
        lines.insert({line.getFilename().getValue(), line.getLine()});
      return WalkResult::advance();
    });
  llvm::SmallVector<std::string> result;
  for (auto &[file, line] : lines)
    result.push_back(file.str() + ":" + std::to_string(line));
  return result;
}
