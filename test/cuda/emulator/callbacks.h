// What the compiler calls for each access to memory in a text that it instruments for races, and what stands for the
// functions of memory, whose accesses it leaves out. All of it is hidden in the object, so that it neither meets nor
// needs the thread sanitizer.

extern "C" {
/// Set when the driver has loaded the object.
__attribute__((visibility("default"))) const emulator::Interface *emulator_interface;
/// Shared memory whose size the launch says.
alignas(1024) unsigned char emulator_dynamic[emulator::dynamicBytes];
__attribute__((visibility("default"))) unsigned char *emulator_dynamic_begin = emulator_dynamic;
}

namespace emulator {

EMULATOR_OWN static void access(const void *address, unsigned long size, unsigned kind) {
  if (size != 0)
    emulator_interface->access(address, size, kind, __builtin_return_address(0));
}

} // namespace emulator

#define EMULATOR_CALLBACK extern "C" __attribute__((no_sanitize("thread"), visibility("hidden"), used)) void

#define EMULATOR_ACCESS(NAME, SIZE, KIND)                                                                              \
  EMULATOR_CALLBACK NAME(void *address) {                                                                              \
    emulator_interface->access(address, SIZE, KIND, __builtin_return_address(0));                                      \
  }
#define EMULATOR_SIZE(SIZE)                                                                                            \
  EMULATOR_ACCESS(__tsan_read##SIZE, SIZE, emulator::Read | emulator::Aligned)                                         \
  EMULATOR_ACCESS(__tsan_write##SIZE, SIZE, emulator::Write | emulator::Aligned)                                       \
  EMULATOR_ACCESS(__tsan_volatile_read##SIZE, SIZE, emulator::Read | emulator::Aligned)                                \
  EMULATOR_ACCESS(__tsan_volatile_write##SIZE, SIZE, emulator::Write | emulator::Aligned)                              \
  EMULATOR_ACCESS(__tsan_unaligned_read##SIZE, SIZE, emulator::Read)                                                   \
  EMULATOR_ACCESS(__tsan_unaligned_write##SIZE, SIZE, emulator::Write)                                                 \
  EMULATOR_ACCESS(__tsan_unaligned_volatile_read##SIZE, SIZE, emulator::Read)                                          \
  EMULATOR_ACCESS(__tsan_unaligned_volatile_write##SIZE, SIZE, emulator::Write)

EMULATOR_SIZE(1)
EMULATOR_SIZE(2)
EMULATOR_SIZE(4)
EMULATOR_SIZE(8)
EMULATOR_SIZE(16)

EMULATOR_CALLBACK __tsan_read_range(void *address, unsigned long size) {
  emulator_interface->access(address, size, emulator::Read, __builtin_return_address(0));
}
EMULATOR_CALLBACK __tsan_write_range(void *address, unsigned long size) {
  emulator_interface->access(address, size, emulator::Write, __builtin_return_address(0));
}
EMULATOR_CALLBACK __tsan_init() {}
EMULATOR_CALLBACK __tsan_func_entry(void *) {}
EMULATOR_CALLBACK __tsan_func_exit(void *) {}
EMULATOR_CALLBACK __tsan_vptr_update(void **, void *) {}
EMULATOR_CALLBACK __tsan_vptr_read(void **) {}

namespace emulator {

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
