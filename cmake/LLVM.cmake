# The one place that pins LLVM. Sets up MLIR, Clang and LLD of that version for everything in compiler/.
set(QUERNEL_LLVM_VERSION 22)
set(QUERNEL_LLVM_PREFIX /usr/lib/llvm-${QUERNEL_LLVM_VERSION} CACHE PATH "Where LLVM, MLIR, Clang and LLD are installed")

find_package(MLIR REQUIRED CONFIG PATHS ${QUERNEL_LLVM_PREFIX}/lib/cmake/mlir NO_DEFAULT_PATH)
find_package(Clang REQUIRED CONFIG PATHS ${QUERNEL_LLVM_PREFIX}/lib/cmake/clang NO_DEFAULT_PATH)
find_package(LLD REQUIRED CONFIG PATHS ${QUERNEL_LLVM_PREFIX}/lib/cmake/lld NO_DEFAULT_PATH)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(QUERNEL_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# A library of compiler/: LLVM's flags, no RTTI, no exceptions, the shared precompiled header.
function(quernel_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  quernel_llvm_flags(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

function(quernel_llvm_flags target)
  target_compile_definitions(${target} PRIVATE ${QUERNEL_LLVM_DEFINITIONS})
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions>)
endfunction()
