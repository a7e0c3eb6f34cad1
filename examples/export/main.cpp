// c++ -std=c++17 main.cpp -L. -lnearest -Wl,-rpath,. -o main_cpp
#include "nearest.hpp"
#include <cstdio>

int main() {
  const double points[3][2] = {{0, 0}, {3, 4}, {10, 10}}, means[2][2] = {{0, 1}, {10, 9}};
  auto [labels, distances] = quernel::nearest::nearest({points[0], {3, 2}}, {means[0], {2, 2}});
  for (int k = 0; k < 3; ++k)
    std::printf("%d %.3f\n", int(labels(k)), distances(k));
  try {
    quernel::nearest::nearest({points[0], {3, 2}}, {means[0], {4, 1}});
  } catch (const quernel::Error &error) {
    std::printf("%s\n", error.what());
    return 0;
  }
  return 1;
}
