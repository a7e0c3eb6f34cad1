/// The number of this thread in its block, by which warps are formed.
inline int thread_of_block() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
