// needs: context device
/// Turns of a loop of which the device says when it ends: `test` has it find out whether there is another one. All turns
/// ask for the same, so that the runtime may have the device repeat them.
template <class Test, class Turn>
inline int32_t repeat(const qn_device *device, const bool *goes_on, const void *failure, const Test &test, const Turn &turn) {
  struct Loop {
    const Test &test;
    const Turn &turn;
  } loop = {test, turn};
  const auto next = [](void *data) -> int32_t {
    const Loop &loop = *(const Loop *)data;
    const int32_t code = loop.turn();
    return code ? code : loop.test();
  };
  if (int32_t code = test())
    return code;
  return device->repeat(device, goes_on, failure, next, &loop);
}
