// Tests in-place computation: which outputs may use the array of an input; that results are bit-identical on every backend, with every
// vector width and number of threads; and that other overlaps of arrays are rejected. (memory_plan_test.cpp tests how temporaries share
// memory.)
#include <algorithm>
#include <cstring>
#include <thread>

#include "base/text.h"
#include "graph/text.h"
#include "pipeline.h"
#include "support/backends_run.h"
#include "support/machine.h"

using namespace capi_test;

namespace {

/// Returns the pairs of an output and an input that may share an array, by name: "y of x, z of x".
std::string places_of(std::string_view text) {
  const auto graph = harp::parse_graph(text);
  harp::PipelineOptions options;
  options.target = harp::testing::row("x86-64-v4");
  const std::vector<harp::InPlaceArguments> pairs = harp::in_place_arguments(*graph, options);
  for (const int64_t bytes : {harp::ChainOptions().bytes, int64_t{1}}) {  // chaining of kernels must not change the pairs
    options.chains.bytes = bytes;
    CHECK(harp::generate(*graph, options).in_place == pairs);
  }
  return harp::join(pairs, ", ", [&](const harp::InPlaceArguments& pair) {
    return harp::cat(graph->outputs()[static_cast<size_t>(pair.output)].name, " of ",
                     graph->inputs()[static_cast<size_t>(pair.input)]->as<harp::InputAttributes>().name);
  });
}

/// A parallel_for that splits the range of a kernel over this many threads.
struct Threads {
  size_t width;
  static void parallel_for(void* user, size_t n, size_t, harp_range_body body, void* arg) {
    const size_t width = static_cast<Threads*>(user)->width;
    std::vector<std::thread> threads;
    for (size_t worker = 0; worker < width; ++worker) {
      const size_t begin = n * worker / width, end = n * (worker + 1) / width;
      if (begin < end) threads.emplace_back([=] { body(arg, begin, end, worker); });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

using Bytes = std::vector<unsigned char>;

/// The inputs and outputs of one run. Their memory is only aligned to one element.
class Arrays {
 public:
  Arrays(harp_context* context, harp_program* program, const std::vector<int64_t>& sizes) {
    for (size_t i = 0; i < harp_program_input_count(program); ++i) add(context, program, sizes, i, true);
    for (size_t i = 0; i < harp_program_output_count(program); ++i) add(context, program, sizes, i, false);
  }

  /// Makes output `output` use the memory of input `input`.
  void put(harp_context* context, size_t output, size_t input) {
    Slot& slot = outputs_[output];
    Slot& place = inputs_[input];
    std::vector<int64_t> sizes = dims(slot.buffer.get());
    const harp_dtype dtype = harp_buffer_dtype(slot.buffer.get());
    slot.buffer.reset(harp_buffer_wrap(context, dtype, harp_buffer_rank(slot.buffer.get()), sizes.data(),
                                       harp_buffer_data(place.buffer.get()), nullptr, nullptr, nullptr));
    place.taken = true;
  }

  harp_status run(harp_program* program, harp_error** err = nullptr) {
    std::vector<harp_buffer*> in, out;
    for (const Slot& slot : inputs_) in.push_back(slot.buffer.get());
    for (const Slot& slot : outputs_) out.push_back(slot.buffer.get());
    const harp_status status = harp_program_run(program, in.size(), in.data(), out.size(), out.data(), nullptr, err);
    for (const Slot& slot : inputs_) CHECK((slot.taken || content(slot) == slot.before));
    return status;
  }

  std::vector<Bytes> results() const {
    std::vector<Bytes> all;
    for (const Slot& slot : outputs_) all.push_back(content(slot));
    return all;
  }

 private:
  struct Slot {
    Bytes memory, before;
    Buffer buffer;
    bool taken = false;
  };
  static Bytes content(const Slot& slot) {
    const auto* data = static_cast<const unsigned char*>(harp_buffer_const_data(slot.buffer.get()));
    return {data, data + harp_buffer_size(slot.buffer.get())};
  }

  void add(harp_context* context, harp_program* program, const std::vector<int64_t>& sizes, size_t index, bool is_input) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    REQUIRE((is_input ? harp_program_input : harp_program_output)(program, index, &info, nullptr) == HARP_OK);
    std::vector<int64_t> shape;  // the tests call symbolic axes n and m; sizes[0] is the value of n, and sizes[1] that of m
    for (int32_t axis = 0, at = 1; axis < info.rank; ++axis) {
      const bool is_m = info.shape[at] == 'm';
      shape.push_back(info.dims[axis] >= 0 ? info.dims[axis] : sizes[is_m ? 1 : 0]);
      at = static_cast<int32_t>(std::string(info.shape).find(' ', static_cast<size_t>(at)) + 1);
    }
    const size_t element = harp_dtype_size(info.dtype);
    size_t count = 1;
    for (const int64_t size : shape) count *= static_cast<size_t>(size);
    Slot slot;
    slot.memory.resize((count + 1) * element);
    unsigned char* data = slot.memory.data() + element;
    for (size_t i = 0; i < count; ++i) {
      const int number = static_cast<int>((i * 37 + index * 11) % 101) - 50;
      if (info.dtype == HARP_F32) {
        const float value = static_cast<float>(number) / 16;
        std::memcpy(data + i * element, &value, element);
      } else if (info.dtype == HARP_F64) {
        const double value = number / 16.0;
        std::memcpy(data + i * element, &value, element);
      } else {
        // The elements are arbitrary bytes. These are valid for bool, too: any byte except 0 reads as true.
        std::memcpy(data + i * element, &number, std::min(element, sizeof number));
      }
    }
    slot.buffer.reset(harp_buffer_wrap(context, info.dtype, info.rank, shape.data(), data, nullptr, nullptr, nullptr));
    REQUIRE(slot.buffer != nullptr);
    slot.before = content(slot);
    (is_input ? inputs_ : outputs_).push_back(std::move(slot));
  }

  std::vector<Slot> inputs_, outputs_;
};

/// Returns the in-place assignments that the test tries: each allowed pair of an output and an input alone, then as many pairs as possible
/// together.
std::vector<std::vector<std::pair<size_t, size_t>>> choices_of(harp_program* program) {
  std::vector<std::vector<std::pair<size_t, size_t>>> choices;
  std::vector<std::pair<size_t, size_t>> together;
  for (size_t output = 0; output < harp_program_output_count(program); ++output) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    REQUIRE(harp_program_output(program, output, &info, nullptr) == HARP_OK);
    for (size_t i = 0; i < info.n_in_place; ++i) {
      const size_t input = info.in_place[i];
      choices.push_back({{output, input}});
      if (std::none_of(together.begin(), together.end(), [&](auto& pair) { return pair.first == output || pair.second == input; }))
        together.emplace_back(output, input);
    }
  }
  if (together.size() > 1) choices.push_back(together);
  return choices;
}

void check_bits_in_place(harp_context* context, harp_program* program, const std::vector<std::vector<Bytes>>& expected,
                         const std::vector<std::vector<int64_t>>& sizes) {
  const auto choices = choices_of(program);
  CHECK(!choices.empty());
  if (is_not_for_this_cpu(program)) return;
  for (size_t s = 0; s < sizes.size(); ++s)
    for (const auto& choice : choices) {
      Arrays arrays(context, program, sizes[s]);
      for (const auto& [output, input] : choice) arrays.put(context, output, input);
      CAPTURE(sizes[s][0]);
      CAPTURE(sizes[s][1]);
      CAPTURE(choice[0].first);
      CAPTURE(choice[0].second);
      ErrorSlot err;
      CHECK_MESSAGE(arrays.run(program, err) == HARP_OK, err.message());
      CHECK(arrays.results() == expected[s]);
    }
}

constexpr const char* kGraphs[] = {
    "graph g(x: f32[n in 0..20000]) { return y = relu(x) + 1.0 }",
    "graph g(x: f32[n, m], b: f32[m]) flags=[broadcast] { return y = relu(x + b) }",
    "graph g(x: f32[n, m], b: f32[m]) flags=[broadcast] { return y = exp(x) * b + x }",
    "graph g(a: f64[n, m], b: f64[n, m], c: f64[m]) flags=[broadcast] { return y = a * b + c }",
    "graph g(a: i32[n], b: i32[n]) { return y = a + b, z = a - b, s = a * b }",
    "graph g(a: i64[n], b: f32[n]) { return y = a + cast(b * 4.0, dtype=i64), z = b * cast(a, dtype=f32) }",
    "graph g(a: bool[n], b: bool[n]) { return y = a ^ b, z = a & b }",
    "graph g(x: f32[n, m]) flags=[broadcast] { return y = x - sum(pad(x, before=[0, 1], after=[0, 0]), axes=[1], keepdims=true) }",
    "graph g(x: f32[n, m in 1..5000], z: f32[n, m]) { return y = x + pad(slice(z, start=[0, 1]), before=[0, 1], after=[0, 0]) }",
    "graph g(x: f32[n, m], z: f32[m, n]) { return y = x + permute(z, axes=[1, 0]), q = sqrt(abs(x)) }",
    "graph g(x: f32[n, m], z: f32[n, m]) { return y = x, q = z + roll(x, shift=0, axis=1) * 0.5 }",
    "graph g(x: f32[n]) { return y = x + 1.0, z = x }",
    "graph g(x: f32[n, 1, m]) { return y = reshape(x, shape=[n, m]) * 3.0 }",
};

const std::vector<std::vector<int64_t>> kSizes = {{0, 1}, {1, 1},  {1, 15}, {1, 16},    {2, 17},   {3, 31},
                                                  {5, 3}, {7, 33}, {17, 5}, {100, 100}, {4099, 3}, {9001, 37}};

}  // namespace

TEST_CASE("L3 H5: what is computed element by element may be in place of what nobody needs after that") {
  CHECK(places_of("graph g(x: f32[n]) { return y = relu(x) }") == "y of x");
  CHECK(places_of("graph g(x: f32[n, m], b: f32[m]) flags=[broadcast] { return y = relu(x + b) }") == "y of x");
  CHECK(places_of("graph g(a: f32[n], b: f32[n], c: f32[]) { return y = a * b + c }") == "y of a, y of b");
  CHECK(places_of("graph g(a: f32[], b: f32[1]) { return y = a * 2.0, z = b + a }") ==
        "y of a, y of b, z of a, z of b");  // all of these arrays have one element, so each output may use the array of each input
  CHECK(places_of("graph g(x: f32[n]) { return y = x + 1.0, z = x * 2.0 }") == "y of x, z of x");
  CHECK(places_of("graph g(x: f32[n]) { return y = x }") == "y of x");
  CHECK(places_of("graph g(x: f32[n, 1, m]) { return y = reshape(x, shape=[n, m]) + 1.0 }") == "y of x");
  // A chain of both kernels would read x for later blocks after y has been stored for the first.
  CHECK(places_of("graph g(x: f32[64, 256, 256], w: f32[256, 256]) { return y = softmax(x @ w, axis=2) * x }") == "y of x");
  // When y is written, all reductions of x have finished, so y may overwrite x in the same buffer.
  CHECK(places_of("graph g(x: f32[n, m]) flags=[broadcast] { return y = x - max(x, axes=[1], keepdims=true) }") == "y of x");
  // y may overwrite x in the same buffer only if all other consumers of x have finished when y is written. In this graph they have. If each
  // batch were written before the next one is multiplied, later batches of the product would read overwritten batches of x.
  CHECK(places_of("graph g(x: f32[4, 8, 12], w: f32[4, 12, 12]) {\n  return y = softmax(flip(x, axes=[0]) @ w, axis=2) + x\n}") ==
        "y of x");
  // Consumers of y that run later do not prevent y from overwriting x in the same buffer.
  CHECK(places_of("graph g(x: f32[n, m]) {\n  y = x + 1.0\n  return y = y, s = sum(y * flip(y, axes=[0]), axes=[1])\n}") == "y of x");
}

TEST_CASE("L3 H5: nothing is in place of what is read elsewhere, again, or later") {
  for (const char* text : {
           "graph g(x: f32[n]) { return y = flip(x, axes=[0]) }",
           "graph g(x: f32[n]) { return y = x + flip(x, axes=[0]) }",
           "graph g(x: f32[8, 8]) { return y = permute(x, axes=[1, 0]) }",
           "graph g(x: f32[8, 8]) { return y = x * permute(x, axes=[1, 0]) }",
           "graph g(x: f32[n, 1]) { return y = expand(x, shape=[n, 8]) }",
           "graph g(x: f32[8, 1], z: f32[1, 8]) flags=[broadcast] { return y = x + z }",
           "graph g(x: f32[8]) { return y = roll(x, shift=1, axis=0) }",
           "graph g(x: f32[8]) { return y = pad(slice(x, start=[1]), before=[1], after=[0], value=0.0) }",
           "graph g(x: f32[8]) { return y = pad(slice(x, start=[1]), before=[0], after=[1], value=0.0) + x }",
           "graph g(x: f32[6, 4]) { return y = reshape(x, shape=[4, 6]) + 1.0 }",
           // The kernel stores the product over the axes of x, but the output has another shape.
           "graph g(x: f32[m, n], w: f32[n]) flags=[broadcast] { return y = reshape(x * w, shape=[m*n]) }",
           "graph g(x: f32[40, 8], w: f32[8]) flags=[broadcast] { return y = reshape(x * w, shape=[20, 16]) }",
           "graph g(x: f32[8], z: f32[8]) { return y = concat(x, z, axis=0) }",
           "graph g(x: f32[8, 8]) { return y = sum(x, axes=[1]) }",
           "graph g(x: f32[8, 8], z: f32[8]) { return y = sum(x, axes=[1]) + z }",
           "graph g(x: f32[n]) { return y = cast(x, dtype=i32) }",
           "graph g(x: f32[n]) { return y = x > 0.0 }",
           "graph g(x: f32[n, 0]) { return y = x + 1.0 }",
           // x may not be overwritten, because another kernel reads it in the same generation (kernels that may run at the same time) or in
           // a later one.
           "graph g(x: f32[n, m]) { return y = x + 1.0, s = sum(x, axes=[1]) }",
           "graph g(x: f32[n, m]) flags=[broadcast] { return y = x + 1.0, z = flip(x, axes=[0]) * sum(x, axes=[1], keepdims=true) }",
       }) {
    CAPTURE(text);
    CHECK(places_of(text) == "");
  }
}

TEST_CASE("L3 H5.wrap X2.stable,simd_width,threads,compiler/c: in place the bits are the same") {
  Threads two{2}, four{4};
  const Context serial = make_context();
  const auto with = [](Threads& threads) {
    return make_context([&](auto& options) {
      options.width = threads.width;
      options.parallel_for = &Threads::parallel_for;
      options.parallel_for_user = &threads;
    });
  };
  const Context on_two = with(two), on_four = with(four);
  for (const char* text : kGraphs) {
    CAPTURE(text);
    const Graph graph = parse(serial.get(), text);
    const Program reference = compile(graph.get(), "interp");
    std::vector<std::vector<Bytes>> expected;
    for (const auto& sizes : kSizes) {
      Arrays arrays(serial.get(), reference.get(), sizes);
      REQUIRE(arrays.run(reference.get()) == HARP_OK);
      expected.push_back(arrays.results());
    }
    check_bits_in_place(serial.get(), reference.get(), expected, kSizes);
    const auto check = [&](const Context& context, const std::function<void(harp_compile_options&)>& change) {
      const Graph own = parse(context.get(), text);
      const Program program = compile(own.get(), "c", [&](harp_compile_options& o) {
        if (change) change(o);
        if (!is_sampled(harp::cat(text, o.simd_width, o.plain_text))) compile_quickly(o);
      });
      CHECK(choices_of(program.get()) == choices_of(reference.get()));
      check_bits_in_place(context.get(), program.get(), expected, kSizes);
    };
    for (const int32_t width : {0, 1, 2, 4, 8, 16}) {
      CAPTURE(width);
      check(serial, [&](auto& options) { options.simd_width = width; });
    }
    check(serial, [](auto& options) { options.plain_text = 1; });
    check(serial, [](auto& options) { options.compiler = "clang"; });
    check(on_two, nullptr);
    check(on_four, nullptr);
    check(on_four, [](auto& options) { options.compiler = "clang", options.simd_width = 8; });
  }
}

TEST_CASE("L3 H5.wrap: a program run over one array again and again") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "graph count(x: i32[n, m], b: i32[m]) flags=[broadcast] { return y = x + b }");
  for (const char* backend : {"interp", "c"}) {
    const Program program = compile(graph.get(), backend);
    if (is_not_for_this_cpu(program.get())) continue;
    for (const int64_t columns : {5, 16, 23, 1000}) {
      std::vector<int32_t> x(static_cast<size_t>(columns) * 3, 7), b(static_cast<size_t>(columns), 1);
      const Buffer array = wrap(context.get(), x, {3, columns}), ones = wrap(context.get(), b, {columns});
      harp_buffer* const inputs[] = {array.get(), ones.get()};
      harp_buffer* outputs[] = {array.get()};
      for (int i = 0; i < 10; ++i) CHECK(harp_program_run(program.get(), 2, inputs, 1, outputs, nullptr, nullptr) == HARP_OK);
      CHECK(x == std::vector<int32_t>(x.size(), 17));
    }
  }
}

TEST_CASE("L3.names H5: the signature says what may be in place, also to those who know an older harp.h") {
  const Context context = make_context();
  const Graph graph =
      parse(context.get(), "graph g(a: f32[n], b: f32[n], c: f32[n]) { return y = a * b, s = sum(c, axes=[0]), z = c > 0.0 }");
  for (const char* backend : {"interp", "c"}) {
    const Program program = compile(graph.get(), backend);
    CHECK(take(harp_program_signature(program.get(), nullptr)).find("-> y: f32[n] (in place of a or b), s: f32[], z: bool[n]") !=
          std::string::npos);
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    REQUIRE(harp_program_output(program.get(), 0, &info, nullptr) == HARP_OK);
    REQUIRE(info.n_in_place == 2);
    CHECK(info.in_place[0] == 0);
    CHECK(info.in_place[1] == 1);
    REQUIRE(harp_program_output(program.get(), 2, &info, nullptr) == HARP_OK);
    CHECK(info.n_in_place == 0);
    REQUIRE(harp_program_input(program.get(), 0, &info, nullptr) == HARP_OK);
    CHECK(info.n_in_place == 0);
    info.n_in_place = 77;
    info.struct_size = offsetof(harp_array_info, n_in_place);
    REQUIRE(harp_program_output(program.get(), 0, &info, nullptr) == HARP_OK);
    CHECK(std::string(info.name) == "y");
    CHECK(info.n_in_place == 77);
  }
}

TEST_CASE("H5.wrap C1: every other overlap is an error, outputs untouched") {
  const Context context = make_context();
  const Graph graph =
      parse(context.get(), "graph g(a: f32[n], b: f32[n], c: f32[n]) { return y = a * b, z = a + b, q = flip(c, axes=[0]) }");
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Program program = compile(graph.get(), backend);
    if (is_not_for_this_cpu(program.get())) continue;
    std::vector<float> memory(200);
    for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
    const std::vector<float> before = memory;
    const int64_t eight[] = {8};
    const auto at = [&](size_t offset) {
      return Buffer(harp_buffer_wrap(context.get(), HARP_F32, 1, eight, memory.data() + offset, nullptr, nullptr, nullptr));
    };
    const auto status = [&](const std::vector<size_t>& places, const char* message) {
      std::vector<Buffer> buffers;
      std::vector<harp_buffer*> arrays;
      for (const size_t place : places) arrays.push_back(buffers.emplace_back(at(place)).get());
      ErrorSlot err;
      const harp_status result = harp_program_run(program.get(), 3, arrays.data(), 3, arrays.data() + 3, nullptr, err);
      if (*message != 0) {
        CHECK(result == HARP_ERROR_ALIAS);
        CHECK_MESSAGE(err.message().find(message) != std::string::npos, err.message());
        CHECK(memory == before);
      } else {
        CHECK_MESSAGE(result == HARP_OK, err.message());
        memory = before;
      }
    };
    // Each list has the addresses of a, b, c, y, z and q.
    status({0, 20, 40, 60, 80, 100}, "");
    status({0, 20, 40, 0, 80, 100}, "");    // y is in the array of a
    status({0, 20, 40, 20, 80, 100}, "");   // y is in the array of b
    status({0, 20, 40, 20, 0, 100}, "");    // y is in the array of b, z in that of a
    status({20, 20, 40, 60, 20, 100}, "");  // a and b are one array, and z is in it
    status({0, 20, 40, 60, 80, 40}, "output \"q\" overlaps input \"c\" by 32 bytes; the program cannot compute it in place: g(");
    status({0, 20, 40, 40, 80, 100}, "output \"y\" overlaps input \"c\" by 32 bytes");
    status({0, 20, 40, 1, 80, 100}, "output \"y\" overlaps input \"a\" by 28 bytes; to compute in place, pass the same array for both");
    status({1, 20, 40, 0, 80, 100}, "output \"y\" overlaps input \"a\" by 28 bytes; to compute in place, pass the same array for both");
    status({0, 20, 40, 0, 0, 100}, "output \"z\" overlaps output \"y\" by 32 bytes");
    status({0, 4, 40, 0, 80, 100}, "output \"y\" overlaps input \"b\" by 16 bytes");  // y is in the array of a, which overlaps b
    status({0, 20, 40, 0, 4, 100}, "output \"z\" overlaps");
    status({0, 20, 4, 0, 80, 100}, "output \"y\" overlaps input \"c\" by 16 bytes");  // y is in the array of a, which overlaps c
  }
}
