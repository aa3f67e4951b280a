# vitrain_test(<name> [TORCH] [ONE_PROCESS] LABEL unit|dist|golden|e2e|fault|slow
#              [TIMEOUT s] SOURCES ... [DEPENDS folder...])
# One GoogleTest binary per folder; the target unit_tests builds all of label
# unit. ONE_PROCESS registers the whole binary as one
# test (torch-linked binaries: loading libtorch costs 0.2 s a process); otherwise
# every TEST is its own ctest entry.
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# The header that all tests without torch share, and the options it was made with.
if(BUILD_TESTING AND VITRAIN_PCH)
  file(WRITE ${PROJECT_BINARY_DIR}/test_pch.cpp "")
  add_library(vitrain_test_pch STATIC ${PROJECT_BINARY_DIR}/test_pch.cpp)
  target_link_libraries(vitrain_test_pch PRIVATE vitrain_warnings vitrain_dep_fmt GTest::gmock Threads::Threads)
  # A third less time to compile than with -O3. (gcc 12 takes std::string's own
  # operator+ for an overrun when it comes from a precompiled header.)
  set(VITRAIN_TEST_OPTIONS $<$<CONFIG:Release>:-O1> -Wno-array-bounds -Wno-stringop-overflow)
  target_compile_options(vitrain_test_pch PRIVATE ${VITRAIN_TEST_OPTIONS})
  target_precompile_headers(vitrain_test_pch PRIVATE
    <algorithm> <filesystem> <functional> <map> <memory> <optional> <string> <vector>
    <fmt/format.h> <gmock/gmock.h> <nlohmann/json.hpp>)
endif()

function(vitrain_test name)
  cmake_parse_arguments(ARG "TORCH;ONE_PROCESS" "LABEL;TIMEOUT" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN/../torch/lib")
  foreach(dep ${ARG_DEPENDS})
    target_link_libraries(${name} PRIVATE vitrain::${dep})
  endforeach()
  target_link_libraries(${name} PRIVATE GTest::gmock GTest::gtest_main ${ARG_PRIVATE})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE
    VITRAIN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" VITRAIN_BINARY_DIR="${PROJECT_BINARY_DIR}")
  vitrain_link(${name} PRIVATE "${ARG_TORCH}")
  if(NOT ARG_TORCH)
    if(VITRAIN_PCH)
      target_compile_options(${name} PRIVATE ${VITRAIN_TEST_OPTIONS})
      target_precompile_headers(${name} REUSE_FROM vitrain_test_pch)
    endif()
  endif()
  if(ARG_LABEL STREQUAL unit)
    if(NOT TARGET unit_tests)
      add_custom_target(unit_tests)
    endif()
    add_dependencies(unit_tests ${name})
  endif()
  if(ARG_TORCH OR ARG_ONE_PROCESS)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 30
      PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()
