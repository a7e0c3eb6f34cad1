// Atomic functions. Only one thread runs at a time, so that each is an access that is checked, and then plain code.

#define EMULATOR_ATOMIC(NAME, TYPE, AFTER)                                                                             \
  EMULATOR_OWN inline TYPE NAME(TYPE *address, TYPE value) {                                                           \
    emulator_interface->access(address, sizeof(TYPE), emulator::Atomic | emulator::Aligned,                            \
                               __builtin_return_address(0));                                                           \
    TYPE before = *address;                                                                                            \
    *address = AFTER;                                                                                                  \
    return before;                                                                                                     \
  }
#define EMULATOR_ATOMIC_INTEGERS(NAME, AFTER)                                                                          \
  EMULATOR_ATOMIC(NAME, int, AFTER)                                                                                    \
  EMULATOR_ATOMIC(NAME, unsigned, AFTER)                                                                               \
  EMULATOR_ATOMIC(NAME, unsigned long long, AFTER)

EMULATOR_ATOMIC(atomicAdd, int, (int)((unsigned)before + (unsigned)value))
EMULATOR_ATOMIC(atomicAdd, unsigned, before + value)
EMULATOR_ATOMIC(atomicAdd, unsigned long long, before + value)
EMULATOR_ATOMIC(atomicAdd, float, before + value)
EMULATOR_ATOMIC(atomicAdd, double, before + value)
EMULATOR_ATOMIC(atomicSub, int, (int)((unsigned)before - (unsigned)value))
EMULATOR_ATOMIC(atomicSub, unsigned, before - value)
EMULATOR_ATOMIC_INTEGERS(atomicExch, value)
EMULATOR_ATOMIC(atomicExch, float, value)
EMULATOR_ATOMIC_INTEGERS(atomicMin, value < before ? value : before)
EMULATOR_ATOMIC(atomicMin, long long, value < before ? value : before)
EMULATOR_ATOMIC_INTEGERS(atomicMax, value > before ? value : before)
EMULATOR_ATOMIC(atomicMax, long long, value > before ? value : before)
EMULATOR_ATOMIC_INTEGERS(atomicAnd, before &value)
EMULATOR_ATOMIC_INTEGERS(atomicOr, before | value)
EMULATOR_ATOMIC_INTEGERS(atomicXor, before ^ value)
EMULATOR_ATOMIC(atomicInc, unsigned, before >= value ? 0 : before + 1)
EMULATOR_ATOMIC(atomicDec, unsigned, before == 0 || before > value ? value : before - 1)

#define EMULATOR_CAS(TYPE)                                                                                             \
  EMULATOR_OWN inline TYPE atomicCAS(TYPE *address, TYPE expected, TYPE value) {                                       \
    emulator_interface->access(address, sizeof(TYPE), emulator::Atomic | emulator::Aligned,                            \
                               __builtin_return_address(0));                                                           \
    TYPE before = *address;                                                                                            \
    if (before == expected)                                                                                            \
      *address = value;                                                                                                \
    return before;                                                                                                     \
  }
EMULATOR_CAS(unsigned short)
EMULATOR_CAS(int)
EMULATOR_CAS(unsigned)
EMULATOR_CAS(unsigned long long)
