"""The CMake package of a library: ``find_package(NAME)`` gives the target ``NAME::NAME``."""

from __future__ import annotations

import os
from pathlib import Path

from .interface import Library

_CONFIG = """\
# {name}: NumPy functions as a library, compiled by Quernel.
#   find_package({name} CONFIG REQUIRED)
#   target_link_libraries(program PRIVATE {name}::{name})
get_filename_component(_{name}_library "${{CMAKE_CURRENT_LIST_DIR}}/{library}" ABSOLUTE)
get_filename_component(_{name}_include "${{CMAKE_CURRENT_LIST_DIR}}/{include}" ABSOLUTE)
if(NOT TARGET {name}::{name})
  add_library({name}::{name} {kind} IMPORTED)
  set_target_properties({name}::{name} PROPERTIES
    IMPORTED_LOCATION "${{_{name}_library}}"
    INTERFACE_INCLUDE_DIRECTORIES "${{_{name}_include}}"{needs})
endif()
"""
_OF_STATIC = """
    IMPORTED_LINK_INTERFACE_LANGUAGES CXX
    INTERFACE_LINK_LIBRARIES "{libraries}\""""
_OPENMP = """\
include(CMakeFindDependencyMacro)
find_dependency(OpenMP COMPONENTS CXX)
"""
_VERSION = """\
set(PACKAGE_VERSION 1.0)
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(PACKAGE_VERSION_UNSUITABLE TRUE)
elseif(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"""


def files(
    library: Library, place: Path, include: Path, is_static: bool, companions: list[Path]
) -> dict[Path, str]:
    """The texts by their paths: ``cmake/NAMEConfig.cmake`` beside the library, and its version.

    Parameters
    ----------
    companions : list of Path
        Libraries that lie beside this one, and that it needs.
    """
    folder = place.parent / "cmake"
    needs = ""
    if is_static:
        beside = [f"${{CMAKE_CURRENT_LIST_DIR}}/../{path.name}" for path in companions]
        needs = _OF_STATIC.format(libraries=";".join(["OpenMP::OpenMP_CXX", *beside]))
    config = _CONFIG.format(
        name=library.name,
        kind="STATIC" if is_static else "SHARED",
        library=os.path.relpath(place, folder),
        include=os.path.relpath(include, folder),
        needs=needs,
    )
    return {
        folder / f"{library.name}Config.cmake": (_OPENMP if is_static else "") + config,
        folder / f"{library.name}ConfigVersion.cmake": _VERSION,
    }
