// Files of programs, in the cache on disk and elsewhere: written whole or not at all, read only where nobody else could
// have written them.
#ifndef QUERNEL_RUNTIME_CACHEFILES_H
#define QUERNEL_RUNTIME_CACHEFILES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace quernel::runtime {

/// XXH3-128 in 32 hexadecimal digits.
std::string digest(std::string_view bytes);

/// A file descriptor that closes itself; false where there is none.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  ~Descriptor();
  Descriptor(Descriptor &&other) noexcept : number(other.number) { other.number = -1; }
  Descriptor &operator=(Descriptor &&) = delete;

  explicit operator bool() const { return number >= 0; }
  int get() const { return number; }
  /// Hands it over to somebody who closes it.
  int release() { return std::exchange(number, -1); }

private:
  int number;
};

/// Opens a folder whose files can be trusted: its owner is the user or root, and no one else may write in it.
/// @param strict  false lets others write too if the folder is sticky, like /tmp, or belongs to a group
/// @return nothing, and the cause in `reason`, where it can't be opened or trusted
Descriptor openFolder(const std::string &path, bool strict, std::string &reason);

/// Whether nobody but the user and root can put something else at a path: of each folder that leads there, those that
/// links are in and lead through included, and of each link, the owner is one of them; and others may write in such a
/// folder only if it is sticky, or belongs to a group.
bool isWayTrusted(const std::string &path, std::string &reason);

/// Opens a regular file of the user's, or of root's, that only they may write, at a path that `isWayTrusted`. It may be
/// a link, and a group that is its owner's alone may write it, too.
/// @return nothing, and the cause in `reason`, which begins with the name of what is at fault
Descriptor openTrusted(const std::string &path, std::string &reason);

/// The content of such a file in a folder that `openFolder` has opened. Links aren't followed, and no group may write
/// it.
bool readTrusted(int folder, const std::string &name, std::string &content, std::string &reason);

/// Puts a file in place: written under a temporary name beside it that nobody can foresee, brought to the disk if
/// `isLasting`, then renamed. Leaves nothing behind where it fails.
bool writeWhole(int folder, const std::string &name, std::string_view content, bool isLasting, std::string &reason);

/// Makes a folder and those above it; true where it is there afterwards.
bool makeFolders(const std::string &path, std::string &reason);

/// "No space left on device", and the like.
std::string errorText(int error);

} // namespace quernel::runtime

#endif
