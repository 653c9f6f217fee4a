// Passes arrays in and out as std::mdspan. mdspan_test.py compiles and runs it if the standard library has mdspan. Prints each check that
// fails.
#include <harp.hpp>

#include <cstdio>
#include <vector>

#if !defined(__cpp_lib_mdspan)
#error "this library has no mdspan"
#endif

namespace {

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::printf("does not hold: %s\n", what);
}

}  // namespace

int main() {
  std::vector<double> memory = {1, 2, 3, 4, 5, 6};
  const std::mdspan table(memory.data(), std::extents<int, 2, 3>());
  const std::mdspan<const double, std::dextents<int64_t, 2>, std::layout_left> turned(memory.data(), std::dextents<int64_t, 2>(3, 2));

  const harp::Tensor x(table), y(turned);
  check(x.to_vector<double>() == memory, "a tensor has the elements of an mdspan");
  check((y.transpose() - x).abs().sum().item<double>() == 0, "whatever its layout");
  const auto out = x.mdspan<double, 2>();
  check(out.extent(0) == 2 && out.extent(1) == 3 && out[std::array<int, 2>{1, 2}] == 6, "a tensor gives one");
  check(harp::Tensor(std::mdspan<const double, std::extents<int>>(memory.data())).rank() == 0, "rank 0");

  harp::Field<double> field = harp::Field<double>::view(table), d;
  field = field * 2;
  check(memory[5] == 12, "a field views the memory of one");
  d = field + 1;
  const auto written = d.mdspan<2>();
  written[std::array<int, 2>{0, 1}] = 0;
  check(d[1] == 0 && d[5] == 13, "a field gives one that can be written");
  try {
    d.mdspan<3>();
    check(false, "another rank is an error");
  } catch (const harp::Error& error) {
    check(error.code() == HARP_ERROR_SHAPE, "another rank is an error of shape");
  }
  return failures;
}
