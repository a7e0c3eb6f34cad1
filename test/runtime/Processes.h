// Tests that need another process: another user, a limit, a fork among threads.
#ifndef QUERNEL_TEST_RUNTIME_PROCESSES_H
#define QUERNEL_TEST_RUNTIME_PROCESSES_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace quernel::test {

/// Starts a process that exits with 0 if `body` returns true.
template <typename Body> pid_t start(Body body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body() ? 0 : 1);
  return child;
}

/// Whether a process ended by itself, and well.
inline bool succeeded(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A folder that goes with the test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "quernel-XXXXXX").string();
    path = mkdtemp(name.data());
    // Other users of the tests must reach what is inside.
    std::filesystem::permissions(path, std::filesystem::perms(0755));
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string operator/(const std::string &name) const { return path + "/" + name; }

  std::string path;
};

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void writeFile(const std::string &path, const std::string &content) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

} // namespace quernel::test

#endif
