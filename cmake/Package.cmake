# A Debian package of the programs and of torch's libraries, which Debian has not:
#   cpack --config build/release/CPackConfig.cmake -B build
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vitrain)
set(CPACK_PACKAGE_VENDOR vitrain)
set(CPACK_PACKAGE_CONTACT "the authors of vitrain <vitrain@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"One program trains vision transformers and other image classifiers on the GPUs or
CPU cores of one machine or several, evaluates and exports them. torch's libraries
are in the package.")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libcurl4) # for log.mlflow
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/PackageNow.cmake)
configure_file(cmake/PackageNow.cmake.in ${PROJECT_BINARY_DIR}/PackageNow.cmake @ONLY)
include(CPack)
