// needs: context device
/// Stores a number in the device's memory.
template <class T> inline int32_t write(const qn_device *device, const T &value, T *to) {
  return device->write(device, to, &value, sizeof(T));
}
