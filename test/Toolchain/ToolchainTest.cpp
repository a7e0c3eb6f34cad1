#include "compiler/Toolchain/Clang.h"
#include "compiler/Toolchain/Nvrtc.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "gtest/gtest.h"

#include <chrono>
#include <csignal>
#include <dlfcn.h>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace quernel;

static std::string message(llvm::Error error) { return llvm::toString(std::move(error)); }

/// A shared object from bytes, loaded for its scope.
class Library {
public:
  explicit Library(const std::string &bytes)
      : path(testing::TempDir() + "quernel-" + std::to_string(getpid()) + "-" + std::to_string(counter++) + ".so") {
    std::ofstream(path, std::ios::binary) << bytes;
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle, nullptr) << dlerror();
  }
  ~Library() {
    if (handle)
      dlclose(handle);
    std::remove(path.c_str());
  }
  template <typename Function> Function *get(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(handle, name));
  }

private:
  static inline std::atomic<int> counter = 0;
  std::string path;
  void *handle;
};

static std::string build(const std::string &source, const LinkOptions &options = {}) {
  llvm::Expected<std::vector<std::string>> object = compileToObjects(source, Target::host());
  if (!object) {
    ADD_FAILURE() << message(object.takeError());
    return {};
  }
  llvm::Expected<std::string> library = linkShared(*object, options);
  if (!library) {
    ADD_FAILURE() << message(library.takeError());
    return {};
  }
  return *library;
}

/// DT_NEEDED's names.
static std::vector<std::string> needed(const std::string &library) {
  using File = llvm::object::ELF64LE;
  auto file = llvm::cantFail(llvm::object::ELFFile<File>::create(library));
  std::vector<std::string> names;
  llvm::StringRef strings;
  auto entries = llvm::cantFail(file.dynamicEntries());
  for (const File::Dyn &entry : entries)
    if (entry.d_tag == llvm::ELF::DT_STRTAB)
      strings = reinterpret_cast<const char *>(llvm::cantFail(file.toMappedAddr(entry.d_un.d_ptr)));
  for (const File::Dyn &entry : entries)
    if (entry.d_tag == llvm::ELF::DT_NEEDED)
      names.push_back(library.data() + (strings.data() - library.data()) + entry.d_un.d_val);
  return names;
}

TEST(Target, HostIsConsistent) {
  const Target &host = Target::host();
  EXPECT_EQ(host.name, "host");
  EXPECT_FALSE(host.cpu.empty());
  llvm::Expected<Target> level = Target::parse(Target::hostLevel());
  ASSERT_TRUE(!!level);
  EXPECT_EQ(level->info.vectorBytes, host.info.vectorBytes);
  EXPECT_EQ(level->mathIsa, host.mathIsa);
  EXPECT_NE(level->key(), host.key());
}

TEST(Target, TheHostsLevelIsWhatLlvmFinds) {
  auto has = [](std::initializer_list<llvm::StringRef> names) {
    return llvm::all_of(
        names, [](llvm::StringRef name) { return llvm::is_contained(Target::host().features, ("+" + name).str()); });
  };
  const bool v3 = has({"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}),
             v4 = v3 && has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  const llvm::StringRef level = Target::hostLevel();
  EXPECT_EQ(level == "x86-64-v4", v4);
  EXPECT_EQ(level == "x86-64-v4" || level == "x86-64-v3", v3);
}

TEST(Target, LevelsByName) {
  Target v3 = llvm::cantFail(Target::parse("x86-64-v3"));
  EXPECT_EQ(v3.info.vectorBytes, 32);
  EXPECT_EQ(v3.mathIsa, "avx2");
  EXPECT_EQ(v3.key(), llvm::cantFail(Target::parse("x86-64-v3")).key());
  Target v4 = llvm::cantFail(Target::parse("x86-64-v4"));
  EXPECT_EQ(v4.info.vectorBytes, 64);
  EXPECT_NE(v3.key(), v4.key());
  EXPECT_FALSE(v4.svml);
}

TEST(Target, TheWidestLevelWithNumpysFunctionsOfMath) {
  Target v4 = llvm::cantFail(Target::parse("x86-64-v4")), svml = llvm::cantFail(Target::parse("x86-64-v4+svml"));
  EXPECT_TRUE(svml.svml);
  EXPECT_EQ(svml.cpu, "x86-64-v4");
  EXPECT_EQ(svml.mathIsa, "avx512f");
  EXPECT_NE(svml.key(), v4.key());
  llvm::Expected<Target> narrow = Target::parse("x86-64-v3+svml");
  ASSERT_FALSE(!!narrow);
  EXPECT_TRUE(llvm::StringRef(message(narrow.takeError())).starts_with("unknown target 'x86-64-v3+svml'"));
}

TEST(Target, UnknownName) {
  llvm::Expected<Target> target = Target::parse("pdp-11");
  ASSERT_FALSE(!!target);
  EXPECT_EQ(message(target.takeError()),
            "unknown target 'pdp-11'; the targets are host, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, "
            "x86-64-v4+svml");
}

TEST(Clang, CompilesLinksAndRuns) {
  Library library(build("extern \"C\" double twice(double x) { return x + x; }"));
  auto *twice = library.get<double(double)>("twice");
  ASSERT_NE(twice, nullptr);
  EXPECT_EQ(twice(1.5), 3.0);
}

TEST(Clang, ReportsDiagnostics) {
  CompileOptions options;
  options.fileName = "kmeans.cpp";
  llvm::Expected<std::vector<std::string>> object =
      compileToObjects("int f() { return unknown; }", Target::host(), options);
  ASSERT_FALSE(!!object);
  std::string text = message(object.takeError());
  EXPECT_NE(text.find("kmeans.cpp:1:18: error: use of undeclared identifier 'unknown'"), std::string::npos) << text;
}

TEST(Clang, ContractsOnlyWhenAsked) {
  const char *source = "extern \"C\" double f(double a, double b, double c) { return a * b + c; }";
  Target v3 = llvm::cantFail(Target::parse("x86-64-v3"));
  EXPECT_EQ(llvm::cantFail(compileToAssembly(source, v3)).find("vfmadd"), std::string::npos);
  CompileOptions fast;
  fast.fastMath = true;
  EXPECT_NE(llvm::cantFail(compileToAssembly(source, v3, fast)).find("vfmadd"), std::string::npos);
}

TEST(Clang, OptimizesUnlessTold) {
  const char *source = "extern \"C\" int f(int x) { int y = x; return y; }";
  EXPECT_EQ(llvm::cantFail(compileToAssembly(source, Target::host())).find("(%r"), std::string::npos);
  CompileOptions quick;
  quick.optimize = false;
  EXPECT_NE(llvm::cantFail(compileToAssembly(source, Target::host(), quick)).find("(%r"), std::string::npos);
}

TEST(Clang, LinksTextsOfUsersThatShareNames) {
  auto text = [](int number) {
    const std::string name = "entry" + std::to_string(number);
    return UserText{"int shared() { return " + std::to_string(number) + "; } extern \"C\" int " + name +
                        "() { return shared(); }",
                    "/text.cpp",
                    {name},
                    {}};
  };
  const UserText texts[] = {text(2), text(3)};
  auto objects =
      compileToObjects("extern \"C\" { int entry2(); int entry3(); int sum() { return entry2() + 10 * entry3(); } }",
                       Target::host(), {.userTexts = texts});
  ASSERT_TRUE(static_cast<bool>(objects)) << message(objects.takeError());
  const Library library(llvm::cantFail(linkShared(*objects)));
  EXPECT_EQ(library.get<int()>("sum")(), 32);
  EXPECT_EQ(library.get<int()>("entry2"), nullptr);
}

TEST(Clang, CompilesATextOfAUserAlone) {
  std::vector<std::string> includes;
  const UserText text{"extern \"C\" int entry() { return 2; } int other() { return 3; }", "/text.cpp", {"entry"}, {}};
  auto objects = compileUserText(text, Target::host(), includes);
  ASSERT_TRUE(static_cast<bool>(objects)) << message(objects.takeError());
  const Library library(llvm::cantFail(linkShared(*objects)));
  EXPECT_EQ(library.get<int()>("entry")(), 2);
  EXPECT_EQ(library.get<int()>("_Z5otherv"), nullptr);
}

TEST(Clang, SaysWhereATextOfAUserIsWrong) {
  std::vector<std::string> includes;
  const UserText text{"#line 7 \"mine.cpp\"\nint x = y;", "/text.cpp", {}, {}};
  auto objects = compileUserText(text, Target::host(), includes);
  ASSERT_FALSE(static_cast<bool>(objects));
  EXPECT_NE(message(objects.takeError()).find("mine.cpp:7:9: error: use of undeclared"), std::string::npos);
}

TEST(Clang, SpillsVectorsWhereTheyAreAligned) {
  const char *source = R"(
    using Vector = double __attribute__((vector_size(32)));
    extern "C" Vector exponential(Vector);
    extern "C" void f(Vector *x, long n) {
      Vector a = x[0], b = x[1];
      for (long i = 0; i < n; ++i) {
        a += exponential(b);
        b -= a;
      }
      x[0] = a;
      x[1] = b;
    })";
  std::string text = llvm::cantFail(compileToAssembly(source, llvm::cantFail(Target::parse("x86-64-v3"))));
  EXPECT_NE(text.find("andq\t$-32, %rsp"), std::string::npos) << text;
  EXPECT_EQ(text.find("vmovup"), std::string::npos) << text;
}

TEST(Clang, BoundsTheScheduler) {
  // Also where LLD, or a command line that is read again, has reset LLVM's options.
  llvm::cantFail(linkShared(llvm::cantFail(compileToObjects("int x;", Target::host()))));
  llvm::cl::ResetAllOptionOccurrences();
  auto found = llvm::cl::getRegisteredOptions().find("dag-maps-huge-region");
  ASSERT_NE(found, llvm::cl::getRegisteredOptions().end());
  EXPECT_EQ(static_cast<llvm::cl::opt<unsigned> *>(found->second)->getValue(), 200u);
}

TEST(Clang, TimesItsStages) {
  for (bool optimize : {true, false}) {
    ClangTimes times;
    CompileOptions options;
    options.optimize = optimize;
    options.times = &times;
    auto begin = std::chrono::steady_clock::now();
    llvm::cantFail(compileToObjects("extern \"C\" int f(int x) { return x + 1; }", Target::host(), options));
    double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (double part : {times.frontEnd, times.optimizer, times.codeGeneration})
      EXPECT_GT(part, 0) << optimize;
    EXPECT_LE(times.frontEnd + times.optimizer + times.codeGeneration, whole);
  }
}

/// A program of functions so long that they are worth a module each. Each function adds `inner`, whose turns write out
/// what `outer`'s turn calls.
static std::string longText(unsigned functions, const std::string &beginning = "") {
  std::string text =
      beginning + "inline double twice(double x) { return x + x; }\nstatic const double table[2] = {1, 2};\n";
  std::string calls;
  for (unsigned number = 0; number < functions; ++number) {
    std::string name = "kernel" + std::to_string(number);
    text += "static double " + name + "_range(double *x, long i) {\n";
    for (unsigned line = 0; line < 200; ++line)
      text += "  x[i] = twice(x[i]) - x[i] / " + std::to_string(line + 2) + ";\n";
    text += "  return x[i];\n}\nstatic void " + name +
            "(double *x, long n) {\n  for (long i = 0; i < n; ++i)\n    x[i] = " + name +
            "_range(x, i) + table[i & 1];\n}\n";
    calls += "  " + name + "(x, n);\n";
  }
  return text +
         "extern \"C\" const int version;\nconst int version = 7;\nextern \"C\" int program(double *x, long n) {\n" +
         calls + "  return version;\n}\n";
}

TEST(Clang, CompilesLongTextsInParts) {
  const std::string text = longText(5);
  ClangTimes times;
  CompileOptions options;
  options.times = &times;
  options.threads = 3;
  std::vector<std::string> parts = llvm::cantFail(compileToObjects(text, Target::host(), options));
  EXPECT_EQ(parts.size(), 4u);
  for (double time : {times.frontEnd, times.optimizer, times.codeGeneration})
    EXPECT_GT(time, 0);
  Library library(llvm::cantFail(linkShared(parts)));
  // What one module computes: the text of one kernel, which isn't parted, five times.
  std::vector<std::string> whole = llvm::cantFail(compileToObjects(longText(1), Target::host()));
  EXPECT_EQ(whole.size(), 1u);
  Library single(llvm::cantFail(linkShared(whole)));
  std::vector<double> got = {1, 2, 3}, want = got;
  EXPECT_EQ(library.get<int(double *, long)>("program")(got.data(), 3), 7);
  for (int turn = 0; turn < 5; ++turn)
    single.get<int(double *, long)>("program")(want.data(), 3);
  EXPECT_EQ(got, want);
  EXPECT_EQ(library.get<void()>("kernel0"), nullptr); // seen within the library alone
  EXPECT_EQ(parts, llvm::cantFail(compileToObjects(text, Target::host())));
}

TEST(Clang, KeepsTogetherWhatSharesMemory) {
  std::string text = longText(5, "static double state;\nextern \"C\" double next() { return state += 1; }\n");
  EXPECT_EQ(llvm::cantFail(compileToObjects(text, Target::host())).size(), 1u);
  text = longText(
      5, "static double first(double x);\ninline double second(double x) { return first(x); }\n"
         "static double first(double x) { return x; }\nextern \"C\" double both(double x) { return second(x); }\n");
  EXPECT_EQ(llvm::cantFail(compileToObjects(text, Target::host())).size(), 1u);
  text = longText(5, "static double first(double x) { return x; }\nextern \"C\" double (*const address)(double);\n"
                     "double (*const address)(double) = first;\n");
  EXPECT_EQ(llvm::cantFail(compileToObjects(text, Target::host())).size(), 1u);
}

TEST(Clang, FastMathKeepsNaN) {
  CompileOptions fast;
  fast.fastMath = true;
  std::vector<std::string> object =
      llvm::cantFail(compileToObjects("extern \"C\" bool isnan_(double x) { return x != x; }", Target::host(), fast));
  Library library(llvm::cantFail(linkShared(object)));
  EXPECT_TRUE(library.get<bool(double)>("isnan_")(__builtin_nan("")));
}

TEST(Clang, UsesWholeRegisters) {
  const char *source = "typedef double f64x8 __attribute__((vector_size(64)));\n"
                       "extern \"C\" void f(const double *p, double *q) {\n"
                       "  f64x8 v; __builtin_memcpy(&v, p, 64); v = v * v; __builtin_memcpy(q, &v, 64); }";
  std::string text = llvm::cantFail(compileToAssembly(source, llvm::cantFail(Target::parse("x86-64-v4"))));
  EXPECT_NE(text.find("%zmm"), std::string::npos) << text;
}

TEST(Link, NeedsOnlyWhatIsUsed) {
  LinkOptions options;
  options.libraries = {QUERNEL_TEST_LIBOMP};
  const char *serial = "extern \"C\" double f(double x) { return x; }";
  EXPECT_TRUE(needed(build(serial, options)).empty());
  const char *threaded = "extern \"C\" void g(double *x, long n) {\n#pragma omp parallel for\n"
                         "for (long i = 0; i < n; ++i) x[i] += 1; }";
  std::string library = build(threaded, options);
  EXPECT_EQ(needed(library), std::vector<std::string>{"libomp.so.5"});
}

TEST(Link, ReportsDiagnostics) {
  llvm::Expected<std::string> library = linkShared({"this is no object"});
  ASSERT_FALSE(!!library);
  EXPECT_NE(message(library.takeError()).find("LLD cannot link the generated code"), std::string::npos);
  LinkOptions options;
  options.libraries = {"/nowhere/libmissing.so"};
  std::vector<std::string> object = llvm::cantFail(compileToObjects("int x;", Target::host()));
  llvm::Expected<std::string> other = linkShared(object, options);
  ASSERT_FALSE(!!other);
  std::string text = message(other.takeError());
  EXPECT_NE(text.find("libmissing.so"), std::string::npos) << text;
  // A failed link leaves LLD usable.
  EXPECT_TRUE(!!linkShared(object));
}

/// The handlers and flags of every signal.
static std::vector<std::pair<void (*)(int), int>> dispositions() {
  std::vector<std::pair<void (*)(int), int>> result;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action{};
    sigaction(number, nullptr, &action);
    result.emplace_back(action.sa_handler, action.sa_flags);
  }
  return result;
}

TEST(Link, LeavesSignalsAlone) {
  auto before = dispositions();
  std::vector<std::string> object = llvm::cantFail(compileToObjects("int x;", Target::host()));
  EXPECT_TRUE(!!linkShared(object));
  EXPECT_TRUE(dispositions() == before);
}

TEST(Link, GivesMoreThanAPipeHolds) {
  std::string source = "extern \"C\" int f() { extern char large[]; return large[3 << 20]; }\n"
                       "char large[(3 << 20) + 1] = {1};";
  EXPECT_GT(build(source).size(), 3u << 20);
}

TEST(Link, RunsFromSeveralThreads) {
  std::vector<int> results(8, -1);
  std::vector<std::thread> threads;
  for (int index = 0; index < 8; ++index)
    threads.emplace_back([&results, index] {
      std::string source = "extern \"C\" int f() { return " + std::to_string(index) + "; }";
      results[index] = Library(build(source)).get<int()>("f")();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int index = 0; index < 8; ++index)
    EXPECT_EQ(results[index], index);
}

TEST(Nvrtc, RejectsWhatIsNoDevice) {
  llvm::Expected<CudaImage> image = compileCuda("", "x86-64");
  ASSERT_FALSE(!!image);
  EXPECT_EQ(message(image.takeError()), "unknown CUDA target 'x86-64'; it has to be like sm_90");
}

class WithNvrtc : public testing::Test {
protected:
  void SetUp() override {
    if (llvm::Expected<std::string> version = nvrtcVersion(); !version)
      GTEST_SKIP() << message(version.takeError());
  }
};

TEST_F(WithNvrtc, CompilesCubinAndPtx) {
  const char *source = "extern \"C\" __global__ void f(double *x) { x[threadIdx.x] *= 2; }";
  llvm::Expected<CudaImage> image = compileCuda(source, "sm_90");
  ASSERT_TRUE(!!image) << message(image.takeError());
  EXPECT_EQ(image->cubin.substr(1, 3), "ELF");
  EXPECT_NE(image->ptx.find(".entry f"), std::string::npos);
  EXPECT_NE(image->ptx.find(".target sm_90"), std::string::npos);
  EXPECT_EQ(image->ptx.back(), '\n');
}

TEST_F(WithNvrtc, TellsItsArchitectures) {
  const std::vector<std::string> names = llvm::cantFail(nvrtcArchitectures());
  for (const char *name : {"sm_80", "sm_90", "sm_100"})
    EXPECT_TRUE(llvm::is_contained(names, name)) << name;
}

TEST_F(WithNvrtc, ContractsOnlyWhenAsked) {
  const char *source = "extern \"C\" __global__ void f(double *x) { x[0] = x[1] * x[2] + x[3]; }";
  CudaOptions options;
  EXPECT_EQ(llvm::cantFail(compileCuda(source, "sm_90", options)).ptx.find("fma.rn"), std::string::npos);
  options.fastMath = true;
  EXPECT_NE(llvm::cantFail(compileCuda(source, "sm_90", options)).ptx.find("fma.rn"), std::string::npos);
}

TEST_F(WithNvrtc, ReportsItsLog) {
  llvm::Expected<CudaImage> image = compileCuda("__global__ void f() { unknown(); }", "sm_90");
  ASSERT_FALSE(!!image);
  EXPECT_NE(message(image.takeError()).find("identifier \"unknown\" is undefined"), std::string::npos);
}

TEST_F(WithNvrtc, TellsTheNamesOfKernelsInATextOfAUser) {
  UserText text{"", "/text.cu", {"launch_f", "launch_g"}, {}};
  text.cuda = "__global__ void f(double *x) { *x = 2; }\nextern \"C\" __global__ void g(double *x) { *x = 3; }";
  text.kernels = {{"g", "launch_g"}, {"f", "launch_f"}};
  llvm::Expected<CudaImage> image = compileCuda(text, "sm_80");
  ASSERT_TRUE(!!image) << message(image.takeError());
  EXPECT_EQ(image->kernels, (std::vector<std::string>{"g", "_Z1fPd"}));
  EXPECT_EQ(image->cubin.substr(1, 3), "ELF");
  text.cuda = "#line 7 \"mine.cu\"\n__global__ void f(double *x) { *x = y; }";
  image = compileCuda(text, "sm_80");
  ASSERT_FALSE(!!image);
  EXPECT_TRUE(
      llvm::StringRef(message(image.takeError())).starts_with("mine.cu(7): error: identifier \"y\" is undefined"));
}
