if(VITRAIN_SANITIZE)
  add_compile_options(-fsanitize=${VITRAIN_SANITIZE} -fno-omit-frame-pointer -g1 -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${VITRAIN_SANITIZE})
endif()
