// Replacement of libjbig.so.0 in installations that contain their libraries.
// Debian's libtiff does not load without libjbig, which is under the GPL and
// would extend it to the whole installation. image/formats/tiff_file.cpp
// refuses TIFF files in JBIG before libtiff decodes them; these functions only
// fail.

#include <cstddef>

extern "C" {

constexpr int kInvalid = 6; // JBG_EINVAL

void jbg_dec_init(void*) {}
int jbg_dec_in(void*, unsigned char*, std::size_t, std::size_t*) {
  return kInvalid;
}
void jbg_dec_free(void*) {}
unsigned char* jbg_dec_getimage(const void*, int) {
  return nullptr;
}
unsigned long jbg_dec_getsize(const void*) {
  return 0;
}
void jbg_enc_init(
    void*,
    unsigned long,
    unsigned long,
    int,
    unsigned char**,
    void (*)(unsigned char*, std::size_t, void*),
    void*) {}
void jbg_enc_out(void*) {}
void jbg_enc_free(void*) {}
int jbg_newlen(unsigned char*, std::size_t) {
  return kInvalid;
}
const char* jbg_strerror(int) {
  return "this installation reads and writes no JBIG";
}

} // extern "C"
