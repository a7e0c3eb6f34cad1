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
  TargetInfo info;
  StringRef mathIsa;
  /// Features that tell the level from the one below.
  llvm::ArrayRef<StringRef> features;
};
} // namespace

static const StringRef v2Features[] = {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16"};
static const StringRef v3Features[] = {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"};
static const StringRef v4Features[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};

static const Level levelTable[] = {
    {"x86-64", {.vectorBytes = 16}, "", {}},
    {"x86-64-v2", {.vectorBytes = 16}, "sse4", v2Features},
    {"x86-64-v3", {.vectorBytes = 32, .fma = true}, "avx2", v3Features},
    {"x86-64-v4", {.vectorBytes = 64, .fma = true}, "avx512f", v4Features},
};

/// GPUs by their architecture's number, as the programming guide's table of compute capabilities has them; the
/// multiprocessors are those of the largest of each.
static const std::pair<unsigned, TargetInfo> gpuTable[] = {
    {80,
     {.kind = TargetKind::gpu,
      .vectorBytes = 16,
      .multiprocessors = 108,
      .sharedBytes = 164 * 1024,
      .registers = 65536}},
    {90,
     {.kind = TargetKind::gpu,
      .vectorBytes = 16,
      .multiprocessors = 132,
      .sharedBytes = 228 * 1024,
      .registers = 65536}},
};

/// What `sm_90a` or `compute_90` names; nothing for other names.
static std::optional<TargetInfo> gpuOf(StringRef name) {
  if (!name.consume_front("sm_") && !name.consume_front("compute_"))
    return std::nullopt;
  unsigned architecture = 0;
  (void)name.consumeInteger(10, architecture);
  TargetInfo info = gpuTable[0].second;
  for (const auto &[number, known] : gpuTable)
    if (number <= architecture)
      info = known;
  return info;
}

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
  Target target{"host", llvm::sys::getHostCPUName().str(), {}, level.info, level.mathIsa.str()};
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
  if (auto gpu = gpuOf(name))
    return Target{name.str(), "", {}, *gpu, ""};
  for (const Level &level : levelTable)
    if (level.name == name)
      return Target{name.str(), name.str(), {}, level.info, level.mathIsa.str()};
  return llvm::createStringError("unknown target '" + name + "'; the targets are host, " + llvm::join(levels(), ", "));
}

std::string Target::key() const {
  if (isGpu())
    return name;
  return cpu + ";" + llvm::join(features, ",") + ";" + std::to_string(info.vectorBytes) + ";" + mathIsa;
}

} // namespace quernel
