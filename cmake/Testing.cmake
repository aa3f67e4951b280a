# vitrain_test(<name> [TORCH] [ONE_PROCESS] LABEL unit|dist|golden|e2e|fault|slow
#              [TIMEOUT s] [SOURCES ...] [DEPENDS folder...])
# One GoogleTest binary of every source in and below its folder, and SOURCES beside them; the target unit_tests builds all of label
# unit. ONE_PROCESS registers the whole binary as one
# test (torch-linked binaries: loading libtorch costs 0.2 s a process); otherwise
# every TEST is its own ctest entry.
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  # What tests of messages share.
  add_library(vitrain_test_messages STATIC EXCLUDE_FROM_ALL
    ${PROJECT_SOURCE_DIR}/tests/support/messages.cpp)
  target_include_directories(vitrain_test_messages PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(vitrain_test_messages PRIVATE VITRAIN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(vitrain_test_messages PUBLIC GTest::gtest)
endif()

# Tests need no speed: with -O1 a file of them compiles in two thirds of the time
# of -O3, and under sanitizers with -O0 in half of that of -O1. (gcc 12 takes
# std::string's own operator+ for an overrun when it comes from a precompiled
# header.)
set(VITRAIN_TEST_OPTIONS $<$<CONFIG:Release>:-O1> -Wno-array-bounds -Wno-stringop-overflow)
if(VITRAIN_SANITIZE)
  list(APPEND VITRAIN_TEST_OPTIONS -O0)
endif()
if(BUILD_TESTING AND VITRAIN_PCH)
  vitrain_precompile(vitrain_test_pch
    HEADERS <gmock/gmock.h> LINK GTest::gmock OPTIONS ${VITRAIN_TEST_OPTIONS})
  if(VITRAIN_WITH_TORCH)
    vitrain_precompile(vitrain_torch_test_pch TORCH
      HEADERS <gmock/gmock.h> <ATen/ATen.h> LINK GTest::gmock OPTIONS ${VITRAIN_TEST_OPTIONS})
  endif()
endif()

function(vitrain_test name)
  cmake_parse_arguments(ARG "TORCH;ONE_PROCESS" "LABEL;TIMEOUT" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
    if(ARG_TORCH OR ARG_ONE_PROCESS) # all of its tests in one
      set(ARG_TIMEOUT 300)
    endif()
  endif()
  if(VITRAIN_SANITIZE) # at -O0, on machines of which some are half as fast
    math(EXPR ARG_TIMEOUT "4 * ${ARG_TIMEOUT}")
  endif()
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS *.cpp)
  add_executable(${name} ${tests} ${ARG_SOURCES})
  vitrain_unity(${name})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN/../torch/lib")
  foreach(dep ${ARG_DEPENDS})
    target_link_libraries(${name} PRIVATE vitrain::${dep})
  endforeach()
  target_link_libraries(${name} PRIVATE vitrain_test_messages GTest::gmock GTest::gtest_main ${ARG_PRIVATE})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE
    VITRAIN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" VITRAIN_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_compile_options(${name} PRIVATE ${VITRAIN_TEST_OPTIONS})
  if(ARG_TORCH)
    vitrain_link(${name} PRIVATE TORCH vitrain_torch_test_pch)
  else()
    vitrain_link(${name} PRIVATE "" vitrain_test_pch)
  endif()
  if(ARG_LABEL STREQUAL unit)
    if(NOT TARGET unit_tests)
      add_custom_target(unit_tests)
    endif()
    add_dependencies(unit_tests ${name})
  endif()
  if(ARG_TORCH OR ARG_ONE_PROCESS)
    # Many tests in one process, whose OpenMP threads would spin for each other
    # where the cores are shared.
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
      ENVIRONMENT OMP_WAIT_POLICY=PASSIVE)
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 30
      PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()
