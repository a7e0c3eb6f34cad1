// What the compiler calls for each access to memory in a text that it instruments for races, and the variables of an
// object that the driver finds. It is compiled once and linked to each text's object. All but these variables is
// hidden in the object, so that it neither meets nor needs the thread sanitizer.
#include "Interface.h"

extern "C" {
__attribute__((visibility("default"))) const emulator::Interface *emulator_interface;
alignas(1024) unsigned char emulator_dynamic[emulator::dynamicBytes];
__attribute__((visibility("default"))) unsigned char *emulator_dynamic_begin = emulator_dynamic;
}

#define EMULATOR_CALLBACK extern "C" __attribute__((visibility("hidden"))) void

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
