# Precompiled headers that builds beside each other share with ccache.
include_guard()

if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # A time stamp in the precompiled header would miss ccache after every build of it.
  set(CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH -Xclang -emit-pch -Xclang -fno-pch-timestamp -Xclang -include -Xclang <PCH_HEADER>
    -x c++-header)
  # Clang finds what is precompiled beside the header. ccache would leave a path behind -Xclang as it is.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include <PCH_HEADER>)
endif()

# Clang puts paths into a precompiled header, so that each build has its own. ccache takes a digest beside the header of
# TARGET for what it is: of TEXT, which says the versions of the libraries in it, of the headers' names, and of FILES, those
# of this project that it is made of. The flags and the compiler count anyway.
function(quernel_header_digest target)
  cmake_parse_arguments(ARG "" "TEXT" "FILES" ${ARGN})
  get_target_property(folder ${target} BINARY_DIR)
  get_target_property(headers ${target} PRECOMPILE_HEADERS)
  set(output ${folder}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DTEXT=${ARG_TEXT} ${headers}" "-DFILES=${ARG_FILES}"
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HeaderDigest.cmake
    DEPENDS ${ARG_FILES} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HeaderDigest.cmake
    VERBATIM)
  add_custom_target(${target}Digest DEPENDS ${output})
  add_dependencies(${target} ${target}Digest)
endfunction()
