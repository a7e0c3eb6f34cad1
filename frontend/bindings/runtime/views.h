/// \file
/// Views of arrays, from the forms in which capture has described them.

#ifndef QUERNEL_BINDINGS_RUNTIME_VIEWS_H
#define QUERNEL_BINDINGS_RUNTIME_VIEWS_H

#include "size_expression.h"

namespace quernel::binding {

class Cursor;

/// One view after the other, as NumPy would make them: the array they give has NumPy's strides, flags and base.
class ViewSteps {
public:
  /// From a list of
  ///   ("slice", offsets, sizes, strides)  one number for each axis;
  ///   ("axes", axes)                      the axes that stay, in order, and -1 for a new one; what is left out has
  ///   size 1;
  ///   ("diagonal", [offset])              of the last two axes, as the last axis;
  ///   ("ravel", [size])                   which is a copy where NumPy's is;
  ///   ("transpose", axes), ("reshape", sizes), ("broadcast_to", sizes), ("real",), ("imag",);
  ///   ("windows", widths, axes)           every run of so many elements along an axis, as new last axes, read-only;
  ///   ("dtype", [number])                 the bytes as another dtype of their size, by NumPy's number of it;
  ///   ("bytes", [number], [old, new])     the bytes of the last axis as elements of a dtype of another size;
  ///   ("strided", [start], sizes, steps)  elements of a row from a start, so many apart along each axis;
  ///   ("contiguous",), ("fortran",)       the array itself where it lies in C or Fortran order, else a copy.
  /// Throws a TypeError or ValueError with what is wrong with it.
  ViewSteps(py::handle forms, const SizeExpression::Resolve &resolve, const std::string &where);

  /// A new reference to an array that NumPy would make of `array`, an ndarray; null with a Python error set, a
  /// SystemError where the view would leave the array. Where `isHeader`, that is one of an array on a device, and so is
  /// what is made.
  PyObject *apply(PyObject *array, const Frame &frame, bool isHeader) const;

private:
  enum class Kind {
    Slice,
    Axes,
    Transpose,
    Reshape,
    Ravel,
    Diagonal,
    Dtype,
    Bytes,
    Strided,
    Contiguous,
    Fortran,
    Broadcast,
    Windows,
    Real,
    Imag
  };
  struct Step {
    Kind kind;
    std::vector<std::vector<SizeExpression>> parts;
  };

  /// False: a Python error is set.
  static bool applyStep(const Step &step, Cursor &cursor, const Frame &frame);

  std::vector<Step> steps;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_VIEWS_H
