#include "random_states.h"
#include "numpy_api.h"
#include <array>
#include <cstring>
#include <numpy/random/bitgen.h>

namespace py = pybind11;

namespace quernel::binding {

using runtime::StreamKind;

namespace {

constexpr int kinds = runtime::streamKinds;
/// The kinds of bit generators, of which a RandomState has the last.
constexpr int generatorKinds = kinds - 1;
constexpr const char *classNames[generatorKinds] = {"PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937"};

/// The classes of `numpy.random`, once somebody has imported it.
struct Classes {
  PyTypeObject *generator = nullptr, *randomState = nullptr;
  std::array<PyTypeObject *, generatorKinds> bitGenerators = {};

  explicit Classes(py::handle module) {
    const auto type = [&](const char *name) {
      return reinterpret_cast<PyTypeObject *>(py::object(module.attr(name)).release().ptr());
    };
    for (int kind = 0; kind < generatorKinds; ++kind)
      bitGenerators[kind] = type(classNames[kind]);
    randomState = type("RandomState");
    generator = type("Generator");
  }

  /// Null where nobody has imported the module: then there are no objects of it.
  static const Classes *find() {
    static const Classes *known = nullptr;
    if (known) [[likely]]
      return known;
    static PyObject *name = PyUnicode_InternFromString("numpy.random");
    const auto module = py::reinterpret_steal<py::object>(PyImport_GetModule(name));
    try {
      if (module)
        known = new Classes(module);
    } catch (py::error_already_set &) {
      // Still being imported.
    }
    PyErr_Clear();
    return known;
  }
};

/// The state of NumPy's `bitgen_t`, by layouts that NumPy's headers don't tell.
struct Kept {
  int hasHalf;
  uint32_t half;

  uint64_t word() const { return uint64_t(hasHalf) << 32 | half; }
  static Kept of(uint64_t word) { return {int(word >> 32), uint32_t(word)}; }
};
struct PcgState {
  uint64_t *words; // state and increment
  Kept kept;
};
struct PhiloxState {
  uint64_t *counter, *key;
  int taken;
  uint64_t block[4];
  Kept kept;
};
struct SfcState {
  uint64_t words[4];
  Kept kept;
};
struct MersenneState {
  uint32_t keys[624];
  int taken;
};
/// What a RandomState has beside its bit generator.
struct GaussState {
  void *bitGenerator;
  int hasGauss;
  uint64_t gauss;
};

void load(StreamKind kind, const void *state, uint64_t *words) {
  words[0] = uint64_t(kind);
  if (kind <= StreamKind::pcg64dxsm) {
    const auto *from = static_cast<const PcgState *>(state);
    std::memcpy(words + 1, from->words, 4 * sizeof(uint64_t));
    words[5] = from->kept.word();
  } else if (kind == StreamKind::philox) {
    const auto *from = static_cast<const PhiloxState *>(state);
    std::memcpy(words + 1, from->counter, 4 * sizeof(uint64_t));
    std::memcpy(words + 5, from->key, 2 * sizeof(uint64_t));
    std::memcpy(words + 7, from->block, sizeof from->block);
    words[11] = uint64_t(from->taken);
    words[12] = from->kept.word();
  } else if (kind == StreamKind::sfc64) {
    const auto *from = static_cast<const SfcState *>(state);
    std::memcpy(words + 1, from->words, sizeof from->words);
    words[5] = from->kept.word();
  } else {
    const auto *from = static_cast<const MersenneState *>(state);
    std::memcpy(words + 1, from->keys, sizeof from->keys);
    words[313] = uint64_t(from->taken);
  }
}

void save(StreamKind kind, void *state, const uint64_t *words) {
  if (kind <= StreamKind::pcg64dxsm) {
    auto *to = static_cast<PcgState *>(state);
    std::memcpy(to->words, words + 1, 4 * sizeof(uint64_t));
    to->kept = Kept::of(words[5]);
  } else if (kind == StreamKind::philox) {
    auto *to = static_cast<PhiloxState *>(state);
    std::memcpy(to->counter, words + 1, 4 * sizeof(uint64_t));
    std::memcpy(to->key, words + 5, 2 * sizeof(uint64_t));
    std::memcpy(to->block, words + 7, sizeof to->block);
    to->taken = int(words[11]);
    to->kept = Kept::of(words[12]);
  } else if (kind == StreamKind::sfc64) {
    auto *to = static_cast<SfcState *>(state);
    std::memcpy(to->words, words + 1, sizeof to->words);
    to->kept = Kept::of(words[5]);
  } else {
    auto *to = static_cast<MersenneState *>(state);
    std::memcpy(to->keys, words + 1, sizeof to->keys);
    to->taken = int(words[313]);
  }
}

/// An attribute whose owner keeps it: a borrowed reference, or null with a Python error set.
PyObject *borrowedAttribute(PyObject *object, PyObject *name) {
  PyObject *found = PyObject_GetAttr(object, name);
  Py_XDECREF(found);
  return found;
}

bitgen_t *bitgenOf(PyObject *bitGenerator) {
  static PyObject *name = PyUnicode_InternFromString("capsule");
  PyObject *capsule = borrowedAttribute(bitGenerator, name);
  return capsule ? static_cast<bitgen_t *>(PyCapsule_GetPointer(capsule, "BitGenerator")) : nullptr;
}

// Through the public state, a dict.

template <int type, typename T> void loadArray(const py::object &array, T *to, npy_intp count) {
  const auto found =
      py::reinterpret_steal<py::object>(PyArray_FROM_OTF(array.ptr(), type, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
  if (!found)
    throw py::error_already_set();
  auto *numbers = reinterpret_cast<PyArrayObject *>(found.ptr());
  if (PyArray_SIZE(numbers) != count)
    throw py::value_error("a random state of another length");
  std::memcpy(to, PyArray_DATA(numbers), count * sizeof(T));
}

template <int type, typename T> py::object makeArray(const T *from, npy_intp count) {
  auto made = py::reinterpret_steal<py::object>(PyArray_SimpleNew(1, &count, type));
  if (!made)
    throw py::error_already_set();
  std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject *>(made.ptr())), from, count * sizeof(T));
  return made;
}

void loadWide(const py::object &number, uint64_t *to) {
  to[0] = PyLong_AsUnsignedLongLongMask(number.ptr());
  to[1] = PyLong_AsUnsignedLongLongMask((number >> py::int_(64)).ptr());
  if (PyErr_Occurred())
    throw py::error_already_set();
}

py::object makeWide(const uint64_t *from) { return (py::int_(from[1]) << py::int_(64)) | py::int_(from[0]); }

uint64_t keptOf(const py::object &state) {
  return state["has_uint32"].cast<uint64_t>() << 32 | state["uinteger"].cast<uint32_t>();
}

void setKept(const py::object &state, uint64_t word) {
  state["has_uint32"] = word >> 32;
  state["uinteger"] = uint32_t(word);
}

void loadDict(StreamKind kind, const py::object &state, uint64_t *words) {
  const py::object inner = state["state"];
  words[0] = uint64_t(kind);
  if (kind <= StreamKind::pcg64dxsm) {
    loadWide(inner["state"], words + 1);
    loadWide(inner["inc"], words + 3);
    words[5] = keptOf(state);
  } else if (kind == StreamKind::philox) {
    loadArray<NPY_UINT64>(inner["counter"], words + 1, 4);
    loadArray<NPY_UINT64>(inner["key"], words + 5, 2);
    loadArray<NPY_UINT64>(state["buffer"], words + 7, 4);
    words[11] = state["buffer_pos"].cast<uint64_t>();
    words[12] = keptOf(state);
  } else if (kind == StreamKind::sfc64) {
    loadArray<NPY_UINT64>(inner["state"], words + 1, 4);
    words[5] = keptOf(state);
  } else {
    loadArray<NPY_UINT32>(inner["key"], reinterpret_cast<uint32_t *>(words + 1), 624);
    words[313] = inner["pos"].cast<uint64_t>();
  }
  if (kind == StreamKind::legacy) {
    const auto gauss = state["gauss"].cast<double>();
    words[314] = state["has_gauss"].cast<uint64_t>();
    std::memcpy(words + 315, &gauss, sizeof gauss);
  }
}

/// Puts words into a dict that is a state of the same kind.
void saveDict(StreamKind kind, const py::object &state, const uint64_t *words) {
  const py::object inner = state["state"];
  if (kind <= StreamKind::pcg64dxsm) {
    inner["state"] = makeWide(words + 1);
    inner["inc"] = makeWide(words + 3);
    setKept(state, words[5]);
  } else if (kind == StreamKind::philox) {
    inner["counter"] = makeArray<NPY_UINT64>(words + 1, 4);
    inner["key"] = makeArray<NPY_UINT64>(words + 5, 2);
    state["buffer"] = makeArray<NPY_UINT64>(words + 7, 4);
    state["buffer_pos"] = words[11];
    setKept(state, words[12]);
  } else if (kind == StreamKind::sfc64) {
    inner["state"] = makeArray<NPY_UINT64>(words + 1, 4);
    setKept(state, words[5]);
  } else {
    inner["key"] = makeArray<NPY_UINT32>(reinterpret_cast<const uint32_t *>(words + 1), 624);
    inner["pos"] = words[313];
  }
  if (kind == StreamKind::legacy) {
    double gauss;
    std::memcpy(&gauss, words + 315, sizeof gauss);
    state["has_gauss"] = words[314];
    state["gauss"] = gauss;
  }
}

py::object dictOf(const RandomStream &stream) {
  if (stream.randomState)
    return py::handle(stream.randomState).attr("get_state")(py::arg("legacy") = false);
  return py::handle(stream.bitGenerator).attr("state");
}

void readDict(const RandomStream &stream, uint64_t *words) { loadDict(stream.kind, dictOf(stream), words); }

void writeDict(const RandomStream &stream, const uint64_t *words) {
  const py::object state = dictOf(stream);
  saveDict(stream.kind, state, words);
  if (stream.randomState)
    py::handle(stream.randomState).attr("set_state")(state);
  else
    py::handle(stream.bitGenerator).attr("state") = state;
}

// As NumPy's objects lie in memory.

/// Where a RandomState has its GaussState; 0 until that is known.
Py_ssize_t gaussOffset = 0;

GaussState *gaussOf(PyObject *randomState) {
  return reinterpret_cast<GaussState *>(reinterpret_cast<char *>(randomState) + gaussOffset);
}

bool readMemory(const RandomStream &stream, uint64_t *words) {
  const bitgen_t *bitgen = bitgenOf(stream.bitGenerator);
  if (!bitgen)
    return false;
  load(stream.kind, bitgen->state, words);
  if (stream.randomState) {
    const GaussState *gauss = gaussOf(stream.randomState);
    words[314] = uint64_t(gauss->hasGauss);
    words[315] = gauss->gauss;
  }
  return true;
}

bool writeMemory(const RandomStream &stream, const uint64_t *words) {
  const bitgen_t *bitgen = bitgenOf(stream.bitGenerator);
  if (!bitgen)
    return false;
  save(stream.kind, bitgen->state, words);
  if (stream.randomState) {
    GaussState *gauss = gaussOf(stream.randomState);
    gauss->hasGauss = int(words[314]);
    gauss->gauss = words[315];
  }
  return true;
}

/// Finds what refers to the copy of the bit generator's functions that a RandomState has inside of it.
bool findGauss(const RandomStream &stream) {
  const bitgen_t *bitgen = bitgenOf(stream.bitGenerator);
  auto *const begin = reinterpret_cast<char *>(stream.randomState), *const end = begin + Py_TYPE(begin)->tp_basicsize;
  for (char *at = begin + sizeof(PyObject); bitgen && at + sizeof(GaussState) <= end; at += sizeof(void *)) {
    char *to = reinterpret_cast<char *>(reinterpret_cast<GaussState *>(at)->bitGenerator);
    if (to >= begin && to + sizeof(bitgen_t) <= end && std::memcmp(to, bitgen, sizeof(bitgen_t)) == 0) {
      gaussOffset = at - begin;
      return true;
    }
  }
  return false;
}

/// A state of a kind that no other numbers are likely to be.
void fillWithPattern(StreamKind kind, uint64_t seed, uint64_t *words) {
  const int64_t count = runtime::streamWords(kind);
  for (int64_t k = 1; k < count; ++k)
    words[k] = (seed + uint64_t(k)) * 0x9E3779B97F4A7C15u;
  words[0] = uint64_t(kind);
  if (kind == StreamKind::philox)
    words[11] = seed % 4;
  if (kind < StreamKind::mt19937) {
    words[count - 1] = uint64_t(1) << 32 | uint32_t(words[count - 1]);
    return;
  }
  words[313] = seed % 624;
  if (kind == StreamKind::legacy) {
    const double gauss = double(seed) + 0.5;
    words[314] = 1;
    std::memcpy(words + 315, &gauss, sizeof gauss);
  }
}

/// Whether a fresh object's memory and its public state say the same, whichever of them is changed.
bool isAsKnown(const RandomStream &stream) {
  const size_t bytes = size_t(stream.words()) * sizeof(uint64_t);
  std::array<uint64_t, runtime::mostStreamWords> put = {}, found = {};
  if (stream.randomState && !findGauss(stream))
    return false;
  for (uint64_t seed : {3u, 6u}) {
    fillWithPattern(stream.kind, seed, put.data());
    writeDict(stream, put.data());
    if (!readMemory(stream, found.data()) || std::memcmp(put.data(), found.data(), bytes) != 0)
      return false;
    fillWithPattern(stream.kind, seed + 100, put.data());
    writeMemory(stream, put.data());
    readDict(stream, found.data());
    if (std::memcmp(put.data(), found.data(), bytes) != 0)
      return false;
  }
  return true;
}

/// Whether the objects of a kind lie in memory as known.
bool hasKnownMemory(StreamKind kind) {
  enum class Answer : char { none, no, yes };
  static std::array<Answer, kinds> answers = {};
  Answer &answer = answers[int(kind)];
  if (answer != Answer::none) [[likely]]
    return answer == Answer::yes;
  answer = Answer::no;
  try {
    const py::module_ module = py::module_::import("numpy.random");
    const bool isLegacy = kind == StreamKind::legacy;
    const py::object generator = module.attr(classNames[isLegacy ? int(StreamKind::mt19937) : int(kind)])(0);
    const py::object owner = module.attr(isLegacy ? "RandomState" : "Generator")(generator);
    const std::optional<RandomStream> stream = randomStreamOf(owner.ptr());
    if (stream && isAsKnown(*stream))
      answer = Answer::yes;
  } catch (py::error_already_set &) {
    // Through the attribute, then.
  } catch (std::exception &) {
  }
  PyErr_Clear();
  return answer == Answer::yes;
}

/// Runs what may throw Python's errors or pybind11's; false with a Python error set where it did.
template <typename Body> bool withoutExceptions(Body body) {
  try {
    body();
    return true;
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (std::exception &error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  }
  return false;
}

} // namespace

std::optional<RandomStream> randomStreamOf(PyObject *object) {
  const Classes *classes = Classes::find();
  if (!classes)
    return std::nullopt;
  const PyTypeObject *type = Py_TYPE(object);
  const bool isGenerator = type == classes->generator;
  if (!isGenerator && type != classes->randomState)
    return std::nullopt;
  static PyObject *name = PyUnicode_InternFromString("_bit_generator");
  PyObject *bitGenerator = borrowedAttribute(object, name);
  if (!bitGenerator) {
    PyErr_Clear();
    return std::nullopt;
  }
  for (int kind = 0; kind < generatorKinds; ++kind) {
    if (Py_TYPE(bitGenerator) != classes->bitGenerators[kind])
      continue;
    if (isGenerator)
      return RandomStream{bitGenerator, nullptr, StreamKind(kind)};
    if (StreamKind(kind) == StreamKind::mt19937)
      return RandomStream{bitGenerator, object, StreamKind::legacy};
  }
  return std::nullopt;
}

PyObject *globalRandomState() {
  static PyObject *name = PyUnicode_InternFromString("_rand");
  PyObject *module = PyImport_ImportModule("numpy.random.mtrand");
  PyObject *found = module ? borrowedAttribute(module, name) : nullptr;
  Py_XDECREF(module);
  return found;
}

bool readState(const RandomStream &stream, uint64_t *words) {
  if (hasKnownMemory(stream.kind)) [[likely]]
    return readMemory(stream, words);
  return withoutExceptions([&] { readDict(stream, words); });
}

bool writeState(const RandomStream &stream, const uint64_t *words) {
  if (hasKnownMemory(stream.kind)) [[likely]]
    return writeMemory(stream, words);
  return withoutExceptions([&] { writeDict(stream, words); });
}

RandomLock::RandomLock(const RandomStream &stream) {
  static PyObject *name = PyUnicode_InternFromString("lock"), *acquire = PyUnicode_InternFromString("acquire");
  lock = PyObject_GetAttr(stream.bitGenerator, name);
  if (!lock)
    return;
  PyObject *answer = PyObject_CallMethodNoArgs(lock, acquire);
  if (!answer)
    Py_CLEAR(lock);
  Py_XDECREF(answer);
}

RandomLock::~RandomLock() {
  if (!lock)
    return;
  static PyObject *release = PyUnicode_InternFromString("release");
  const py::error_scope pending;
  Py_XDECREF(PyObject_CallMethodNoArgs(lock, release));
  Py_DECREF(lock);
}

} // namespace quernel::binding
