// Which products count as symmetric (schedule/symmetric_product.cpp), and for which of them harp's own schedules compute only half.
// (tests/lower/symmetric_contractions_test.cpp compares results.)
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "support/scheduled.h"

using namespace schedule_test;

namespace {

/// Tests whether harp's schedule for some kernel of the graph computes only half of a product.
bool computes_half(const std::string& text, std::string_view row = kRow) {
  for (const KernelPlan& kernel : scheduled(*parse_graph(text), {}, row).kernels)
    for (const Variant& variant : kernel.variants)
      if (variant.schedule.half) return true;
  return false;
}

std::string graph_of(const std::string& arguments, const std::string& result) {
  return "graph g(" + arguments + ") flags=[broadcast] { return y = " + result + " }";
}

}  // namespace

TEST_CASE("L6.symmetric_product/c: products of a matrix with its own transpose compute half, on every kind of CPU") {
  for (const char* row : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-one-load", "aarch64"})
    for (const char* dtype : {"f32", "f64", "i32"}) {
      CAPTURE(row);
      CAPTURE(dtype);
      const std::string x = std::string("x: ") + dtype;
      CHECK(computes_half(graph_of(x + "[1024, 512]", "x @ transpose(x)"), row));
      CHECK(computes_half(graph_of(x + "[512, 1000]", "transpose(x) @ x"), row));
      CHECK(computes_half(graph_of(x + "[n, k]", "x @ transpose(x)"), row));
      CHECK_FALSE(computes_half(graph_of(x + "[1024, 512], b: " + dtype + "[1024, 512]", "x @ transpose(b)"), row));
    }
}

TEST_CASE("L6.symmetric_product/c G15.einsum/c: the operands may be computed, batched, and written in several ways") {
  CHECK(computes_half(graph_of("x: f32[1024, 512]", "einsum(x, x, spec=\"ik,jk->ij\")")));
  CHECK(computes_half(graph_of("x: f32[1024, 512]", "einsum(x, x, spec=\"ik,jk->ji\")")));
  CHECK(computes_half(graph_of("x: f32[512, 1024]", "einsum(x, x, spec=\"ki,kj->ij\")")));
  CHECK(computes_half(graph_of("x: f32[3, 1024, 512]", "einsum(x, x, spec=\"bik,bjk->bij\")")));
  CHECK(computes_half(graph_of("x: f32[1024, 512], w: f32[512]", "(x - w) @ transpose(x - w)")));
  CHECK(computes_half(graph_of("x: f32[1024, 512], w: f32[512]", "(x * 2 + w) @ (transpose(x) * 2 + reshape(w, shape=[512, 1]))")));
  const std::string rows = "reshape(x, shape=[1024, 512])";
  CHECK(computes_half(graph_of("x: f32[1024, 8, 64]", rows + " @ transpose(" + rows + ")")));
  CHECK(computes_half(graph_of("x: f32[1024, 512], r: f32[1024, 1024]", "(x @ transpose(x)) / 511 - r")));
}

TEST_CASE("L6.symmetric_product/c: products that are not symmetric, and those for which half does not pay") {
  // Both operands are made from the same matrix, but they do not have the same elements.
  CHECK_FALSE(computes_half(graph_of("x: f32[1024, 1024]", "x @ x")));
  CHECK_FALSE(computes_half(graph_of("x: f32[1024, 512]", "(x * 2) @ transpose(x)")));
  CHECK_FALSE(computes_half(graph_of("x: f32[1024, 512]", "x @ transpose(flip(x, axes=[0]))")));
  CHECK_FALSE(computes_half(graph_of("x: f32[1024, 512], w: f32[512]", "(x * w) @ transpose(x)")));
  CHECK_FALSE(computes_half(graph_of("x: f32[2, 1024, 512]", "einsum(x, x, spec=\"aik,bjk->abij\")")));
  // With one block of terms, no sums are stored between blocks of terms. With few rows there are few blocks of rows. So computing only half
  // of the product would save little.
  CHECK_FALSE(computes_half(graph_of("x: f32[1024, 256]", "x @ transpose(x)")));
  CHECK_FALSE(computes_half(graph_of("x: f32[64, 512]", "x @ transpose(x)")));
}
