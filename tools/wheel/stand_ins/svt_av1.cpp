// Replacement of libSvtAv1Enc.so.1, an AVIF encoder, in installations that
// contain their libraries. Debian's libavif does not load without it, and it
// would take 3 MB of a wheel; image/formats/avif.cpp only reads AVIF files.
// These functions only fail.

extern "C" {

constexpr int kBadParameter =
    static_cast<int>(0x80001005); // EB_ErrorBadParameter

int svt_av1_enc_init_handle(void**, void*, void*) {
  return kBadParameter;
}
int svt_av1_enc_set_parameter(void*, void*) {
  return kBadParameter;
}
int svt_av1_enc_init(void*) {
  return kBadParameter;
}
int svt_av1_enc_send_picture(void*, void*) {
  return kBadParameter;
}
int svt_av1_enc_get_packet(void*, void**, unsigned char) {
  return kBadParameter;
}
void svt_av1_enc_release_out_buffer(void**) {}
int svt_av1_enc_deinit(void*) {
  return 0;
}
int svt_av1_enc_deinit_handle(void*) {
  return 0;
}
const char* svt_av1_get_version() {
  return "none";
}

} // extern "C"
