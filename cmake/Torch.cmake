# Imported targets of the torch 2.11 wheel; an installed vitrain-config.cmake
# includes this file too. find_package(Torch) cannot be used:
# with CUDA 13 under CMake 3.25 it asks for a CUDA dialect before the language
# is enabled, and it would pull libtorch_cuda into the executable.
set(VITRAIN_TORCH_VERSION_FILE ${VITRAIN_TORCH}/include/torch/headeronly/version.h)
if(NOT VITRAIN_TORCH OR NOT EXISTS ${VITRAIN_TORCH_VERSION_FILE})
  message(FATAL_ERROR "VITRAIN_TORCH='${VITRAIN_TORCH}' is not a torch folder: run tools/setup.sh, "
    "or set it to .../site-packages/torch of torch 2.11")
endif()
file(READ ${VITRAIN_TORCH_VERSION_FILE} VITRAIN_TORCH_VERSION_TEXT)
foreach(part MAJOR MINOR PATCH)
  string(REGEX MATCH "TORCH_VERSION_${part} ([0-9]+)" _ "${VITRAIN_TORCH_VERSION_TEXT}")
  list(APPEND VITRAIN_TORCH_VERSION ${CMAKE_MATCH_1})
endforeach()
list(JOIN VITRAIN_TORCH_VERSION "." VITRAIN_TORCH_VERSION)
if(NOT VITRAIN_TORCH_VERSION VERSION_GREATER_EQUAL 2.11.0 OR NOT VITRAIN_TORCH_VERSION VERSION_LESS 2.12.0)
  message(FATAL_ERROR "torch ${VITRAIN_TORCH_VERSION} at ${VITRAIN_TORCH}: this version of vitrain needs torch 2.11")
endif()

foreach(lib c10 torch_cpu)
  add_library(vitrain_${lib} SHARED IMPORTED)
  set_target_properties(vitrain_${lib} PROPERTIES
    IMPORTED_LOCATION ${VITRAIN_TORCH}/lib/lib${lib}.so IMPORTED_NO_SONAME OFF)
endforeach()
add_library(vitrain_libtorch INTERFACE)
target_include_directories(vitrain_libtorch SYSTEM INTERFACE
  ${VITRAIN_TORCH}/include ${VITRAIN_TORCH}/include/torch/csrc/api/include)
target_compile_definitions(vitrain_libtorch INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
target_link_libraries(vitrain_libtorch INTERFACE vitrain_torch_cpu vitrain_c10)
target_link_options(vitrain_libtorch INTERFACE
  -Wl,-rpath-link,${VITRAIN_TORCH}/lib
  -Wl,--unresolved-symbols=ignore-in-shared-libs)
