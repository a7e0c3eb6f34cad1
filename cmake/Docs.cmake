# `quernel-docs`: the reference of the dialect and of the passes, from the .td files, into the build folder.
set(QUERNEL_DOCS ${PROJECT_BINARY_DIR}/docs)
add_custom_target(quernel-docs)

function(quernel_add_doc page generator source)
  set(output ${QUERNEL_DOCS}/${page}.md)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${QUERNEL_DOCS}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} ${generator} -I ${LLVM_INCLUDE_DIR} -I ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..
            -I ${PROJECT_SOURCE_DIR}/compiler/Dialect ${PROJECT_SOURCE_DIR}/compiler/${source} -o ${output}
    DEPENDS ${PROJECT_SOURCE_DIR}/compiler/${source}
    VERBATIM)
  add_custom_target(quernel-docs-${page} DEPENDS ${output})
  add_dependencies(quernel-docs quernel-docs-${page})
endfunction()

quernel_add_doc(dialect -gen-dialect-doc Dialect/QuernelOps.td -dialect=quernel)
quernel_add_doc(transforms -gen-pass-doc Transforms/Passes.td)
quernel_add_doc(lowering -gen-pass-doc Lowering/Passes.td)
