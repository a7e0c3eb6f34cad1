// needs: context
/// A function of the user's own, which has the kernel ABI.
extern "C" int32_t NAME(const qn_context *context, void *const *buffers, const int64_t *sizes);
