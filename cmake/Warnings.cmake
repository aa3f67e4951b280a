# Warnings of our own targets; dependencies are included as SYSTEM.
add_library(vitrain_warnings INTERFACE)
target_compile_options(vitrain_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wimplicit-fallthrough -Wformat=2 -Wno-format-nonliteral -Wno-missing-field-initializers)
# g++ 12 reports std::string::insert and operator+ falsely (GCC bug 105651).
target_compile_options(vitrain_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(VITRAIN_WERROR)
  target_compile_options(vitrain_warnings INTERFACE -Werror)
endif()
# Files do not contain the folder in which they were built.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
# Hardening of the OpenSSF guide that costs nothing measurable here.
if(NOT VITRAIN_SANITIZE)
  add_compile_options(-fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  if(CMAKE_BUILD_TYPE MATCHES "Release|RelWithDebInfo")
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
  add_link_options(-Wl,--gc-sections) # of libraries that are compiled by function
endif()
