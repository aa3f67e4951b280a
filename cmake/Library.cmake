# vitrain_library(<name> [TORCH] SOURCES ... [DEPENDS ...] [PRIVATE ...])
# One static library per folder of lib/, alias vitrain::<name>. DEPENDS are other
# folders: the link graph is the layering, and only what is named can be included.
function(vitrain_library name)
  cmake_parse_arguments(ARG "TORCH" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(vitrain_lib_${name} STATIC ${ARG_SOURCES})
  add_library(vitrain::${name} ALIAS vitrain_lib_${name})
  vitrain_link(vitrain_lib_${name} PUBLIC "${ARG_TORCH}")
  foreach(dep ${ARG_DEPENDS})
    target_link_libraries(vitrain_lib_${name} PUBLIC vitrain::${dep})
  endforeach()
  if(ARG_PRIVATE)
    target_link_libraries(vitrain_lib_${name} PRIVATE ${ARG_PRIVATE})
  endif()
  # A folder sees the headers of the folders it names, and no others.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/${name})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/${name}/${name} SYMBOLIC)
  target_include_directories(vitrain_lib_${name} PUBLIC ${PROJECT_BINARY_DIR}/include/${name})
endfunction()

# What every target of ours links: warnings, fmt in front, torch with its
# precompiled header where asked.
function(vitrain_link target visibility torch)
  target_link_libraries(${target} PRIVATE vitrain_warnings)
  target_link_libraries(${target} ${visibility} vitrain_dep_fmt Threads::Threads)
  if(torch)
    target_link_libraries(${target} ${visibility} vitrain_torch)
    # A tenth of the time to compile: gcc collects no garbage below 2 GiB.
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=2097152>)
    if(VITRAIN_PCH)
      target_precompile_headers(${target} REUSE_FROM vitrain_torch_pch)
    endif()
  endif()
endfunction()

if(VITRAIN_WITH_TORCH AND VITRAIN_PCH)
  file(WRITE ${PROJECT_BINARY_DIR}/torch_pch.cpp "")
  add_library(vitrain_torch_pch STATIC ${PROJECT_BINARY_DIR}/torch_pch.cpp)
  target_link_libraries(vitrain_torch_pch PRIVATE vitrain_warnings vitrain_dep_fmt vitrain_torch Threads::Threads)
  target_precompile_headers(vitrain_torch_pch PRIVATE
    <algorithm> <chrono> <functional> <map> <memory> <optional> <string> <vector>
    <fmt/core.h> <fmt/format.h> <nlohmann/json.hpp> <ATen/ATen.h>)
endif()
