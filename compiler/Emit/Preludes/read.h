// needs: context device
/// Fetches a number from the device's memory.
template <class T> inline int32_t read(const qn_device *device, T &to, const T *from) {
  return device->read(device, &to, from, sizeof(T));
}
