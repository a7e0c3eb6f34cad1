! gfortran main.f90 -L. -lnearest -Wl,-rpath,. -o main_f90
! The last axis of C is the first one of Fortran, so points(2, 3) are three points of two numbers.
program main
  use iso_c_binding
  implicit none

  type, bind(c) :: array1
    type(c_ptr) :: data
    integer(c_int64_t) :: shape(1), strides(1)
  end type
  type, bind(c) :: array2
    type(c_ptr) :: data
    integer(c_int64_t) :: shape(2), strides(2)
  end type

  interface
    function nearest(points, means, labels, distances) bind(c) result(status)
      import :: array1, array2, c_int32_t
      type(array2), intent(in) :: points, means
      type(array1) :: labels, distances
      integer(c_int32_t) :: status
    end function
  end interface

  real(c_double), target :: points(2, 3) = reshape([0d0, 0d0, 3d0, 4d0, 10d0, 10d0], [2, 3])
  real(c_double), target :: means(2, 2) = reshape([0d0, 1d0, 10d0, 9d0], [2, 2])
  integer(c_int64_t), target :: labels(3)
  real(c_double), target :: distances(3)
  integer :: k

  if (nearest(array2(c_loc(points), [3_c_int64_t, 2_c_int64_t], [2_c_int64_t, 1_c_int64_t]), &
              array2(c_loc(means), [2_c_int64_t, 2_c_int64_t], [2_c_int64_t, 1_c_int64_t]), &
              array1(c_loc(labels), [3_c_int64_t], [1_c_int64_t]), &
              array1(c_loc(distances), [3_c_int64_t], [1_c_int64_t])) /= 0) stop 1
  do k = 1, 3
    print '(i0, f7.3)', labels(k), distances(k)
  end do
end program
