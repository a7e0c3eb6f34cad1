#include "compiler/Toolchain/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using llvm::StringRef;

namespace quernel {

namespace {
struct Level {
  StringRef name;
  unsigned vectorBytes;
  StringRef mathIsa;
  /// Features that tell the level from the one below.
  llvm::ArrayRef<StringRef> features;
};
} // namespace

static const StringRef v2Features[] = {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16"};
static const StringRef v3Features[] = {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"};
static const StringRef v4Features[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};

static const Level levelTable[] = {
    {"x86-64", 16, "", {}},
    {"x86-64-v2", 16, "sse4", v2Features},
    {"x86-64-v3", 32, "avx2", v3Features},
    {"x86-64-v4", 64, "avx512f", v4Features},
};

static const Level &findHostLevel() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  const Level *best = &levelTable[0];
  for (const Level &level : levelTable) {
    if (!llvm::all_of(level.features, [&](StringRef feature) { return features.lookup(feature); }))
      break;
    best = &level;
  }
  return *best;
}

static Target detectHost() {
  const Level &level = findHostLevel();
  Target target{"host", llvm::sys::getHostCPUName().str(), {}, level.vectorBytes, level.mathIsa.str()};
  // A virtual machine may hide features that its processor's name promises, so all are spelled out.
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    target.features.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(target.features);
  return target;
}

const Target &Target::host() {
  static const Target target = detectHost();
  return target;
}

llvm::ArrayRef<StringRef> Target::levels() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> result;
    for (const Level &level : levelTable)
      result.push_back(level.name);
    return result;
  }();
  return names;
}

StringRef Target::hostLevel() { return findHostLevel().name; }

llvm::Expected<Target> Target::parse(StringRef name) {
  if (name == "host")
    return host();
  for (const Level &level : levelTable)
    if (level.name == name)
      return Target{name.str(), name.str(), {}, level.vectorBytes, level.mathIsa.str()};
  return llvm::createStringError("unknown target '" + name + "'; the targets are host, " + llvm::join(levels(), ", "));
}

std::string Target::key() const {
  return cpu + ";" + llvm::join(features, ",") + ";" + std::to_string(vectorBytes) + ";" + mathIsa;
}

} // namespace quernel
