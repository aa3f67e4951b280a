// Replacement of librav1e.so.0, an AVIF encoder, in installations that contain
// their libraries, for the reasons in svt_av1.cpp. These functions only fail.

#include <cstddef>
#include <cstdint>

extern "C" {

void* rav1e_config_default() {
  return nullptr;
}
int rav1e_config_parse(void*, const char*, const char*) {
  return -1;
}
int rav1e_config_parse_int(void*, const char*, int) {
  return -1;
}
int rav1e_config_set_color_description(void*, int, int, int) {
  return -1;
}
int rav1e_config_set_pixel_format(void*, std::uint8_t, int, int, int) {
  return -1;
}
void rav1e_config_unref(void*) {}
void* rav1e_context_new(const void*) {
  return nullptr;
}
void rav1e_context_unref(void*) {}
void* rav1e_frame_new(const void*) {
  return nullptr;
}
void rav1e_frame_fill_plane(
    void*,
    int,
    const std::uint8_t*,
    std::size_t,
    std::ptrdiff_t,
    int) {}
int rav1e_frame_set_type(void*, int) {
  return -1;
}
void rav1e_frame_unref(void*) {}
int rav1e_send_frame(void*, void*) {
  return -1; // RA_ENCODER_STATUS_FAILURE
}
int rav1e_receive_packet(void*, void**) {
  return -1;
}
void rav1e_packet_unref(void*) {}
const char* rav1e_version_short() {
  return "none";
}
const char* rav1e_version_full() {
  return "none";
}

} // extern "C"
