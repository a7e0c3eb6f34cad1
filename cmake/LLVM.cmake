# Sets up MLIR, Clang and LLD of the pinned version for everything in compiler/.
include(LLVMVersion)
include(Precompiled)

find_package(MLIR REQUIRED CONFIG PATHS ${QUERNEL_LLVM_PREFIX}/lib/cmake/mlir NO_DEFAULT_PATH)
find_package(Clang REQUIRED CONFIG PATHS ${QUERNEL_LLVM_PREFIX}/lib/cmake/clang NO_DEFAULT_PATH)
find_package(LLD REQUIRED CONFIG PATHS ${QUERNEL_LLVM_PREFIX}/lib/cmake/lld NO_DEFAULT_PATH)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Set on the folder, since mlir_tablegen looks for its include paths there.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
separate_arguments(QUERNEL_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# The static archives link in a second with LLD 22, and loading the result takes 4 ms where the shared libraries take 30.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  set(static_by_default ON)
endif()
option(QUERNEL_LLVM_STATIC "Link LLVM, MLIR, Clang and LLD statically (needs Clang and LLD ${QUERNEL_LLVM_VERSION})" ${static_by_default})
if(QUERNEL_LLVM_STATIC)
  include(StaticLLVM)
endif()

# A library of compiler/. LINK names our own libraries, and LLVM's where they are linked shared.
function(quernel_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  quernel_llvm_flags(${name})
  if(QUERNEL_LLVM_STATIC)
    list(REMOVE_ITEM ARG_LINK MLIR LLVM clang-cpp lldELF lldCommon)
    list(APPEND ARG_LINK QuernelStaticLLVM)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# LLVM's flags, no RTTI, no exceptions, the shared precompiled header.
function(quernel_llvm_flags target)
  target_compile_definitions(${target} PRIVATE ${QUERNEL_LLVM_DEFINITIONS})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions>)
  if(NOT target STREQUAL QuernelPrecompiled)
    target_precompile_headers(${target} REUSE_FROM QuernelPrecompiled)
  endif()
  # A precompiled header serves either -fPIC or -fPIE, so programs are compiled as libraries are.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
endfunction()

# MLIR's headers take ten seconds to parse, and those that TableGen makes of our operations three; precompiled, both take a
# tenth of one to load.
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp CONTENT "")
add_library(QuernelPrecompiled OBJECT ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
quernel_llvm_flags(QuernelPrecompiled)
add_dependencies(QuernelPrecompiled QuernelDialectIncGen)
target_precompile_headers(QuernelPrecompiled PRIVATE
  <mlir/Dialect/Affine/IR/AffineOps.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Bufferization/IR/Bufferization.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/Builders.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/IRMapping.h>
  <mlir/IR/Matchers.h>
  <mlir/IR/OpImplementation.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Pass/Pass.h>
  <mlir/Pass/PassManager.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>
  <compiler/Dialect/Quernel.h>)
file(GLOB dialect CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/compiler/Dialect/*.h ${PROJECT_SOURCE_DIR}/compiler/Dialect/*.td)
quernel_header_digest(QuernelPrecompiled TEXT ${LLVM_PACKAGE_VERSION} FILES ${dialect})
