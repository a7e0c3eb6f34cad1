// needs: context
/// Memory of a program for as long as the name is in scope; null where there is none.
template <class T> struct Temporary {
  const qn_context *context;
  T *data;
  Temporary(const qn_context *context, int64_t count)
      : context(context),
        data(count > __INT64_MAX__ / (int64_t)sizeof(T) ? nullptr : (T *)context->alloc(count * (int64_t)sizeof(T))) {}
  Temporary(const Temporary &) = delete;
  ~Temporary() { release(); }
  void release() {
    if (data)
      context->release(data);
    data = nullptr;
  }
  /// Leaves the memory to the caller.
  void hand_over() { data = nullptr; }
  operator T *() const { return data; }
};
