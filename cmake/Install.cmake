# What `cmake --install` puts where, below a prefix that can be moved:
#
#   bin/vitrain       -> ../lib/vitrain/vitrain
#   lib/vitrain/      both programs, vitrain_cuda.so, torch (VITRAIN_INSTALL_TORCH), lib/ (VITRAIN_BUNDLE)
#   share/            manual page, completion, configs, documents, list of what is linked (sbom.spdx.json)
#   include/vitrain, lib/vitrain/static, lib/cmake/vitrain     for find_package(vitrain)
#
# Components: program, development. The programs find one another and their libraries from
# where they are.
include(CMakePackageConfigHelpers)
set(place ${VITRAIN_INSTALL_FOLDER})
set(share share)
if(SKBUILD)
  set(share ${SKBUILD_DATA_DIR}/share)
endif()

set(programs vitrain vitrain_torch)
if(VITRAIN_WITH_CUDA)
  list(APPEND programs vitrain_cuda)
endif()
install(TARGETS ${programs} COMPONENT program
  RUNTIME DESTINATION ${place} LIBRARY DESTINATION ${place})

if(VITRAIN_BUNDLE)
  # tools/linked.py copies what the dynamic linker finds, and this comes first.
  foreach(library jbig=jbig.0 svt_av1=SvtAv1Enc.1 rav1e=rav1e.0)
    string(REGEX MATCH "(.+)=(.+)[.](.+)" _ ${library})
    add_library(stand_in_${CMAKE_MATCH_1} SHARED tools/wheel/stand_ins/${CMAKE_MATCH_1}.cpp)
    set_target_properties(stand_in_${CMAKE_MATCH_1} PROPERTIES OUTPUT_NAME ${CMAKE_MATCH_2}
      SOVERSION ${CMAKE_MATCH_3} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    add_dependencies(vitrain_torch stand_in_${CMAKE_MATCH_1})
  endforeach()
endif()

# Run when it is installed: what is there then is what was built.
set(VITRAIN_GENERATED ${PROJECT_BINARY_DIR}/install)
set(VITRAIN_PLACE ${place})
configure_file(cmake/InstallProgram.cmake.in ${PROJECT_BINARY_DIR}/InstallProgram.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/InstallProgram.cmake COMPONENT program)

set(generated ${VITRAIN_GENERATED})
install(FILES ${generated}/vitrain.1 DESTINATION ${share}/man/man1 COMPONENT program)
install(FILES ${generated}/vitrain.bash DESTINATION ${share}/bash-completion/completions
  RENAME vitrain COMPONENT program)
foreach(folder site-functions vendor-completions) # most systems', and Debian's in /usr
  install(FILES ${generated}/vitrain.zsh DESTINATION ${share}/zsh/${folder} RENAME _vitrain COMPONENT program)
endforeach()
install(FILES ${generated}/vitrain.fish DESTINATION ${share}/fish/vendor_completions.d COMPONENT program)
install(FILES ${generated}/sbom.spdx.json README.md CHANGELOG.md LICENSE NOTICE
  DESTINATION ${share}/doc/vitrain COMPONENT program)
install(DIRECTORY ${generated}/licences DESTINATION ${share}/doc/vitrain COMPONENT program OPTIONAL)
install(DIRECTORY configs DESTINATION ${share}/vitrain COMPONENT program)

# --- find_package(vitrain) -----------------------------------------------------
set(libraries "")
foreach(folder ${VITRAIN_FOLDERS} ${VITRAIN_TORCH_FOLDERS})
  get_target_property(type vitrain_lib_${folder} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    list(APPEND libraries vitrain_lib_${folder})
  endif()
endforeach()
install(TARGETS ${libraries} ARCHIVE DESTINATION lib/vitrain/static COMPONENT development)
install(DIRECTORY lib/ DESTINATION include/vitrain COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN cuda EXCLUDE)
get_property(VITRAIN_INSTALLED GLOBAL PROPERTY VITRAIN_INSTALLED)
configure_file(cmake/vitrain-config.cmake.in ${generated}/vitrain-config.cmake @ONLY)
write_basic_package_version_file(${generated}/vitrain-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/vitrain-config.cmake ${generated}/vitrain-config-version.cmake
  cmake/Dependencies.cmake cmake/Torch.cmake DESTINATION lib/cmake/vitrain COMPONENT development)

include(Package)
