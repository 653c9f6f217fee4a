// Tests products of a matrix with its own transpose, of which only half is computed (Schedule::half). They must have the interpreter's bits
// for every tile, block and remainder, with operations on the result that are not symmetric, and whichever worker computes which rows.
// (tests/schedule/symmetric_product_test.cpp tests which products these are.)
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/backends_run.h"
#include "support/schedule_mistake.h"

using namespace capi_test;

namespace {

/// A host's parallel_for that runs the iterations one by one in reverse order, each with another worker number.
void run_backwards(void*, size_t n, size_t, harp_range_body body, void* arg) {
  for (size_t i = n; i-- > 0;) body(arg, i, i + 1, i % 3);
}
Context context_with_workers() {
  return make_context([](harp_context_options& o) { o.parallel_for = run_backwards, o.width = 3; });
}

/// Checks that the outputs equal the interpreter's bit for bit for each of these schedules of kernel_0.
void check_schedules(const Context& context, const std::string& text, const std::vector<harp_buffer*>& inputs,
                     const std::vector<std::string>& schedules) {
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), inputs);
  for (const std::string& schedule : schedules) {
    // The products of this test are so short that one worker would compute them. The `share` line of the schedule makes harp give even
    // short work to another worker.
    const std::string line = "kernel_0: contraction " + schedule + "\nshare: 1000";
    CAPTURE(text);
    CAPTURE(line);
    const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) {
      o.schedule = line.c_str();
      if (!is_sampled(text + line)) compile_quickly(o);
    });
    REQUIRE(program != nullptr);
    const std::vector<Buffer> outputs = run(program.get(), inputs);
    REQUIRE(outputs.size() == expected.size());
    for (size_t i = 0; i < outputs.size(); ++i) CHECK_MESSAGE(same_bits(outputs[i].get(), expected[i].get()), "output ", i);
  }
}

template <class... T>
void check(const std::string& text, const std::vector<std::string>& schedules, Values<T>... inputs) {
  const Context context = context_with_workers();
  std::vector<Buffer> wrapped;
  (wrapped.push_back(wrap(context.get(), inputs.items, inputs.dims)), ...);
  std::vector<harp_buffer*> handles;
  for (const Buffer& buffer : wrapped) handles.push_back(buffer.get());
  check_schedules(context, text, handles, schedules);
}

// Schedules for a product without batches. The blocks have 4 to 48 rows. Their columns are fewer than the rows, as many, or more.
const std::vector<std::string> kSchedules = {
    "[thread tile=8 unroll=4, sequential simd=4, reduce] half",
    "[thread tile=8 unroll=8 pack, sequential tile=16 unroll=2 simd=4, reduce] partition overlap half",
    "[sequential tile=16 unroll=2, sequential tile=16 simd=16, reduce] half",
    "[sequential tile=6 unroll=3, sequential tile=1000 unroll=3, reduce] half",
    "[thread tile=48 unroll=4, sequential tile=20 simd=4, reduce] overlap half",
    "[thread tile=5 unroll=5 pack, sequential, reduce] half"};
// Schedules that pack the columns' factor once for all rows, which is legal if its size is known.
const std::vector<std::string> kSharing = {
    "[thread tile=16 unroll=4, sequential tile=8 simd=8 pack, reduce] overlap half",
    "[thread tile=12 unroll=3 pack, sequential tile=24 unroll=3 simd=4 pack, reduce] partition overlap half",
    "[sequential tile=16 unroll=8, sequential tile=1000 unroll=2 simd=4 pack, reduce] half"};

std::vector<std::string> all_schedules() {
  std::vector<std::string> all = kSchedules;
  all.insert(all.end(), kSharing.begin(), kSharing.end());
  return all;
}

}  // namespace

TEST_CASE("L6.symmetric_product,packed_matmul/c G15.matmul/c: every tile and remainder, for an odd and an even number of blocks") {
  for (const int64_t n : {16, 37, 41, 48}) {
    const std::string size = std::to_string(n);
    check("graph g(x: f32[" + size + ", 300]) {\n  return y = x @ transpose(x)\n}", all_schedules(), rough({n, 300}, 1));
    check("graph g(x: f32[300, " + size + "]) {\n  return y = transpose(x) @ x\n}", all_schedules(), rough({300, n}, 2));
  }
  for (const int64_t n : {1, 5, 41, 64})
    for (const int64_t terms : {0, 7, 256, 520})
      check("graph g(x: f32[n, k]) {\n  return y = einsum(x, x, spec=\"ik,jk->ij\")\n}", kSchedules, rough({n, terms}, 3));
  // The sums have so many blocks of terms that the summation order combines the blocks on more than one level.
  check("graph g(x: f32[9, 70000]) {\n  return y = x @ transpose(x)\n}", {"[thread tile=4 unroll=4, sequential simd=4, reduce] half"},
        rough({9, 70000}, 4));
}

TEST_CASE("L6.symmetric_product/c G15.matmul/c: what is made of the result is computed for both halves") {
  const Values<float> x = rough({41, 300}, 1), w = rough({41}, 2), r = rough({41, 41}, 3);
  check("graph g(x: f32[41, 300], w: f32[41], r: f32[41, 41]) flags=[broadcast] {\n  return y = (x @ transpose(x)) * w - r\n}",
        all_schedules(), x, w, r);
  check("graph g(x: f32[41, 300], r: f32[41, 41]) {\n  p = x @ transpose(x)\n  return y = p, z = maximum(p, r), b = p > r\n}", kSchedules,
        x, r);
  check("graph g(x: f32[41, 300], w: f32[41]) flags=[broadcast] {\n  d = (x @ transpose(x)) / 299\n  return y = cast(d + w, dtype=f16)\n}",
        kSchedules, x, w);
  // The operands are views of a larger array, and they are computed.
  check("graph g(x: f32[82, 302]) {\n  y = slice(x, start=[1, 2], size=[41, 300], step=[2, 1])\n  return z = y @ transpose(y)\n}",
        all_schedules(), rough({82, 302}, 4));
  check("graph g(x: f32[41, 300], w: f32[300]) flags=[broadcast] {\n  y = x + w\n  return z = y @ transpose(y)\n}", all_schedules(), x,
        rough({300}, 5));
}

TEST_CASE("L6.symmetric_product/c G15.matmul/c: batches, each of which has its own rows") {
  const std::vector<std::string> any_size = {
      "[thread, sequential tile=8 unroll=4, sequential simd=4, reduce] half",
      "[thread, sequential tile=12 unroll=6 pack, sequential tile=24 unroll=3 simd=4, reduce] partition overlap half"};
  std::vector<std::string> schedules = any_size;
  schedules.emplace_back("[sequential, sequential tile=8 unroll=2, sequential tile=8 simd=8 pack, reduce] overlap half");
  check("graph g(x: f32[3, 29, 300]) {\n  return y = einsum(x, x, spec=\"bik,bjk->bij\")\n}", schedules, rough({3, 29, 300}, 1));
  check("graph g(x: f32[300, 3, 29], r: f32[3, 29, 29]) {\n  return y = einsum(x, x, spec=\"kbi,kbj->bij\") - r\n}", schedules,
        rough({300, 3, 29}, 2), rough({3, 29, 29}, 3));
  check("graph g(x: f32[b, n, k]) {\n  return y = einsum(x, x, spec=\"bik,bjk->bij\")\n}", any_size, rough({2, 17, 270}, 4));
}

TEST_CASE("L6.symmetric_product/c G9 G15.matmul/c: floats and integers of every width") {
  const Context context = context_with_workers();
  Values<float> x = rough({37, 290}, 1);
  for (float& item : x.items) item *= 0.01f;
  const Buffer given = wrap(context.get(), x.items, x.dims);
  for (const std::string dtype : {"f64", "f16", "bf16", "i8", "u16", "i32", "u64"}) {
    const Graph cast = parse(context.get(), "harp 1\ngraph g(x: f32[37, 290]) {\n  return y = cast(x, dtype=" + dtype + ")\n}");
    const std::vector<Buffer> inputs = run(compile(cast.get(), "interp").get(), {given.get()});
    REQUIRE(inputs.size() == 1);
    check_schedules(context, "graph g(x: " + dtype + "[37, 290]) {\n  return y = x @ transpose(x)\n}", {inputs[0].get()}, all_schedules());
  }
}

TEST_CASE("L6.symmetric_product/c X2.stable/c: NaN, infinities and zeros with a sign") {
  Values<float> x = rough({41, 300}, 1);
  for (size_t i = 0; i < x.items.size(); i += 1 + i % 700) x.items[i] = i % 3 == 0 ? -0.0f : 1e30f;
  for (int64_t k = 0; k < 300; ++k) x.items[static_cast<size_t>(7 * 300 + k)] = -0.0f;
  x.items[12 * 300 + 5] = INFINITY;
  x.items[30 * 300 + 299] = -INFINITY;
  x.items[33 * 300 + 256] = NAN;
  check("graph g(x: f32[41, 300]) {\n  return y = x @ transpose(x)\n}", all_schedules(), x);
}

TEST_CASE("L6.symmetric_product/c: the loop over blocks of rows takes one from the beginning and one from the end") {
  const Context context = make_context();
  const auto source_of = [&](const std::string& schedule) {
    const Graph graph = parse(context.get(), "harp 1\ngraph g(x: f32[41, 300]) {\n  return y = x @ transpose(x)\n}");
    return source_for("x86-64-v4", graph.get(), ("kernel_0: contraction " + schedule).c_str());
  };
  CHECK(source_of(kSchedules[0]).find("rowblock") != std::string::npos);
  CHECK(source_of("[thread tile=8 unroll=4, sequential simd=4, reduce]").find("rowblock") == std::string::npos);
  // If no loop is divided among threads, the blocks of rows are computed in ascending order.
  CHECK(source_of("[sequential tile=8 unroll=4, sequential simd=4, reduce] half").find("rowblock") == std::string::npos);
}

TEST_CASE("L6.symmetric_product/c: what a schedule with half requires") {
  const Context context = make_context();
  const auto mistake = [&](const std::string& arguments, const std::string& result, const std::string& schedule) {
    const Graph graph = parse(context.get(), "harp 1\ngraph g(" + arguments + ") {\n  return y = " + result + "\n}");
    return schedule_mistake(graph.get(), ("kernel_0: " + schedule).c_str());
  };
  const std::string half = "contraction [thread tile=8 unroll=4, sequential simd=4, reduce] half";
  const std::string needs_product = "half needs a product of a matrix with its own transpose";
  CHECK(mistake("x: f32[41, 300], b: f32[41, 300]", "x @ transpose(b)", half).find(needs_product) != std::string::npos);
  CHECK(mistake("x: f32[41, 256]", "x @ transpose(x)", half).find(needs_product) != std::string::npos);
  CHECK(mistake("x: f32[41, 300]", "x @ transpose(x)", "reduce [thread, sequential, reduce] half").find("half") != std::string::npos);
  CHECK(mistake("x: f32[41, 300]", "x @ transpose(x)", "contraction [thread tile=6 unroll=6, sequential simd=4, reduce] half")
            .find("half needs blocks with a multiple of 4 rows") != std::string::npos);
  CHECK(mistake("x: f32[41, 300]", "x @ transpose(x)", "contraction [thread tile=8 unroll=4, sequential simd=4, reduce unroll=2] half")
            .find("got 8 rows and unroll=2") != std::string::npos);
}
