// needs: context device
/// What a kernel leaves in the device's memory where a check in it has failed.
struct Failure {
  int64_t code, count, values[8];
};

/// Notes the check of a kernel that has failed, if one has.
inline int32_t failed(const qn_device *device, const Failure *failure) {
  Failure found;
  if (int32_t code = device->read(device, &found, failure, sizeof(found)))
    return code;
  return found.code ? device->context.fail(&device->context, (int32_t)found.code, found.values, (int32_t)found.count) : 0;
}
