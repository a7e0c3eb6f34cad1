/* cc -std=c99 main.c -L. -lnearest -Wl,-rpath,. -o main_c */
#include "nearest.h"
#include <stdio.h>

int main(void) {
  double points[3][2] = {{0, 0}, {3, 4}, {10, 10}}, means[2][2] = {{0, 1}, {10, 9}};
  int64_t labels[3];
  double distances[3];
  quernel_f64_2 p = {points[0], {3, 2}, {2, 1}}, m = {means[0], {2, 2}, {2, 1}};
  quernel_i64_1 l = {labels, {3}, {1}};
  quernel_f64_1 d = {distances, {3}, {1}};
  if (nearest(&p, &m, &l, &d) != QUERNEL_OK) {
    fprintf(stderr, "%s\n", nearest_error());
    return 1;
  }
  for (int k = 0; k < 3; ++k)
    printf("%d %.3f\n", (int)labels[k], distances[k]);

  m.shape[1] = 1; /* of another dimension than the points */
  if (nearest(&p, &m, &l, &d) == QUERNEL_OK)
    return 1;
  printf("%s\n", nearest_error());
  return 0;
}
