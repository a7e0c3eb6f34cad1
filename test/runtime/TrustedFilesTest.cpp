#include "Processes.h"
#include "runtime/CacheFiles.h"
#include <filesystem>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace quernel::runtime;
using namespace quernel::test;

namespace {

constexpr uid_t nobody = 65534;

class TrustedFileTest : public testing::Test {
protected:
  TrustedFileTest() { writeFile(path, "content"); }

  void expectOpened() const {
    std::string reason;
    const Descriptor file = openTrusted(path, reason);
    ASSERT_TRUE(file) << reason;
    char content[8] = "";
    EXPECT_EQ(read(file.get(), content, sizeof content), 7);
    EXPECT_EQ(std::string(content, 7), "content");
  }

  void expectRefused(const std::string &text) const {
    std::string reason;
    EXPECT_FALSE(openTrusted(path, reason));
    EXPECT_EQ(reason, text);
  }

  TemporaryFolder folder;
  const std::string path = folder / "inner/file";
};

} // namespace

TEST_F(TrustedFileTest, IsOpened) {
  expectOpened();
  const std::string name = path + ".moved";
  std::filesystem::rename(path, name);
  expectRefused(path + ": No such file or directory");
  std::filesystem::create_symlink(name, path);
  expectOpened();
}

TEST_F(TrustedFileTest, IsFoundFromTheFolderOfTheProcess) {
  EXPECT_TRUE(succeeded(start([&] {
    std::string reason;
    if (chdir((folder / "inner").c_str()) != 0 || !openTrusted("file", reason) || !openTrusted("../inner/file", reason))
      return false;
    chmod(".", 0777);
    return !openTrusted("file", reason) && reason == folder / "inner: other users may write in this folder";
  })));
}

TEST_F(TrustedFileTest, IsAFileThatNobodyElseMayWrite) {
  chmod(path.c_str(), 0666);
  expectRefused(path + ": other users may write this file");
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0644), 0);
  expectRefused(path + ": not a file");
}

TEST_F(TrustedFileTest, MayBeItsOwnersGroupsToWrite) {
  const group *own = getgrgid(0);
  if (geteuid() != 0 || !own || own->gr_mem[0])
    GTEST_SKIP() << "only root can give files to other groups, and has one of its own";
  ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  ASSERT_EQ(chmod(path.c_str(), 0664), 0);
  expectOpened();
  for (gid_t other : {nobody, 123456U}) {
    ASSERT_EQ(chown(path.c_str(), 0, other), 0);
    expectRefused(path + ": other users may write this file");
  }
}

TEST_F(TrustedFileTest, IsInFoldersInWhichNobodyElseMayWrite) {
  for (const char *name : {"", "inner"}) {
    const std::string at = name[0] ? folder / name : folder.path;
    chmod(at.c_str(), 0777);
    expectRefused(at + ": other users may write in this folder");
    for (mode_t mode : {01777, 0775, 0755}) {
      chmod(at.c_str(), mode);
      expectOpened();
    }
  }
}

TEST_F(TrustedFileTest, BelongsToTheUserOrToRoot) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  const std::string at = folder / "inner";
  ASSERT_EQ(chown(at.c_str(), nobody, nobody), 0);
  expectRefused(at + ": this folder belongs to another user");
  ASSERT_EQ(chown(at.c_str(), 0, 0), 0);
  EXPECT_TRUE(succeeded(start([&] {
    std::string reason;
    return setgid(nobody) == 0 && setuid(nobody) == 0 && openTrusted(path, reason);
  })));
  ASSERT_EQ(chown(path.c_str(), nobody, nobody), 0);
  expectRefused(path + ": this file belongs to another user");
}
