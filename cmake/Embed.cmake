# cmake -DOUTPUT=FILE.cpp -DHEADER=NAME.h -DNAMESPACE=NAME -DFILES=name=path,name=path -P Embed.cmake
# Writes a source file with the bytes of each file as `std::string_view NAMESPACE::name()`, which
# HEADER declares.
set(text "#include \"${HEADER}\"\n")
string(REPLACE "," ";" files "${FILES}")
string(REPEAT "0x..," 20 line)
foreach(file ${files})
  string(REGEX MATCH "^([a-z_]+)=(.+)$" parts "${file}")
  set(name ${CMAKE_MATCH_1})
  file(READ ${CMAKE_MATCH_2} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}") # so that an editor can open it
  string(APPEND text
    "\nstd::string_view ${NAMESPACE}::${name}() {\n"
    "  static const unsigned char bytes[] = {\n${bytes}0};\n"
    "  return {reinterpret_cast<const char*>(bytes), sizeof(bytes) - 1};\n}\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
