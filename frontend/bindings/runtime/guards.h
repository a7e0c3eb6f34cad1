/// \file
/// Guards: what a specialization demands of an object, as a tree that is compiled from nested tuples once.

#ifndef QUERNEL_BINDINGS_RUNTIME_GUARDS_H
#define QUERNEL_BINDINGS_RUNTIME_GUARDS_H

#include "frame.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quernel::binding {

namespace py = pybind11;

/// A condition on an object. A guard that holds has put the inputs below it into the frame.
class Guard {
public:
  virtual ~Guard() = default;

  /// Never leaves a Python error behind; an error while comparing counts as false.
  virtual bool matches(PyObject *object, Frame &frame) const = 0;

  /// Visits the objects that the guard owns, for the garbage collector.
  virtual int traverse(visitproc visit, void *argument) const { return 0; }
};

/// A guard for an array (`isArray`), or for a DeviceArray, whose header is the input: dtype, native byte order,
/// alignment, shape, layout.
class ArrayGuard final : public Guard {
public:
  struct Dim {
    int64_t size;         ///< of a static dimension, or the least one
    int symbol = -1;      ///< the number of its symbol, where it has one
    bool isFirst = false; ///< whether no guard before has bound that
  };

  bool matches(PyObject *object, Frame &frame) const override;

  size_t input = 0;
  int typeNumber = 0;
  int64_t itemBytes = 0;
  std::vector<Dim> shape;
  bool dense = true;            ///< one element follows the other, with the axes in the order of `axes`
  bool nested = false;          ///< or not, but a step along an axis leads over all that the axes behind it reach
  std::vector<uint8_t> axes;    ///< the axes in the order of memory; empty where they are in that order
  std::vector<int64_t> strides; ///< in elements, which an array that isn't dense must have; empty where any do
  bool written = false;
  int askedFlags = 0, flags = 0; ///< those (`flagsOf`) that the array must have just so, by a mask
  size_t strideOffset = 0;       ///< where in `sizes` the strides go
  int device = -1;               ///< the number of the one that it is on; -1 for the host

private:
  bool holds(PyObject *array, Frame &frame) const;
  size_t axisInMemory(size_t place) const { return axes.empty() ? place : axes[place]; }
  bool isDense(PyObject *array) const;
  bool takeStrides(PyObject *array, Frame &frame) const;
};

/// An attribute in an object's dict, or in a slot.
struct GuardedAttribute {
  py::object name;
  py::object slot; ///< the descriptor, where it is one
  std::unique_ptr<Guard> guard;
};

/// An attribute that an object may not have of its own, since that would hide the class's, or be one where there is
/// none.
struct AbsentAttribute {
  py::object name;
  py::object slot;        ///< the descriptor, where it is one
  bool isOfClass = false; ///< whether the class has one; else it may get none
};

/// A guard for an object of exactly this class that has these attributes of its own. Objects of different numbers are
/// different objects.
class ObjectGuard final : public Guard {
public:
  bool matches(PyObject *object, Frame &frame) const override;
  int traverse(visitproc visit, void *argument) const override;

  size_t number = 0;
  py::object type;
  std::vector<AbsentAttribute> absent;
  std::optional<Py_ssize_t> count; ///< how many attributes its dict has, where that counts
  std::vector<GuardedAttribute> attributes;

private:
  bool hasAttributes(PyObject *object, Frame &frame) const;
};

/// A guard for the object, or the function, that has had a number already.
class AgainGuard final : public Guard {
public:
  explicit AgainGuard(size_t number) : number(number) {}

  bool matches(PyObject *object, Frame &frame) const override { return frame.instances[number] == object; }

private:
  size_t number;
};

/// Gives an object a number, the next one. False where it has one already.
bool takeNumber(PyObject *object, size_t number, Frame &frame);

/// A guard for an object of exactly this class, such as a method, that is nothing but these parts, each in a slot.
class PartsGuard final : public Guard {
public:
  PartsGuard(py::object type, std::vector<GuardedAttribute> parts) : type(std::move(type)), parts(std::move(parts)) {}

  bool matches(PyObject *object, Frame &frame) const override;
  int traverse(visitproc visit, void *argument) const override;

private:
  py::object type;
  std::vector<GuardedAttribute> parts;
};

class StreamGuard;

/// What all guards of a specialization have declared.
struct Inputs {
  struct Input {
    bool declared = false;
    ArrayGuard *array = nullptr; ///< null for a scalar
    StreamGuard *stream = nullptr;
  };

  explicit Inputs(size_t symbols) : bound(symbols) {}

  /// Throws a ValueError where `number` is declared already.
  Input &declare(int64_t number, const std::string &where);

  /// Gives the strided arrays their places in `sizes`. Throws a ValueError for a number that's left out, and for a
  /// symbol that no array binds. Returns the length of `sizes`.
  size_t finish();

  std::vector<Input> byNumber;
  size_t instances = 0;    ///< objects of the user's classes, which are numbered by themselves
  std::vector<bool> bound; ///< by symbol
  int device = -1;         ///< the one that arrays are on, where any are
  bool takesSmall = false; ///< whether a symbol may be 0 or 1; one has to be so then
};

/// Compiles a guard. Throws a TypeError or ValueError with what is wrong with it; `where` names it.
std::unique_ptr<Guard> makeGuard(py::handle form, Inputs &inputs, const std::string &where);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_GUARDS_H
