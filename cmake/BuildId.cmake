# Writes OUTPUT, a Python module that says which build this is: a digest of FILES, those of the compiler, of the
# libraries that programs are linked to, and of the Python sources. Programs on disk are of one build.
set(digests "")
foreach(file ${FILES})
  file(SHA256 ${file} digest)
  string(APPEND digests ${digest})
endforeach()
string(SHA256 build "${digests}")
string(SUBSTRING ${build} 0 32 build)
file(WRITE ${OUTPUT} "\"\"\"Which build of Quernel this is, as CMake has found out.\"\"\"\n\nBUILD = \"${build}\"\n")
