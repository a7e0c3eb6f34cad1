struct qn_grid {
  int32_t blocks[3], threads[3];
  int32_t shared;
};

/// What it lends to a program for a device.
struct qn_device {
  qn_context context;
  int32_t (*launch)(const qn_device *device, int32_t kernel, const qn_grid *grid, void *const *arguments);
  int32_t (*read)(const qn_device *device, void *to, const void *from, int64_t bytes);
  int32_t (*write)(const qn_device *device, void *to, const void *from, int64_t bytes);
  int32_t (*repeat)(const qn_device *device, const void *goes_on, const void *failure, int32_t (*turn)(void *data), void *data);
};
