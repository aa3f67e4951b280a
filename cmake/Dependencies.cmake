# Debian's packages (tools/setup.sh installs them); an installed
# vitrain-config.cmake includes this file too. Static archives where they
# exist, so that the executable needs little but libtorch at run time.
find_package(Threads REQUIRED)

function(vitrain_dependency name header archive package)
  find_path(${name}_INCLUDE NAMES ${header})
  find_library(${name}_ARCHIVE NAMES ${archive})
  if(NOT ${name}_INCLUDE OR NOT ${name}_ARCHIVE)
    message(FATAL_ERROR "${header} or ${archive} not found: install ${package} (tools/setup.sh does it)")
  endif()
  add_library(vitrain_dep_${name} INTERFACE)
  target_include_directories(vitrain_dep_${name} SYSTEM INTERFACE ${${name}_INCLUDE})
  target_link_libraries(vitrain_dep_${name} INTERFACE ${${name}_ARCHIVE})
endfunction()

vitrain_dependency(yaml yaml-cpp/yaml.h libyaml-cpp.a libyaml-cpp-dev)
vitrain_dependency(jpeg jpeglib.h libjpeg.a libjpeg62-turbo-dev)
vitrain_dependency(png png.h libpng.a libpng-dev)
vitrain_dependency(xxhash xxhash.h libxxhash.a libxxhash-dev)
# Shared: the static archives of libtiff and libavif need a dozen others, of which
# Debian has not all. Starting costs some 8 ms for it, of 400 with libtorch. What
# libtiff brings with it is shared here too, so that there is one of each; of
# libjpeg there are two, whose symbols must not mix.
vitrain_dependency(tiff tiffio.h libtiff.so libtiff-dev)
vitrain_dependency(avif avif/avif.h libavif.so libavif-dev)
vitrain_dependency(webp webp/decode.h libwebp.so libwebp-dev)
vitrain_dependency(webpdemux webp/demux.h libwebpdemux.so libwebp-dev)
vitrain_dependency(zlib zlib.h libz.so zlib1g-dev)
vitrain_dependency(minizip minizip/unzip.h libminizip.a libminizip-dev)
target_link_options(vitrain_dep_tiff INTERFACE LINKER:--exclude-libs,libjpeg.a)
target_link_libraries(vitrain_dep_png INTERFACE vitrain_dep_zlib m)
target_link_libraries(vitrain_dep_minizip INTERFACE vitrain_dep_zlib)
target_link_libraries(vitrain_dep_webpdemux INTERFACE vitrain_dep_webp m)

find_path(VITRAIN_STB_INCLUDE NAMES stb_truetype.h PATH_SUFFIXES stb)
if(NOT VITRAIN_STB_INCLUDE)
  message(FATAL_ERROR "stb_truetype.h not found: install libstb-dev (tools/setup.sh does it)")
endif()
add_library(vitrain_dep_stb INTERFACE)
target_include_directories(vitrain_dep_stb SYSTEM INTERFACE ${VITRAIN_STB_INCLUDE})
# Of headers alone. (libcurl itself is loaded by runs that need it.)
foreach(header nlohmann/json.hpp CLI/CLI.hpp protozero/pbf_builder.hpp curl/curl.h)
  string(MAKE_C_IDENTIFIER ${header} id)
  find_path(VITRAIN_HAVE_${id} NAMES ${header})
  if(NOT VITRAIN_HAVE_${id})
    message(FATAL_ERROR "${header} not found: run tools/setup.sh")
  endif()
endforeach()

# The plotting library of report.html, whose files become part of the executable.
find_path(VITRAIN_DYGRAPHS_FOLDER NAMES dygraph.min.js PATHS /usr/share/javascript/dygraphs NO_DEFAULT_PATH)
if(NOT VITRAIN_DYGRAPHS_FOLDER)
  message(FATAL_ERROR "/usr/share/javascript/dygraphs/dygraph.min.js not found: install libjs-dygraphs (tools/setup.sh does it)")
endif()

# torch ships fmt 12 headers in its include folder. Ours is the system's fmt 9,
# put in front of every other include folder by a link of its own. (Header-only
# it would be compiled into every file anew: half of what most files cost.)
find_path(VITRAIN_FMT_INCLUDE NAMES fmt/core.h PATHS /usr/include NO_DEFAULT_PATH)
find_library(VITRAIN_FMT_LIBRARY NAMES fmt)
if(NOT VITRAIN_FMT_INCLUDE OR NOT VITRAIN_FMT_LIBRARY)
  message(FATAL_ERROR "fmt (fmt/core.h and libfmt.so) not found: install libfmt-dev (tools/setup.sh does it)")
endif()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/deps/include)
file(CREATE_LINK ${VITRAIN_FMT_INCLUDE}/fmt ${PROJECT_BINARY_DIR}/deps/include/fmt SYMBOLIC)
add_library(vitrain_dep_fmt INTERFACE)
target_include_directories(vitrain_dep_fmt BEFORE INTERFACE ${PROJECT_BINARY_DIR}/deps/include)
target_link_libraries(vitrain_dep_fmt INTERFACE ${VITRAIN_FMT_LIBRARY})
