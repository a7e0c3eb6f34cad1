#include "compiler/Emit/CudaPrinter.h"
#include "compiler/Dialect/Routines.h"
#include "compiler/Emit/DeviceTexts.h"
#include "compiler/Lowering/Offload.h"
#include "compiler/Lowering/SharedMemory.h"

using namespace mlir;

namespace quernel {

CudaPrinter::CudaPrinter(ModuleOp module, const EmitOptions &options)
    : StatementPrinter(module, options, "__device__"), errors(errorSites(module)), mayFail(hasKernelChecks(module)) {
  for (StringRef kernel : routineKernels(module))
    prelude.require(kernel);
}

std::string CudaPrinter::halfName() {
  prelude.require("float16");
  return "Float16";
}

std::string CudaPrinter::specialFloat(const APFloat &value) {
  // NVRTC has no builtins for these that are constant expressions.
  APInt bits = value.bitcastToAPInt();
  const char *type = bits.getBitWidth() == 32 ? "float" : "double";
  return "__builtin_bit_cast(" + std::string(type) + ", 0x" + llvm::toString(bits, 16, false) + ")";
}

bool hasKernelChecks(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
    return hasRole(function, FunctionRole::kernel) &&
           function.walk([](CheckOp) { return WalkResult::interrupt(); }).wasInterrupted();
  });
}

llvm::SmallVector<StringRef> routineKernels(ModuleOp module) {
  /// A kernel and the routines that need it; all of them where it names none.
  struct RoutineKernel {
    StringRef name;
    llvm::SmallVector<unsigned> routines;
  };
  llvm::SmallDenseSet<unsigned> called;
  module.walk([&](func::CallOp call) {
    auto function = RoutineFunction::find(call.getCallee());
    if (function && llvm::is_contained({Library::blas, Library::lapack, Library::fourier}, function->routine->library))
      called.insert(function->routineNumber());
  });
  const RoutineKernel kernels[] = {
#define QN_ROUTINE_KERNEL(member, ...) {"routine_" #member, {__VA_ARGS__}},
#include "runtime/device/RoutineKernels.def"
  };
  llvm::SmallVector<StringRef> names;
  for (const RoutineKernel &kernel : kernels)
    if (kernel.routines.empty() ? !called.empty() : llvm::any_of(kernel.routines, [&](unsigned routine) {
          return called.contains(routine);
        }))
      names.push_back(kernel.name);
  return names;
}

bool readsGlobal(ModuleOp module, FunctionRole role, memref::GlobalOp global) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [&](func::FuncOp function) {
    return hasRole(function, role) && function
                                          .walk([&](memref::GetGlobalOp use) {
                                            return use.getName() == global.getName() ? WalkResult::interrupt()
                                                                                     : WalkResult::advance();
                                          })
                                          .wasInterrupted();
  });
}

/// The kernels of texts come before those of the module.
void CudaPrinter::nameMore() { DeviceTexts(module, identifiers).requireKernels(prelude); }

bool CudaPrinter::printsGlobal(memref::GlobalOp global) { return readsGlobal(module, FunctionRole::kernel, global); }

void CudaPrinter::printFunction(func::FuncOp function) {
  if (hasRole(function, FunctionRole::program) || hasRole(function, FunctionRole::shapes))
    return;
  if (!hasRole(function, FunctionRole::kernel) || function.getNumResults() != 0 || !function.getBody().hasOneBlock()) {
    unsupported(function, "is no kernel");
    return;
  }
  printKernelComment(function);
  llvm::SmallVector<std::string> arguments = parameters(function);
  if (mayFail)
    arguments.push_back("Failure *first_failure");
  const int64_t threads = functionAttrOf(function).getBlock();
  line() << "extern \"C\" __global__ void " << (threads ? "__launch_bounds__(" + std::to_string(threads) + ") " : "")
         << functionNames[function.getName()] << "(" << llvm::join(arguments, ", ") << ") {\n";
  grid.emplace(function);
  block([&] {
    if (mayFail) {
      prelude.require("kernel_fail");
      line() << "if (has_failed(first_failure))\n", line() << "  return;\n";
    }
    if (dynamicBytesOf(function) > 0)
      line() << "extern __shared__ __align__(16) char shared_memory[];\n";
    printBody(function.getBody().front());
  });
  line() << "}\n\n";
}

void CudaPrinter::printParallel(scf::ParallelOp loop) { printAxes(loop, 0); }

void CudaPrinter::printAxes(scf::ParallelOp loop, unsigned number) {
  if (number == loop.getNumLoops())
    return printBody(*loop.getBody());
  std::string lower = expression(loop.getLowerBound()[number]).text;
  std::string upper = operand(loop.getUpperBound()[number], Precedence::Additive);
  std::string step = expression(loop.getStep()[number]).text;
  if (grid->has(loop)) {
    const unsigned axis = grid->axisOf(loop, number);
    const std::string letter(1, "xyz"[axis]);
    std::string thread = "blockIdx." + letter + " * (int64_t)blockDim." + letter + " + threadIdx." + letter;
    std::string threads = "gridDim." + letter + " * (int64_t)blockDim." + letter;
    auto kernel = loop->getParentOfType<func::FuncOp>();
    if (const int64_t lanes = lanesOf(kernel); axis == 0 && hasTeams(kernel)) {
      thread = "blockIdx.x", threads = "gridDim.x";
    } else if (lanes > 1 && axis == 0) {
      thread = "(" + thread + ") / " + std::to_string(lanes);
      threads += " / " + std::to_string(lanes);
    }
    if (step != "1") {
      std::string factor = operand(loop.getStep()[number], Precedence::Unary);
      thread = hasTeams(kernel) && axis == 0 ? thread + " * (int64_t)" + factor : "(" + thread + ") * " + factor;
      threads += " * " + factor;
    }
    lower = lower == "0" ? thread : lower + " + " + thread;
    step = threads;
    line() << "#pragma unroll 1\n"; // to unroll it, its turns would be counted by a division
  }
  printTurns(loop, loop.getInductionVars()[number], lower, upper, step, [&] { printAxes(loop, number + 1); });
}

void CudaPrinter::printResource(Operation *op) {
  auto check = dyn_cast<CheckOp>(op);
  if (!check) {
    unsupported(op, "can stand in a program alone");
    return;
  }
  ErrorSite site = errorSite(check);
  llvm::SmallVector<std::string> arguments{"first_failure", std::to_string(errorCode(errors, check))};
  for (Value value : check.getValues())
    arguments.push_back(expression(value).text);
  line() << "if (!" << operand(check.getOk(), Precedence::Unary) << ") {\n";
  line() << "  fail(" << llvm::join(arguments, ", ") << "); // " << commentText(site.exception) << ": "
         << commentText(site.message) << "\n";
  line() << "  return;\n";
  line() << "}\n";
}

/// Loops over a pack's turns are unrolled, with those inside, so that packs are registers.
void CudaPrinter::printPragma(Operation *loop) {
  for (Operation *around = loop; isa<scf::ForOp>(loop) && !isa<func::FuncOp>(around); around = around->getParentOp())
    if (isa<scf::ForOp, scf::ParallelOp>(around) && scheduleOf(around).vector == VectorForm::parallel) {
      line() << "#pragma unroll\n";
      return;
    }
}

void CudaPrinter::printPacks(Operation *op) {
  prelude.require("packs");
  if (auto turns = dyn_cast<PackTurnsOp>(op)) {
    llvm::SmallVector<std::string> arguments{expression(turns.getTurns()).text};
    for (auto [array, index] : llvm::zip_equal(turns.getArrays(), turns.getIndices()))
      arguments.push_back(pointer(array, index));
    std::string widths;
    for (int64_t width : turns.getWidths().value_or(ArrayRef<int64_t>()))
      widths += ", " + std::to_string(width);
    line() << "const int64_t " << define(turns.getResult(), "whole") << " = pack_turns<" << turns.getLanes() << widths
           << ">(" << llvm::join(arguments, ", ") << ");\n";
    return;
  }
  auto copy = cast<CopyPackOp>(op);
  line() << "copy_pack<" << copy.getLanes() << ">(" << pointer(copy.getTo(), copy.getToIndex()) << ", "
         << pointer(copy.getFrom(), copy.getFromIndex()) << ");\n";
}

/// Each turn that a block runs has a part of what the block has.
void CudaPrinter::printScratch(memref::AllocaOp scratch) {
  if (!isSharedMemory(scratch.getType()))
    return StatementPrinter::printScratch(scratch);
  auto kernel = scratch->getParentOfType<func::FuncOp>();
  const std::string type = elementType(scratch.getType());
  const std::string size = std::to_string(scratch.getType().getNumElements());
  const int64_t lanes = lanesOf(kernel), turns = hasTeams(kernel) ? 1 : blockOf(kernel) / lanes;
  const std::string name = define(scratch, "row");
  if (dynamicBytesOf(kernel) > 0) {
    const int64_t place = dynamicPlaceOf(scratch);
    line() << type << " *const " << name << " = (" << type << " *)"
           << (place ? "(shared_memory + " + std::to_string(place) + ")" : "shared_memory") << "; // " << size
           << " elements\n";
    return;
  }
  if (turns == 1) {
    line() << "__shared__ " << type << " " << name << "[" << size << "];\n";
    return;
  }
  prelude.require("thread_of_block");
  line() << "__shared__ " << type << " " << name << "_of_turns[" << turns << "][" << size << "];\n";
  line() << type << " *const " << name << " = " << name << "_of_turns[thread_of_block() / " << lanes << "];\n";
}

/// The value as the intrinsics of a warp take it, which know no bools and no short integers.
static std::string asShuffled(Type type, const std::string &text) {
  const bool isShort = type.isInteger() && type.getIntOrFloatBitWidth() < 32;
  return isShort ? "(int)(" + text + ")" : text;
}

void CudaPrinter::printTeams(Operation *op) {
  if (isa<BarrierOp>(op)) {
    line() << "__syncthreads();\n";
    return;
  }
  auto team = cast<WorkerOp>(op);
  const std::string lanes = team.getLanes() > 1 ? " / " + std::to_string(team.getLanes()) : "";
  line() << "const int64_t " << define(team.getWorker(), "worker") << " = threadIdx.x" << lanes << ";\n";
  line() << "const int64_t " << define(team.getWorkers(), "workers") << " = blockDim.x" << lanes << ";\n";
}

void CudaPrinter::printLanes(Operation *op) {
  prelude.require("lanes_mask");
  if (auto lane = dyn_cast<LaneOp>(op)) {
    line() << "const int64_t " << define(lane.getResult(), "lane") << " = threadIdx.x % " << lane.getLanes() << ";\n";
    return;
  }
  if (auto join = dyn_cast<JoinLanesOp>(op)) {
    line() << "__syncwarp(lanes_mask<" << join.getLanes() << ">());\n";
    return;
  }
  Value value = op->getOperand(0), result = op->getResult(0);
  const std::string given = asShuffled(value.getType(), expression(value).text), type = typeOf(result);
  std::string call;
  if (auto at = dyn_cast<LaneValueOp>(op))
    call = "__shfl_sync(lanes_mask<" + std::to_string(at.getLanes()) + ">(), " + given + ", " +
           std::to_string(at.getLane()) + ", " + std::to_string(at.getLanes()) + ")";
  else if (auto behind = dyn_cast<LaneBehindOp>(op))
    call = "__shfl_down_sync(lanes_mask<" + std::to_string(behind.getLanes()) + ">(), " + given + ", " +
           std::to_string(behind.getDistance()) + ", " + std::to_string(behind.getLanes()) + ")";
  line() << "const " << type << " " << define(result, "from") << " = "
         << (given == expression(value).text ? call : "(" + type + ")" + call) << ";\n";
}

/// The function that updates an element, and whether it takes an integer without a sign; null for other updates.
static std::pair<const char *, bool> atomicFunction(arith::AtomicRMWKind kind) {
  switch (kind) {
  case arith::AtomicRMWKind::addi:
    return {"atomicAdd", true};
  case arith::AtomicRMWKind::andi:
    return {"atomicAnd", true};
  case arith::AtomicRMWKind::ori:
    return {"atomicOr", true};
  case arith::AtomicRMWKind::xori:
    return {"atomicXor", true};
  case arith::AtomicRMWKind::maxs:
    return {"atomicMax", false};
  case arith::AtomicRMWKind::mins:
    return {"atomicMin", false};
  case arith::AtomicRMWKind::maxu:
    return {"atomicMax", true};
  case arith::AtomicRMWKind::minu:
    return {"atomicMin", true};
  default:
    return {nullptr, false};
  }
}

void CudaPrinter::printAtomic(memref::AtomicRMWOp update) {
  auto [function, hasNoSign] = atomicFunction(update.getKind());
  Type element = update.getValue().getType();
  if (!function || !(element.isInteger(32) || element.isInteger(64)) || update.getIndices().size() != 1) {
    unsupported(update, "has no atomic function");
    return;
  }
  const std::string type = element.isInteger(32) ? (hasNoSign ? "unsigned" : "int")
                           : hasNoSign           ? "unsigned long long"
                                                 : "long long";
  line() << function << "((" << type << " *)&" << operand(update.getMemref(), Precedence::Primary) << "["
         << expression(update.getIndices()[0]).text << "], (" << type << ")"
         << operand(update.getValue(), Precedence::Unary) << ");\n";
}

void CudaPrinter::printCall(func::CallOp call) { unsupported(call, "cannot be called from a CUDA kernel"); }

} // namespace quernel
