# Writes OUTPUT: TEXT, and a digest of each of FILES.
set(content "${TEXT}\n")
foreach(file ${FILES})
  file(SHA256 ${file} digest)
  string(APPEND content "${digest}\n")
endforeach()
file(WRITE ${OUTPUT} "${content}")
