#include "runtime/Loader.h"
#include "Processes.h"
#include "runtime/Context.h"
#include <dlfcn.h>
#include <stdexcept>
#include <sys/resource.h>
#include <utility>

using namespace quernel::runtime;
using namespace quernel::test;

namespace {

const std::string kernels = QUERNEL_TEST_KERNELS;

std::string errorOf(const std::string &path, const std::string &entry, const std::string &shapes = "") {
  try {
    Program program(path, entry, shapes);
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

void expectAddMul(const Program &program) {
  double a[] = {1, 2, 3}, b[] = {4, 5, 6}, c[] = {7, 8, 9}, out[3] = {};
  void *buffers[] = {a, b, c, out};
  const int64_t sizes[] = {3};
  ASSERT_EQ(program.entry()(&context(1), buffers, sizes), QN_OK);
  EXPECT_EQ(out[0], 11);
  EXPECT_EQ(out[2], 27);
}

} // namespace

TEST(Loader, LoadsAnEntry) {
  Program program(kernels, "add_mul");
  expectAddMul(program);
  EXPECT_EQ(program.shapes(), nullptr);
  EXPECT_EQ(program.path(), kernels);
}

TEST(Loader, LoadsShapes) {
  Program program(kernels, "tail", "tail_shapes");
  const int64_t symbols[] = {5};
  int64_t dims[2] = {};
  program.shapes()(symbols, dims);
  EXPECT_EQ(dims[0], 4);
  EXPECT_EQ(dims[1], 2);
}

TEST(Loader, PassesErrorsAndTheContext) {
  Program failing(kernels, "out_of_memory");
  EXPECT_EQ(failing.entry()(&context(1), nullptr, nullptr), QN_OUT_OF_MEMORY);
  Program reversed(kernels, "reversed");
  double in[] = {1, 2, 3}, out[3];
  int64_t threads = 0;
  void *buffers[] = {in, out, &threads};
  const int64_t sizes[] = {3};
  ASSERT_EQ(reversed.entry()(&context(5), buffers, sizes), QN_OK);
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(threads, 5);
}

TEST(Loader, LoadsFromMemory) {
  const std::string object = readFile(kernels);
  Program program = Program::fromBytes(object, "add_mul");
  expectAddMul(program);
}

TEST(Loader, KeepsObjectsFromMemoryApart) {
  const std::string object = readFile(kernels);
  for (int k = 0; k < 3; ++k) {
    Program first = Program::fromBytes(object, "add_mul");
    Program second = Program::fromBytes(readFile(QUERNEL_TEST_OPENBLAS), "quernel_test_calls");
    EXPECT_NE(first.path(), second.path());
    expectAddMul(first);
  }
  Program other = Program::fromBytes(readFile(QUERNEL_TEST_OPENBLAS), "quernel_test_calls");
  EXPECT_NE(other.entry(), nullptr);
}

TEST(Loader, KeepsNoDescriptorOpen) {
  const std::string object = readFile(kernels);
  const int before = dup(0);
  close(before);
  std::vector<Program> programs;
  for (int k = 0; k < 20; ++k)
    programs.push_back(Program::fromBytes(object, "add_mul"));
  const int after = dup(0);
  close(after);
  EXPECT_EQ(before, after);
  for (const Program &program : programs) {
    expectAddMul(program);
    EXPECT_EQ(program.entry() == programs[0].entry(), &program == &programs[0]);
  }
}

TEST(Loader, FindsTheImagesOfAProgramForADevice) {
  EXPECT_EQ(Program(kernels, "add_mul").images(), nullptr);
  Program loaded(kernels, "on_device");
  const Program program = std::move(loaded);
  const qn_images images = program.images();
  ASSERT_NE(images, nullptr);
  const qn_binary &binary = images[0].binaries[0];
  EXPECT_STREQ(static_cast<const char *>(binary.bytes), "an image");
  EXPECT_EQ(binary.size, 9);
  EXPECT_EQ(binary.capability, 90);
  EXPECT_FALSE(binary.is_ptx);
  EXPECT_EQ(images[0].binaries[1].bytes, nullptr);
  EXPECT_STREQ(images[0].kernels[1], "second");
  EXPECT_EQ(images[0].kernels[2], nullptr);
  EXPECT_TRUE(images[1].binaries[0].is_ptx);
  EXPECT_EQ(images[2].binaries, nullptr);
}

TEST(Loader, Moves) {
  Program program(kernels, "add_mul");
  Program other = std::move(program);
  expectAddMul(other);
  other = Program::fromBytes(readFile(kernels), "add_mul");
  expectAddMul(other);
}

TEST(Loader, NamesAMissingFile) {
  const std::string error = errorOf("/nowhere/x.so", "add_mul");
  EXPECT_EQ(error, "can't load the compiled program /nowhere/x.so: No such file or directory");
}

TEST(Loader, RefusesWhatIsNoObject) {
  TemporaryFolder folder;
  writeFile(folder / "text.so", "this isn't a program, but it is longer than the head of one, which is 64 bytes");
  writeFile(folder / "empty.so", "");
  for (const char *name : {"text.so", "empty.so"})
    EXPECT_TRUE(contains(errorOf(folder / name, "add_mul"), "not a shared object"));
  EXPECT_NE(errorOf(folder.path, "add_mul"), "no error");
}

TEST(Loader, RefusesATruncatedObject) {
  TemporaryFolder folder;
  const std::string object = readFile(kernels);
  for (size_t kept : {object.size() / 16, object.size() / 4, object.size() / 2}) {
    writeFile(folder / "cut.so", object.substr(0, kept));
    EXPECT_TRUE(contains(errorOf(folder / "cut.so", "add_mul"), "the file is truncated")) << kept;
    EXPECT_THROW(Program::fromBytes(object.substr(0, kept), "add_mul"), std::runtime_error);
  }
}

TEST(Loader, RefusesAnotherMachinesObject) {
  TemporaryFolder folder;
  std::string object = readFile(kernels);
  object[18] = char(0xFE); // e_machine
  writeFile(folder / "other.so", object);
  const std::string error = errorOf(folder / "other.so", "add_mul");
  EXPECT_TRUE(error.starts_with("can't load the compiled program " + folder.path + "/other.so: ")) << error;
}

TEST(Loader, NamesAMissingSymbol) {
  EXPECT_TRUE(contains(errorOf(kernels, "absent"), "it has no symbol 'absent'"));
  EXPECT_TRUE(contains(errorOf(kernels, "tail", "absent_shapes"), "it has no symbol 'absent_shapes'"));
  EXPECT_TRUE(contains(errorOf(kernels, ""), "it has no symbol ''"));
}

TEST(Loader, SaysWhenThereIsNoMemoryFile) {
  const std::string object = readFile(kernels);
  EXPECT_TRUE(succeeded(start([&] {
    const rlimit none{3, 3};
    setrlimit(RLIMIT_NOFILE, &none);
    try {
      Program::fromBytes(object, "add_mul");
    } catch (const std::runtime_error &error) {
      return contains(error.what(), "can't make a memory file for a compiled program: Too many open files");
    }
    return false;
  })));
}

TEST(Loader, Preloads) {
  TemporaryFolder folder;
  std::filesystem::copy_file(kernels, folder / "preloaded.so");
  EXPECT_EQ(dlopen((folder / "preloaded.so").c_str(), RTLD_NOLOAD | RTLD_LAZY), nullptr);
  preload({folder / "preloaded.so"});
  EXPECT_NE(dlopen((folder / "preloaded.so").c_str(), RTLD_NOLOAD | RTLD_LAZY), nullptr);
}

TEST(Loader, NamesALibraryThatCannotBePreloaded) {
  try {
    preload({"/nowhere/libomp.so.5"});
    FAIL();
  } catch (const std::runtime_error &error) {
    EXPECT_TRUE(contains(error.what(), "can't load the library /nowhere/libomp.so.5: ")) << error.what();
  }
}
