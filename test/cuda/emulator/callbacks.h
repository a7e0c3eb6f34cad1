// What a text knows of the object that is linked to it, and what stands for the functions of memory, whose accesses the
// compiler leaves out where it instruments for races.

extern "C" {
/// Set when the driver has loaded the object.
extern const emulator::Interface *emulator_interface;
/// Shared memory whose size the launch says.
extern unsigned char emulator_dynamic[];
}

namespace emulator {

EMULATOR_OWN static void access(const void *address, unsigned long size, unsigned kind) {
  if (size != 0)
    emulator_interface->access(address, size, kind, __builtin_return_address(0));
}

EMULATOR_OWN static void *copy(void *to, const void *from, unsigned long size) {
  if (size != 0) {
    emulator_interface->access(from, size, Read, __builtin_return_address(0));
    emulator_interface->access(to, size, Write, __builtin_return_address(0));
  }
  return __builtin_memmove(to, from, size);
}

EMULATOR_OWN static void *fill(void *to, int value, unsigned long size) {
  if (size != 0)
    emulator_interface->access(to, size, Write, __builtin_return_address(0));
  return __builtin_memset(to, value, size);
}

} // namespace emulator

#define memcpy emulator::copy
#define memmove emulator::copy
#define memset emulator::fill
