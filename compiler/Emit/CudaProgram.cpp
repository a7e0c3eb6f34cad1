// The program around CUDA kernels, as C++ for the host: it launches them, and reads and writes numbers of the device.
#include "compiler/Emit/CppPrinter.h"
#include "compiler/Emit/CudaPrinter.h"
#include "compiler/Emit/DeviceTexts.h"
#include "compiler/Lowering/Offload.h"
#include "runtime/abi.h"

using namespace mlir;

namespace quernel {

namespace {

class CudaProgramPrinter : public CppPrinter {
public:
  CudaProgramPrinter(ModuleOp module, const EmitOptions &options)
      : CppPrinter(module, options), mayFail(hasKernelChecks(module)) {
    for (auto function : module.getOps<func::FuncOp>())
      if (hasRole(function, FunctionRole::kernel))
        kernels[function.getName()] = kernels.size();
  }

private:
  void nameMore() override { texts.emplace(module, identifiers); }
  void printHead(raw_ostream &) override {}
  bool printsGlobal(memref::GlobalOp global) override { return readsGlobal(module, FunctionRole::program, global); }
  void printFunction(func::FuncOp function) override;
  void printParallel(scf::ParallelOp loop) override { unsupported(loop, "can stand in a kernel alone"); }
  void printDeviceOp(Operation *op) override;
  void printCheck(CheckOp check) override;
  std::string routineCall(func::CallOp call, const RoutineFunction &function, const RoutineArguments &given) override;
  void beginProgram(func::FuncOp program) override;
  void endProgram() override;
  void printLaunch(LaunchOp launch);
  void printRead(ReadOp read);
  void printWrite(WriteOp write);
  void printRepeat(RepeatOp repeat);
  std::string printTurn(StringRef name, Block &body);
  void printKernelNames(func::FuncOp program);
  void stopWhereFailed();

  /// The kernels' numbers, in the order of the module.
  llvm::StringMap<size_t> kernels;
  /// What is launched besides; its kernels' numbers follow.
  std::optional<DeviceTexts> texts;
  /// Whether a check stands in a kernel: then each kernel gets `first_failure`.
  const bool mayFail;
};

} // namespace

void CudaProgramPrinter::printFunction(func::FuncOp function) {
  if (hasRole(function, FunctionRole::kernel))
    return;
  CppPrinter::printFunction(function);
  if (hasRole(function, FunctionRole::program))
    printKernelNames(function);
}

void CudaProgramPrinter::printKernelNames(func::FuncOp program) {
  llvm::SmallVector<std::string> names(kernels.size());
  for (const auto &[name, number] : kernels)
    names[number] = functionNames[name];
  names.append(texts->kernels());
  for (StringRef kernel : routineKernels(module))
    names.push_back(kernel.str());
  line() << "extern \"C\" const char *const " << functionNames[program.getName()] << "_kernels[] = {";
  for (const std::string &name : names)
    stream << "\"" << name << "\", ";
  stream << "nullptr};\n\n";
}

/// Strides and sizes as `call` has them; before them the first of the kernels that compute it.
std::string CudaProgramPrinter::routineCall(func::CallOp call, const RoutineFunction &function,
                                            const RoutineArguments &given) {
  const DeviceTextUse use = deviceTextOf(call);
  if (!use)
    return CppPrinter::routineCall(call, function, given);
  prelude.require(use.text->hostPrelude);
  const unsigned number = texts->firstKernel(call);
  std::string bytes;
  if (use.text->isTyped)
    bytes = std::to_string(runtime::typeBytes[function.typeNumber()]) + ", ";
  return use.function.str() + "(device, " + std::to_string(kernels.size() + number) + " /* " +
         texts->kernels()[number] + " */, " + bytes + "{" + llvm::join(given.sizes, ", ") + "}, {" +
         llvm::join(given.strides, ", ") + "}, " + llvm::join(given.pointers, ", ") + ")";
}

void CudaProgramPrinter::beginProgram(func::FuncOp) {
  prelude.require("device");
  line() << "const qn_device *device = (const qn_device *)context;\n";
  if (!mayFail)
    return;
  prelude.require("failed");
  prelude.require("temporary");
  prelude.require("write");
  line() << "Temporary<Failure> first_failure(context, 1);\n";
  line() << "if (!first_failure)\n", line() << "  return " << QN_OUT_OF_MEMORY << ";\n";
  line() << "if (int32_t code = write<Failure>(device, {}, first_failure))\n", line() << "  return code;\n";
}

void CudaProgramPrinter::stopWhereFailed() {
  if (!mayFail)
    return;
  line() << "if (int32_t code = failed(device, first_failure))\n";
  line() << "  return code;\n";
}

void CudaProgramPrinter::endProgram() { stopWhereFailed(); }

void CudaProgramPrinter::printDeviceOp(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return printLaunch(launch);
  if (auto read = dyn_cast<ReadOp>(op))
    return printRead(read);
  if (auto repeat = dyn_cast<RepeatOp>(op))
    return printRepeat(repeat);
  printWrite(cast<WriteOp>(op));
}

void CudaProgramPrinter::printLaunch(LaunchOp launch) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernelAttr());
  llvm::SmallVector<std::string> types, arguments;
  for (auto [argument, value] : llvm::zip_equal(kernel.getArguments(), launch.getArguments())) {
    auto memref = dyn_cast<MemRefType>(argument.getType());
    const bool isReadonly = memref && argumentOf(kernel, argument.getArgNumber()).readonly;
    types.push_back(memref ? (isReadonly ? "const " : "") + elementType(memref) + " *" : typeName(argument.getType()));
    arguments.push_back(expression(value).text);
  }
  if (mayFail) {
    types.push_back("Failure *");
    arguments.push_back("first_failure");
  }
  prelude.require("launch");
  const auto turns = llvm::map_to_vector(launch.getTurns(), [&](Value each) { return expression(each).text; });
  std::string shared = launch.getShared() || launch.getWorker() ? ", " + std::to_string(launch.getShared()) : "";
  if (launch.getWorker())
    shared += ", " + std::to_string(launch.getWorker()) + ", " + std::to_string(leastThreadsOf(kernel));
  const std::string text = "launch<" + llvm::join(types, ", ") + ">(device, " +
                           std::to_string(kernels.lookup(kernel.getName())) + " /* " + functionNames[kernel.getName()] +
                           " */, {" + llvm::join(turns, ", ") + "}, {" + std::to_string(launch.getBlock()) + shared +
                           "}" + (arguments.empty() ? "" : ", ") + llvm::join(arguments, ", ") + ")";
  printCallOrStop(text, true);
}

void CudaProgramPrinter::printRead(ReadOp read) {
  prelude.require("read");
  const std::string from = pointer(read.getMemory(), read.getIndex()), type = typeName(read.getType());
  const std::string name = define(read.getResult(), "found");
  line() << type << " " << name << ";\n";
  printCallOrStop("read<" + type + ">(device, " + name + ", " + from + ")", true);
  stopWhereFailed();
}

void CudaProgramPrinter::printWrite(WriteOp write) {
  prelude.require("write");
  const std::string type = typeName(write.getValue().getType());
  printCallOrStop("write<" + type + ">(device, " + expression(write.getValue()).text + ", " +
                      pointer(write.getMemory(), write.getIndex()) + ")",
                  true);
}

/// A function that asks for what a part of a turn has; gives its name.
std::string CudaProgramPrinter::printTurn(StringRef name, Block &body) {
  const std::string function = identifiers.fresh(name);
  line() << "const auto " << function << " = [&]() -> int32_t {\n";
  block([&] {
    printBody(body);
    line() << "return 0;\n";
  });
  line() << "};\n";
  return function;
}

void CudaProgramPrinter::printRepeat(RepeatOp repeat) {
  prelude.require("repeat");
  const std::string test = printTurn("test", repeat.getTest().front());
  const std::string turn = printTurn("turn", repeat.getTurn().front());
  printCallOrStop("repeat(device, " + expression(repeat.getGoesOn()).text + ", " +
                      (mayFail ? "first_failure" : "nullptr") + ", " + test + ", " + turn + ")",
                  true);
  stopWhereFailed();
}

/// A kernel's check may have failed before, which nobody has asked for yet.
void CudaProgramPrinter::printCheck(CheckOp check) {
  if (!mayFail)
    return CppPrinter::printCheck(check);
  ErrorSite site = errorSite(check);
  std::string noted = failure(check);
  line() << "if (!" << operand(check.getOk(), Precedence::Unary) << ") {\n";
  block([&] {
    stopWhereFailed();
    line() << "return " << noted << "; // " << commentText(site.exception) << ": " << commentText(site.message) << "\n";
  });
  line() << "}\n";
}

LogicalResult emitCuda(ModuleOp module, raw_ostream &os, const EmitOptions &options) {
  os << "// Generated by Quernel. The kernels are CUDA C++ for NVRTC: --std=c++17 --fmad=false. The program that\n"
     << "// launches them is C++17 for the host.\n\n#ifdef __CUDACC_RTC__\n";
  if (failed(CudaPrinter(module, options).print(os)))
    return failure();
  os << "#else\n";
  if (failed(CudaProgramPrinter(module, options).print(os)))
    return failure();
  os << "#endif\n";
  return success();
}

} // namespace quernel
