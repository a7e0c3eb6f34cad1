#include "compiler/Toolchain/Target.h"
#include "runtime/Processor.h"
#include "runtime/VectorMath.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using llvm::StringRef;

namespace quernel {

namespace {
struct Level {
  TargetInfo info;
  StringRef mathIsa;
};
} // namespace

/// By the levels of the processor.
static const std::array<Level, runtime::processorLevels.size()> levelTable = {{
    {{.vectorBytes = 16}, ""},
    {{.vectorBytes = 16}, "sse4"},
    {{.vectorBytes = 32, .fma = true}, "avx2"},
    {{.vectorBytes = 64, .fma = true}, "avx512f"},
}};

/// Null for what is no level.
static const Level *findLevel(StringRef name) {
  for (auto [known, level] : llvm::zip_equal(runtime::processorLevels, levelTable))
    if (StringRef(known) == name)
      return &level;
  return nullptr;
}

/// Additions that one thread of a GPU makes while a kernel is launched; `fork` is what a second thread costs, and a
/// serial loop around parallel ones stays in the program where they pay for 16 of them.
static constexpr int64_t launchCost = 64;

/// GPUs by their architecture's number, as the programming guide's table of compute capabilities has them; the
/// multiprocessors are those of the largest of each.
static const std::pair<unsigned, TargetInfo> gpuTable[] = {
    {75,
     {.kind = TargetKind::gpu,
      .vectorBytes = 16,
      .fork = launchCost,
      .multiprocessors = 72,
      .sharedBytes = 64 * 1024,
      .registers = 65536}},
    {80,
     {.kind = TargetKind::gpu,
      .vectorBytes = 16,
      .fork = launchCost,
      .multiprocessors = 108,
      .sharedBytes = 164 * 1024,
      .registers = 65536}},
    {90,
     {.kind = TargetKind::gpu,
      .vectorBytes = 16,
      .fork = launchCost,
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

/// With vectors of 128 bits, as all processors of the kind have. Functions of math are libm's.
static Target aarch64() {
  Target target{"aarch64", "armv8-a", {}, {.vectorBytes = 16, .fma = true}, ""};
  target.textOnly = true;
  return target;
}

static Target detectHost() {
  const Level &level = *findLevel(Target::hostLevel());
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

std::vector<std::string> Target::names() {
  std::vector<std::string> names(runtime::processorLevels.begin(), runtime::processorLevels.end());
  names.push_back(names.back() + std::string(runtime::vectorMathFeature));
  return names;
}

std::vector<std::string> Target::textNames() { return {aarch64().name}; }

StringRef Target::hostLevel() { return runtime::processorLevel(); }

llvm::Expected<Target> Target::parse(StringRef name) {
  if (name == "host")
    return host();
  if (name == aarch64().name)
    return aarch64();
  if (auto gpu = gpuOf(name))
    return Target{name.str(), "", {}, *gpu, ""};
  StringRef levelName = name;
  const bool svml = levelName.consume_back(runtime::vectorMathFeature);
  const Level *level = findLevel(levelName);
  if (!level || (svml && levelName != StringRef(runtime::processorLevels.back())))
    return llvm::createStringError("unknown target '" + name + "'; the targets are host, " + llvm::join(names(), ", "));
  return Target{name.str(), levelName.str(), {}, level->info, level->mathIsa.str(), svml};
}

std::string Target::key() const {
  if (isGpu())
    return name;
  return cpu + ";" + llvm::join(features, ",") + ";" + std::to_string(info.vectorBytes) + ";" + mathIsa +
         (svml ? ";svml" : "");
}

} // namespace quernel
