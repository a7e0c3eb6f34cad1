// The libraries that are loaded into the process.
#ifndef QUERNEL_RUNTIME_LOADEDLIBRARIES_H
#define QUERNEL_RUNTIME_LOADEDLIBRARIES_H

#include <string>
#include <vector>

namespace quernel::runtime {

/// Their paths, in the order in which they were loaded.
std::vector<std::string> loadedLibraries();

/// The first path that contains a text; empty where none does.
std::string loadedLibrary(const std::string &part);

} // namespace quernel::runtime

#endif
