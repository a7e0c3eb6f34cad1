# The Python package, as `build/…/python/quernel`: links to the Python sources, the built modules, the bundled libraries.
# That folder on PYTHONPATH is the package as it will be installed, so editing a .py file needs no build.
include(LLVMVersion)
include(Precompiled)
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module NumPy)
if(NOT DEFINED pybind11_DIR)
  execute_process(COMMAND ${Python_EXECUTABLE} -m pybind11 --cmakedir
    OUTPUT_VARIABLE pybind11_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
find_package(pybind11 3.1 REQUIRED CONFIG)

set(QUERNEL_PYTHON_TREE ${PROJECT_BINARY_DIR}/python/quernel)

# A module of the package, e.g. quernel_add_python_module(_runtime SOURCES … LINK QuernelRuntime).
function(quernel_add_python_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  pybind11_add_module(${name} MODULE NO_EXTRAS ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} Python::NumPy)
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${QUERNEL_PYTHON_TREE}
    INSTALL_RPATH "$ORIGIN/lib;${QUERNEL_LLVM_PREFIX}/lib")
  install(TARGETS ${name} LIBRARY DESTINATION quernel COMPONENT python)
endfunction()

# SLEEF's shared library travels with the package: generated kernels need it, and no user installs it.
function(quernel_bundle_library name)
  cmake_parse_arguments(ARG "" "" "HINTS;LICENSE" ${ARGN})
  string(MAKE_C_IDENTIFIER ${name} id)
  find_library(QUERNEL_${id} NAMES ${name} HINTS ${ARG_HINTS} REQUIRED)
  file(REAL_PATH ${QUERNEL_${id}} file)
  file(MAKE_DIRECTORY ${QUERNEL_PYTHON_TREE}/lib)
  file(CREATE_LINK ${file} ${QUERNEL_PYTHON_TREE}/lib/${name} SYMBOLIC)
  install(FILES ${file} RENAME ${name} DESTINATION quernel/lib COMPONENT python)
  if(EXISTS ${ARG_LICENSE})
    install(FILES ${ARG_LICENSE} RENAME ${name}.txt DESTINATION quernel/lib/licenses COMPONENT python)
  endif()
endfunction()

file(REMOVE ${QUERNEL_PYTHON_TREE}/lib/libomp.so.5) # of builds that still had it
quernel_bundle_library(libsleef.so.3 LICENSE /usr/share/doc/libsleef3/copyright)

# NumPy's functions of math, by names that generated kernels can call (runtime/math).
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  add_library(quernel_math SHARED ${PROJECT_SOURCE_DIR}/runtime/math/Table.cpp)
  target_include_directories(quernel_math PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(quernel_math PRIVATE -march=x86-64-v4 -fvisibility=hidden)
  target_link_libraries(quernel_math PRIVATE ${QUERNEL_libsleef_so_3})
  set_target_properties(quernel_math PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${QUERNEL_PYTHON_TREE}/lib
    BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
  install(TARGETS quernel_math LIBRARY DESTINATION quernel/lib COMPONENT python)
endif()

# What exported libraries are made of beside their programs: texts that the user's C++ compiler reads.
foreach(text runtime/abi.h runtime/Library.def runtime/Processor.h runtime/exported/Arrays.h runtime/exported/Function.h)
  cmake_path(GET text PARENT_PATH folder)
  file(MAKE_DIRECTORY ${QUERNEL_PYTHON_TREE}/include/${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${text} ${QUERNEL_PYTHON_TREE}/include/${text} SYMBOLIC)
  install(FILES ${PROJECT_SOURCE_DIR}/${text} DESTINATION quernel/include/${folder} COMPONENT python)
endforeach()

set_target_properties(quernel_runtime PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${QUERNEL_PYTHON_TREE}/lib/exported)
install(TARGETS quernel_runtime LIBRARY DESTINATION quernel/lib/exported COMPONENT python)

add_custom_target(quernel-python-tree ALL
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/frontend/quernel -DTREE=${QUERNEL_PYTHON_TREE}
          -P ${CMAKE_CURRENT_LIST_DIR}/LinkTree.cmake
  VERBATIM)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/frontend/quernel DESTINATION . COMPONENT python
  PATTERN __pycache__ EXCLUDE PATTERN "*.so" EXCLUDE)
