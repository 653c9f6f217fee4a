// Tests elementwise kernels whose loads are contiguous along another axis than their stores; they work in blocks (lower/transpose.cpp).
// Results must be bit-identical to the interpreter's for every dtype, partial block, view and mask, whatever is computed from the loaded
// values. The last tests check which schedules are allowed.
#include <array>

#include "support/backends_run.h"
#include "support/schedule_mistake.h"

using namespace capi_test;

namespace {

std::string source_of(const std::string& text, const char* row = "x86-64-v4") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  return source_for(row, graph.get());
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("L6.tiled_transpose/c G5.transpose/c X2: arrays with few rows or columns, and parts of them") {
  const Backends backends;
  CHECK(contains(source_of("graph g(a: f32[m, n]) {\n  return y = contiguous(transpose(a))\n}"), "transpose_edge_f32x16"));
  const auto run = [&](const std::string& dtype, int64_t m, int64_t n) {
    CAPTURE(dtype);
    CAPTURE(m);
    CAPTURE(n);
    // The transposed array, an array whose rows are further apart in memory, and a result whose rows are.
    backends.run("graph g(a: f32[m, n]) {\n  y = cast(a, dtype=" + dtype +
                     ")\n  return y = y, t = contiguous(transpose(y)), p = contiguous(transpose(slice(y, start=[0, 1]))),\n"
                     "    q = concat([transpose(y), full(shape=[n, 3], value=1, dtype=" +
                     dtype + ")], axis=1)\n}",
                 whole<float>({m, n}, 1));
  };
  for (int64_t few = 1; few <= 17; ++few)
    for (const int64_t many : {1, 5, 18, 70}) run("f32", few, many), run("f32", many, few);
  for (const char* dtype : {"f64", "f16", "u8", "i64"})
    for (const int64_t few : {1, 2, 3, 6, 7, 11, 15}) run(dtype, few, 75), run(dtype, 75, few);
}

TEST_CASE("L6.tiled_transpose/c G6.fast_transpose/c G5.transpose/c X2: blocks are the interpreter's, for every rest of a block") {
  const Backends backends;
  const std::string whole = "graph g(a: f32[m, n]) {\n  return y = contiguous(transpose(a))\n}";
  CHECK(contains(source_of(whole), "transpose_f32("));
  for (const auto& [m, n] :
       {std::array<int64_t, 2>{16, 16}, {17, 15}, {3, 200}, {200, 3}, {64, 128}, {129, 65}, {150, 333}, {0, 9}, {9, 0}, {1, 1}})
    backends.run(whole, rough({m, n}, 1));
  for (const char* dtype : {"f64", "f16", "bf16", "i8", "u16", "i64", "bool", "complex64"}) {
    const std::string text =
        std::string("graph g(a: f32[m, n]) {\n  y = cast(a - 1000, dtype=") + dtype +
        ")\n  t = transpose(y)\n  return y = y, z = contiguous(t), w = where(transpose(a) > 0, t, full(shape=[n, m], value=1, dtype=" +
        dtype + ")),\n    p = pad(t, before=[1, 0], after=[0, 2])\n}";
    CHECK(contains(source_of(text), "transpose over"));
    backends.run(text, rough({70, 45}, 1));
  }
  const std::string image =
      "graph g(x: f32[b, 9, h, w]) {\n  y = permute(x, axes=[0, 2, 3, 1])\n"
      "  return y = contiguous(y), z = contiguous(permute(x, axes=[3, 2, 1, 0])), r = contiguous(reshape(y, shape=[b, h*w, 9]))\n}";
  backends.run(image, rough({2, 9, 5, 13}, 1));
  backends.run(image, rough({1, 9, 40, 1}, 1));
}

#if defined(__x86_64__)
TEST_CASE("L6.tiled_transpose/c G6.fast_transpose/c X2: squares of every target's vectors, for each size of an element") {
  const Context context = make_context();
  for (const char* dtype : {"f64", "f32", "u16", "i8"}) {
    CAPTURE(dtype);
    const Graph graph = parse(context.get(), std::string("harp 1\ngraph g(a: f32[70, 45]) {\n  y = cast(a, dtype=") + dtype +
                                                 ")\n  return y, z = transpose(y)\n}");
    REQUIRE(graph != nullptr);
    Values<float> a = rough({70, 45}, 1);
    const Buffer x = wrap(context.get(), a.items, a.dims);
    const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), {x.get()});
    for (const char* target : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
      CAPTURE(target);
      const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) { o.target = target; });
      REQUIRE(program != nullptr);
      if (!cannot_run(program.get()).empty()) continue;
      CHECK(same_bits(run(program.get(), {x.get()})[1].get(), expected[1].get()));
    }
  }
}
#endif

TEST_CASE("L6.tiled_transpose/c G6.fast_transpose/c: whatever is computed around what is transposed, in one kernel") {
  const Backends backends;
  const std::string fused =
      "graph g(a: f32[m, n], b: f32[n, m], c: f32[n]) flags=[broadcast] {\n"
      "  return y = a * 2 + exp(transpose(b)) + c, z = contiguous(transpose(b)), w = a - transpose(flip(b, axes=[1]))\n}";
  CHECK(backends.cost(fused, {33, 20}).kernels == 1);
  for (const auto& [m, n] : {std::array<int64_t, 2>{33, 20}, {130, 70}, {5, 300}, {300, 5}})
    backends.run(fused, rough({m, n}, 1), rough({n, m}, 2), rough({n}, 3));
  // Tests masked loads, which must not read elements outside of the array.
  const std::string joined =
      "graph g(a: f32[m, n], b: f32[k, m]) {\n  return y = exp(concat(transpose(a), b, axis=0)), z = pad(transpose(a) + 1, before=[2, 1], "
      "after=[1, 0], value=7)\n}";
  backends.run(joined, rough({40, 70}, 1), rough({9, 40}, 2));
  backends.run(joined, rough({17, 12}, 1), rough({30, 17}, 2));
  // The loads are contiguous along two different axes; blocks are used for one of them.
  const std::string two =
      "graph g(a: f32[p, q, r], b: f32[r, p, q]) {\n  return y = permute(a, axes=[2, 1, 0]) - permute(b, axes=[0, 2, 1])\n}";
  backends.run(two, rough({20, 11, 34}, 1), rough({34, 20, 11}, 2));
  const std::string indices =
      "graph g(t: f32[50, 20], a: f32[20, m]) {\n  return y = take(t, cast(abs(transpose(a)) * 0.001, dtype=i32), axis=0)\n}";
  backends.run(indices, rough({50, 20}, 1), rough({20, 19}, 2));
}

TEST_CASE(
    "L6.tiled_transpose/c L3: an output in place of an input that is read at the same element, and another output that is transposed") {
  const Context context = make_context();
  const std::string text =
      "harp 1\ngraph g(a: f32[n, n], b: f32[n, n]) {\n  return y = b * 2 + transpose(a), z = contiguous(transpose(a))\n}";
  const Graph graph = parse(context.get(), text);
  REQUIRE(graph != nullptr);
  for (const int64_t n : {7, 40, 150}) {
    Values<float> a = rough({n, n}, 1), b = rough({n, n}, 2), again = b, room = b;
    const Buffer x = wrap(context.get(), a.items, a.dims), y = wrap(context.get(), b.items, b.dims);
    const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), {x.get(), y.get()});
    for (const char* schedule :
         {"", "kernel_0: transpose [thread tile=5, sequential tile=24 simd=8] overlap",
          "kernel_0: transpose [sequential tile=40, sequential tile=19 simd=4]", "kernel_0: transpose [thread tile=1, sequential tile=1]",
          "kernel_0: elementwise [thread, sequential]", "kernel_0: transpose [thread tile=64, sequential tile=16 simd=16] nontemporal"}) {
      CAPTURE(schedule);
      const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) { o.schedule = schedule; });
      if (is_not_for_this_cpu(program.get())) continue;
      for (const bool first : {true, false}) {  // true: the first output overwrites b; false: the second one does
        CAPTURE(first);
        again = b;
        const Buffer over = wrap(context.get(), again.items, b.dims), other = wrap(context.get(), room.items, b.dims);
        harp_buffer* outputs[] = {first ? over.get() : other.get(), first ? other.get() : over.get()};
        harp_buffer* const inputs[] = {x.get(), over.get()};
        ErrorSlot err;
        REQUIRE_MESSAGE(harp_program_run(program.get(), 2, inputs, 2, outputs, nullptr, err) == HARP_OK, err.message());
        for (size_t i = 0; i < 2; ++i) CHECK_MESSAGE(same_bits(outputs[i], expected[i].get()), "output ", i);
      }
    }
  }
}

namespace {

/// Checks a graph with two outputs: a transpose that is copied by blocks, and one that is squared. The outputs begin at several offsets
/// within a cache line.
template <class T>
void check_streams(harp_dtype dtype, const char* name) {
  CAPTURE(name);
  const Context context = make_context();
  const Graph graph = parse(
      context.get(), std::string("harp 1\ngraph g(a: ") + name + "[m, n]) {\n  t = transpose(a)\n  return y = contiguous(t), z = t * t\n}");
  REQUIRE(graph != nullptr);
  const Program expected = compile(graph.get(), "interp");
  const auto wrap_at = [&](T* data, std::vector<int64_t> dims) {
    return Buffer(harp_buffer_wrap(context.get(), dtype, 2, dims.data(), data, nullptr, nullptr, nullptr));
  };
  for (const char* schedule : {"kernel_0: transpose [thread tile=64, sequential tile=16 simd=16] overlap nontemporal",
                               "kernel_0: transpose [thread tile=7, sequential tile=100 simd=4] partition nontemporal",
                               "kernel_0: transpose [thread tile=24 pack, sequential tile=32 simd=8] overlap nontemporal prefetch",
                               "kernel_0: transpose [thread tile=40 pack, sequential tile=16 simd=16] prefetch",
                               "kernel_0: transpose [sequential tile=200, sequential tile=5] nontemporal"}) {
    CAPTURE(schedule);
    const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) { o.schedule = schedule; });
    REQUIRE(program != nullptr);
    if (is_not_for_this_cpu(program.get())) return;
    for (const auto& [m, n] : {std::array<int64_t, 2>{64, 64}, {128, 40}, {40, 130}, {17, 300}, {1, 9}, {0, 5}}) {
      const auto count = static_cast<size_t>(m * n);
      constexpr size_t kLine = 64 / sizeof(T);
      std::vector<T> a(count + 1), room(2 * count + 4 * kLine);
      for (size_t i = 0; i < count; ++i) a[i] = static_cast<T>(i % 251);
      const Buffer x = wrap_at(a.data(), {m, n});
      const std::vector<Buffer> right = run(expected.get(), {x.get()});
      for (const size_t place : {size_t{0}, size_t{1}, 16 / sizeof(T), kLine - 1}) {
        T* const line = reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(room.data()) + 63) / 64 * 64);
        const Buffer y = wrap_at(line + place, {n, m}), z = wrap_at(line + place + count + place, {n, m});
        harp_buffer* const inputs[] = {x.get()};
        harp_buffer* outputs[] = {y.get(), z.get()};
        ErrorSlot err;
        REQUIRE_MESSAGE(harp_program_run(program.get(), 1, inputs, 2, outputs, nullptr, err) == HARP_OK, err.message());
        for (size_t i = 0; i < 2; ++i) CHECK_MESSAGE(same_bits(outputs[i], right[i].get()), "output ", i, " from element ", place);
      }
    }
  }
}

}  // namespace

TEST_CASE("L6.tiled_transpose/c G6.fast_transpose/c X2: past the caches the same bits, wherever lines of memory begin") {
  check_streams<float>(HARP_F32, "f32");
  check_streams<double>(HARP_F64, "f64");
  check_streams<uint16_t>(HARP_U16, "u16");
  check_streams<uint8_t>(HARP_U8, "u8");
}

TEST_CASE("L6.tiled_transpose/c: blocks are chosen where axes are long enough, and what a schedule may ask for") {
  const auto has_blocks = [](const std::string& call) {
    return contains(
        source_of("graph g(a: f32[64, 64], b: f32[64, 64], s: f32[64, 3], x: f32[2, 3, 32, 64]) {\n  return y = " + call + "\n}"),
        "transpose over");
  };
  CHECK(has_blocks("contiguous(transpose(a))"));
  CHECK(has_blocks("a + transpose(b)"));
  CHECK(has_blocks("contiguous(permute(x, axes=[3, 1, 0, 2]))"));
  CHECK_FALSE(has_blocks("a + b"));
  CHECK_FALSE(has_blocks("contiguous(transpose(s))"));
  CHECK_FALSE(has_blocks("contiguous(permute(x, axes=[2, 1, 0, 3]))"));  // the last axis stays the last, so rows remain contiguous
  CHECK_FALSE(has_blocks("contiguous(slice(a, step=[1, 2]))"));

  // Non-temporal stores are used for outputs of at least 15 MiB if rows are whole cache lines.
  const auto streams = [](const char* shape) {
    return contains(source_of(std::string("graph g(a: f32[") + shape + "]) {\n  return y = contiguous(transpose(a))\n}"),
                    "partition overlap nontemporal");
  };
  CHECK(streams("2048, 2048"));
  CHECK(streams("m, n"));
  CHECK_FALSE(streams("2048, 1900"));
  CHECK_FALSE(streams("8200, 3000"));

  // Blocks are packed before they are stored non-temporally, and also if the distance between rows is a whole number of memory pages.
  const auto source = [](const char* shape) {
    return source_of(std::string("graph g(a: f32[") + shape + "]) {\n  return y = contiguous(transpose(a))\n}");
  };
  CHECK(contains(source("2048, 2048"), "pack, sequential tile=64"));
  CHECK(contains(source("2048, 2048"), "__builtin_prefetch("));
  const std::string one_load = source_of("graph g(a: f32[2048, 2048]) {\n  return y = contiguous(transpose(a))\n}", "x86-64-v4-one-load");
  CHECK_FALSE(contains(one_load, "pack"));
  CHECK_FALSE(contains(one_load, "__builtin_prefetch("));
  CHECK(contains(source("1024, 1024"), "pack, sequential tile=128"));
  CHECK_FALSE(contains(source("1000, 1000"), "pack"));
  CHECK_FALSE(contains(source("128, 1024"), "pack"));
  // Whether blocks are packed depends on the array that is read, not on what is computed from its elements.
  const auto converted = [](const char* from, const char* to) {
    return source_of(std::string("graph g(a: ") + from + "[1024, 512]) {\n  return y = cast(contiguous(transpose(a)), dtype=" + to +
                     ")\n}");
  };
  CHECK(contains(converted("f64", "f32"), "pack"));
  CHECK_FALSE(contains(converted("f32", "f64"), "pack"));

  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph g(a: f32[b, 40, n]) {\n  return y = contiguous(permute(a, axes=[0, 2, 1]))\n}");
  const auto mistake = [&](const char* schedule) { return schedule_mistake(graph.get(), schedule); };
  CHECK(contains(mistake("kernel_0: transpose [thread, sequential, sequential]"), "axis 1 has tile=0; 1 to 32768 are allowed"));
  CHECK(contains(mistake("kernel_0: transpose [thread tile=4, sequential tile=4, sequential tile=4]"),
                 "axis 0 has tile=4; transpose has no tiles of this axis"));
  CHECK(contains(mistake("kernel_0: transpose [thread, sequential tile=512, sequential tile=512]"), "at most 32768 are allowed"));
  CHECK(contains(mistake("kernel_0: scan [thread, sequential, sequential]"), "the recipe must be elementwise or transpose"));
}
