# QuernelStaticLLVM: every archive of LLVM, MLIR, Clang and LLD's ELF driver. LLD takes from them what is used.
file(GLOB archives ${QUERNEL_LLVM_PREFIX}/lib/libMLIR*.a ${QUERNEL_LLVM_PREFIX}/lib/libclang*.a ${QUERNEL_LLVM_PREFIX}/lib/libLLVM*.a)
list(FILTER archives EXCLUDE REGEX "/libMLIRCAPI")

# LLD initialises every back end and Clang registers Polly. Empty definitions keep all but the host's out: 94 MB, not 156.
set(QUERNEL_OTHER_TARGETS "")
foreach(target ${LLVM_TARGETS_TO_BUILD})
  if(NOT target STREQUAL LLVM_NATIVE_ARCH)
    foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser)
      string(APPEND QUERNEL_OTHER_TARGETS "extern \"C\" void LLVMInitialize${target}${part}() {}\n")
    endforeach()
  endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/StaticLLVM.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/StaticLLVM.cpp @ONLY)
add_library(QuernelStaticLLVMParts OBJECT ${CMAKE_CURRENT_BINARY_DIR}/StaticLLVM.cpp)
target_compile_definitions(QuernelStaticLLVMParts PRIVATE ${QUERNEL_LLVM_DEFINITIONS})
target_compile_options(QuernelStaticLLVMParts PRIVATE -fno-rtti -fno-exceptions)

add_library(QuernelStaticLLVM INTERFACE)
target_link_libraries(QuernelStaticLLVM INTERFACE
  $<TARGET_OBJECTS:QuernelStaticLLVMParts>
  ${QUERNEL_LLVM_PREFIX}/lib/liblldELF.a ${QUERNEL_LLVM_PREFIX}/lib/liblldCommon.a ${archives}
  ZLIB::ZLIB zstd::libzstd_shared)
target_link_options(QuernelStaticLLVM INTERFACE
  -fuse-ld=lld "LINKER:--gc-sections,--exclude-libs,ALL,-Bsymbolic,-z,pack-relative-relocs"
  $<$<CONFIG:Release>:LINKER:--strip-all>)
