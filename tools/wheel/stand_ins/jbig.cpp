// libjbig.so.0 of installations that bring their libraries along. Debian's
// libtiff wants one to load; the real one is under the GPL, which what it is
// passed on with would have to be as well. TIFF files in JBIG are refused
// before (image/formats/tiff_file.cpp), so that nothing is lost: here decoding
// and encoding fail with a sentence.

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
