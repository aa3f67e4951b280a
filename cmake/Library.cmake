# vitrain_library(<name> [TORCH] [HOT] [DEPENDS ...] [PRIVATE ...])
# One library per folder of lib/ (static, or of headers alone), alias vitrain::<name>, of every source
# in it and in its sub-folders. DEPENDS are other folders: the link graph is the layering, and only
# what is named can be included. One without TORCH cannot name one with it, so that none is in what
# it links at all.
function(vitrain_library name)
  cmake_parse_arguments(ARG "TORCH" "" "DEPENDS;PRIVATE" ${ARGN})
  set(include ${PROJECT_BINARY_DIR}/include/${name})
  set(folder ${PROJECT_SOURCE_DIR}/lib/${name})
  # A folder sees the headers of the folders it names, and no others.
  file(MAKE_DIRECTORY ${include})
  file(CREATE_LINK ${folder} ${include}/${name} SYMBOLIC)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${folder}/*.h ${folder}/*.inc)
  vitrain_check_includes(${name} "${ARG_DEPENDS}" ${sources} ${headers})
  # For vitrain-config.cmake.
  set_property(GLOBAL APPEND_STRING PROPERTY VITRAIN_INSTALLED
    "vitrain_installed_library(${name} \"${ARG_DEPENDS}\" \"${ARG_PRIVATE}\" \"${ARG_TORCH}\")\n")
  if(NOT sources)
    add_library(vitrain_lib_${name} INTERFACE)
    add_library(vitrain::${name} ALIAS vitrain_lib_${name})
    target_include_directories(vitrain_lib_${name} INTERFACE ${include})
    foreach(dep ${ARG_DEPENDS})
      target_link_libraries(vitrain_lib_${name} INTERFACE vitrain::${dep})
    endforeach()
    return()
  endif()
  add_library(vitrain_lib_${name} STATIC ${sources})
  add_library(vitrain::${name} ALIAS vitrain_lib_${name})
  vitrain_unity(vitrain_lib_${name})
  if(VITRAIN_SANITIZE AND NOT VITRAIN_FUZZERS AND NOT ARG_TORCH AND NOT ARG_HOT)
    target_compile_options(vitrain_lib_${name} PRIVATE -O0)
  endif()
  set(precompiled "")
  if(ARG_TORCH)
    set(precompiled vitrain_torch_pch)
  endif()
  vitrain_link(vitrain_lib_${name} PUBLIC "${ARG_TORCH}" "${precompiled}")
  set_target_properties(vitrain_lib_${name} PROPERTIES VITRAIN_TORCH "${ARG_TORCH}")
  foreach(dep ${ARG_DEPENDS})
    get_target_property(torch vitrain_lib_${dep} VITRAIN_TORCH)
    if(torch AND NOT ARG_TORCH)
      message(FATAL_ERROR "lib/${name} is without torch, and lib/${dep}, which it DEPENDS on, links it")
    endif()
    target_link_libraries(vitrain_lib_${name} PUBLIC vitrain::${dep})
  endforeach()
  if(ARG_PRIVATE)
    target_link_libraries(vitrain_lib_${name} PRIVATE ${ARG_PRIVATE})
  endif()
  target_include_directories(vitrain_lib_${name} PUBLIC ${include})
endfunction()

# vitrain_check_includes(<name> <folders> <files>...)
# Fails for a file of lib/<name> that includes a folder which is not named (what a named one links can
# be found by the compiler as well), and for a folder that is named in vain.
function(vitrain_check_includes name folders)
  set(unused ${folders})
  foreach(file ${ARGN})
    file(STRINGS ${file} lines REGEX "^#include \"[a-z_]+/")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \"([a-z_]+)/.*" "\\1" folder "${line}")
      if(NOT folder STREQUAL name AND NOT folder IN_LIST folders)
        message(FATAL_ERROR "${file} has ${line}, and the DEPENDS of ${name} in lib/ do not name ${folder}")
      endif()
      list(REMOVE_ITEM unused ${folder})
    endforeach()
  endforeach()
  if(unused)
    message(FATAL_ERROR "lib/${name} includes nothing of ${unused}, which its DEPENDS names")
  endif()
endfunction()

# vitrain_unity(<target>)
# Compiles a target's files in groups of six (of eight in engine), which halves the
# time: most of it goes to the headers of torch, GoogleTest, fmt and the standard
# library. Names in anonymous namespaces must therefore be unique in a folder.
# With VITRAIN_UNITY=OFF (the presets dev and ci) each file is compiled by itself.
function(vitrain_unity target)
  set(size 6)
  if(target STREQUAL "vitrain_lib_engine")
    set(size 8)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${VITRAIN_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# vitrain_precompile(<name> [TORCH] HEADERS ... [LINK ...] [OPTIONS ...])
# A precompiled header that targets with the same options share. Torch's takes
# 20 s and 0.4 GB: one for the program, one for its tests.
function(vitrain_precompile name)
  cmake_parse_arguments(ARG "TORCH" "" "HEADERS;LINK;OPTIONS" ${ARGN})
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.cpp "")
  add_library(${name} STATIC ${PROJECT_BINARY_DIR}/${name}.cpp)
  vitrain_link(${name} PRIVATE "${ARG_TORCH}" "")
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE
    <algorithm> <chrono> <filesystem> <functional> <map> <memory> <optional>
    <string> <vector> <fmt/format.h> <nlohmann/json.hpp> ${ARG_HEADERS})
endfunction()

# What every target of ours links: warnings, fmt in front, torch where asked. Then
# it uses the precompiled header `precompiled`, unless that is empty.
function(vitrain_link target visibility torch precompiled)
  target_link_libraries(${target} PRIVATE vitrain_warnings)
  target_link_libraries(${target} ${visibility} vitrain_dep_fmt Threads::Threads)
  if(torch)
    target_link_libraries(${target} ${visibility} vitrain_libtorch)
    # A tenth of the time to compile: gcc collects no garbage below 2 GiB.
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=2097152>)
  endif()
  if(VITRAIN_PCH AND precompiled)
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
  endif()
endfunction()

if(VITRAIN_WITH_TORCH AND VITRAIN_PCH)
  vitrain_precompile(vitrain_torch_pch TORCH HEADERS <ATen/ATen.h>)
endif()
