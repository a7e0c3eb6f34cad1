#include "Module.h"

#include "Settings.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace emulator {

/// The bytes of an object: its table of sections is the last that is in it. 0 where it is none of this machine.
static size_t imageBytes(const void *image) {
  const auto *header = static_cast<const Elf64_Ehdr *>(image);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_type != ET_DYN)
    return 0;
  return header->e_shoff + size_t(header->e_shnum) * header->e_shentsize;
}

std::unique_ptr<Module> Module::load(const void *image, const Interface *interface, std::string &why) {
  std::unique_ptr<Module> module(new Module);
  const bool isPtx = memcmp(image, ptxLine, 2) == 0;
  if (isPtx)
    image = static_cast<const char *>(image) + strlen(ptxLine);
  size_t size = imageBytes(image);
  if (size == 0) {
    why = "the image is none that the emulator's NVRTC has made";
    return nullptr;
  }
  if (!module->open(image, size, why) || !module->connect(interface, isPtx, why))
    return nullptr;
  module->findRanges(static_cast<const char *>(image));
  module->findVariables(static_cast<const char *>(image));
  return module;
}

bool Module::open(const void *image, size_t size, std::string &why) {
  // The file stays open while the object is loaded: the loader takes objects with the same path for the same one.
  file = memfd_create("kernels", MFD_CLOEXEC);
  if (file < 0 || write(file, image, size) != static_cast<ssize_t>(size)) {
    why = "there is no memory for the image";
    return false;
  }
  std::string path = "/proc/self/./fd/" + std::to_string(file); // nobody else spells it so
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    why = dlerror();
  return handle != nullptr;
}

/// "sm_80" runs on devices of its own major capability, "compute_80" on all later ones, as its PTX does.
static bool runs(const char *architecture, bool isPtx) {
  int number = 0;
  bool portable = sscanf(architecture, "compute_%d", &number) == 1;
  if (!portable && sscanf(architecture, "sm_%d", &number) != 1)
    return true;
  int major = settings().major, minor = settings().minor;
  return number <= major * 10 + minor && (portable || isPtx || number / 10 == major);
}

bool Module::connect(const Interface *interface, bool isPtx, std::string &why) {
  auto **slot = static_cast<const Interface **>(dlsym(handle, "emulator_interface"));
  const auto *architecture = static_cast<const char *>(dlsym(handle, "emulator_architecture"));
  kernels = static_cast<const Kernel *>(dlsym(handle, "emulator_kernels"));
  if (!slot || !architecture || !kernels) {
    why = "the image is none that the emulator's NVRTC has made";
    return false;
  }
  if (!runs(architecture, isPtx)) {
    why = std::string("the image is for ") + architecture + ", and the device's capability is " +
          std::to_string(settings().major) + "." + std::to_string(settings().minor);
    return false;
  }
  *slot = interface;
  return true;
}

void Module::findRanges(const char *bytes) {
  link_map *map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  base = map->l_addr;
  const auto *header = reinterpret_cast<const Elf64_Ehdr *>(bytes);
  const auto *segments = reinterpret_cast<const Elf64_Phdr *>(bytes + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i)
    if (segments[i].p_type == PT_GNU_RELRO)
      readable.push_back({base + segments[i].p_vaddr, segments[i].p_memsz});
    else if (segments[i].p_type == PT_LOAD)
      (segments[i].p_flags & PF_W ? writable : readable).push_back({base + segments[i].p_vaddr, segments[i].p_memsz});
  const auto *sections = reinterpret_cast<const Elf64_Shdr *>(bytes + header->e_shoff);
  const char *names = bytes + sections[header->e_shstrndx].sh_offset;
  for (int i = 0; i < header->e_shnum; ++i)
    if (strcmp(names + sections[i].sh_name, "emulator_shared") == 0)
      shared = {base + sections[i].sh_addr, sections[i].sh_size};
  dynamic = {*static_cast<const uintptr_t *>(dlsym(handle, "emulator_dynamic_begin")), dynamicBytes};
  uintptr_t begin = ~uintptr_t(0), end = 0;
  for (const Range &range : writable)
    begin = std::min(begin, range.begin), end = std::max(end, range.begin + range.size);
  begin = begin / 8 * 8;
  space = std::make_unique<Space>(begin, end - begin);
}

static std::string demangled(const char *symbol) {
  int status = 0;
  char *name = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string result = name ? name : symbol;
  free(name);
  return result;
}

void Module::findVariables(const char *bytes) {
  const auto *header = reinterpret_cast<const Elf64_Ehdr *>(bytes);
  const auto *sections = reinterpret_cast<const Elf64_Shdr *>(bytes + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB)
      continue;
    const auto *symbols = reinterpret_cast<const Elf64_Sym *>(bytes + sections[i].sh_offset);
    const char *names = bytes + sections[sections[i].sh_link].sh_offset;
    for (size_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
      Range range = {base + symbols[k].st_value, symbols[k].st_size};
      const char *name = names + symbols[k].st_name;
      auto holds = [&](const Range &other) { return other.holds(range.begin, range.size); };
      if (ELF64_ST_TYPE(symbols[k].st_info) == STT_OBJECT && range.size > 0 && strncmp(name, "emulator_", 9) != 0 &&
          std::any_of(writable.begin(), writable.end(), holds))
        variables.push_back({range, demangled(name), shared.has(range.begin)});
    }
  }
  std::sort(variables.begin(), variables.end(),
            [](const Variable &a, const Variable &b) { return a.range.begin < b.range.begin; });
}

const Variable *Module::variableBefore(uintptr_t address) const {
  auto above = std::upper_bound(variables.begin(), variables.end(), address,
                                [](uintptr_t a, const Variable &variable) { return a < variable.range.begin; });
  return above == variables.begin() ? nullptr : &*std::prev(above);
}

unsigned Module::sharedBytes(const Kernel &kernel) const {
  size_t sum = 0;
  for (const Variable &variable : variables)
    if (variable.isShared && variable.name.rfind(std::string(kernel.name) + "::", 0) == 0)
      sum += variable.range.size;
  return static_cast<unsigned>(sum);
}

Module::~Module() {
  if (handle)
    dlclose(handle);
  if (file >= 0)
    close(file);
}

const Kernel *Module::kernel(const std::string &name) const {
  for (const Kernel *kernel = kernels; kernel->name; ++kernel)
    if (name == kernel->name)
      return kernel;
  return nullptr;
}

Range Module::variable(const std::string &name) const {
  void *address = dlsym(handle, name.c_str());
  Dl_info info;
  Elf64_Sym *symbol = nullptr;
  if (!address || dladdr1(address, &info, reinterpret_cast<void **>(&symbol), RTLD_DL_SYMENT) == 0 || !symbol)
    return {};
  return {reinterpret_cast<uintptr_t>(address), symbol->st_size};
}

std::string Module::line(const void *place) const {
  // What is known is where the call returns to, which may be the next line.
  uintptr_t offset = reinterpret_cast<uintptr_t>(place) - base - 1;
  char command[128], text[512] = "";
  snprintf(command, sizeof(command), "addr2line -e /proc/%d/fd/%d 0x%zx 2>/dev/null", getpid(), file, offset);
  FILE *output = popen(command, "r");
  if (!output)
    return {};
  bool found = fgets(text, sizeof(text), output) != nullptr;
  pclose(output);
  std::string line = found ? text : "";
  line = line.substr(0, line.find_first_of(" \n"));
  line = line.substr(line.rfind('/') + 1);
  return line.empty() || line[0] == '?' ? std::string() : line;
}

} // namespace emulator
