/// \file
/// The parts of the `_runtime` extension module.

#ifndef QUERNEL_BINDINGS_RUNTIME_BINDINGS_H
#define QUERNEL_BINDINGS_RUNTIME_BINDINGS_H

#include <pybind11/pybind11.h>

namespace quernel::binding {

/// `Program` and `Specialization`.
void bindPrograms(pybind11::module_ &module);

/// `Function`; programs must be bound already.
void bindFunction(pybind11::module_ &module);

/// `HandOver`.
void bindHandOver(pybind11::module_ &module);

/// `FloatLog`.
void bindFloatLog(pybind11::module_ &module);

/// `DiskCache`.
void bindDiskCache(pybind11::module_ &module);

/// How the arrays of a call lie beside one another.
void bindArrangements(pybind11::module_ &module);

/// The devices of the process, and `DeviceBuffer`.
void bindDevices(pybind11::module_ &module);

/// `DeviceStream` and `DeviceEvent`.
void bindDeviceStreams(pybind11::module_ &module);

/// The pool, threads and libraries of the process.
void bindProcess(pybind11::module_ &module);

/// Capsules of DLPack.
void bindDLPack(pybind11::module_ &module);

/// Has programs sort as NumPy does.
void lendSorts();
/// Has programs transform as NumPy does.
void lendTransforms();
/// Has programs draw random numbers as NumPy does.
void lendDistributions();

/// What objects are random streams.
void bindStreams(pybind11::module_ &module);
/// Random streams, for tests.
void bindRandomDraws(pybind11::module_ &module);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_BINDINGS_H
