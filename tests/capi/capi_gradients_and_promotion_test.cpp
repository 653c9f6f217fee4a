// Tests functions of harp.h that front ends need: gradients that are zero where y is independent of x, queries about dependence, promotion
// of every pair of dtypes, and arrays that are filled or padded with the value of a node.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/capi_support.h"

using namespace capi_test;

namespace {

constexpr uint32_t kZeros = HARP_GRAD_ZERO_WHERE_INDEPENDENT;
constexpr harp_dtype kAll[] = {HARP_BOOL, HARP_I8,  HARP_U8,   HARP_I16, HARP_U16, HARP_I32,       HARP_U32,       HARP_I64,
                               HARP_U64,  HARP_F16, HARP_BF16, HARP_F32, HARP_F64, HARP_COMPLEX64, HARP_COMPLEX128};

std::string mistake_of(const Graph& g) { return harp_error_message(harp_graph_error(g.get())); }

harp_node* input(const Graph& g, const char* name, std::vector<harp_dim> dims, harp_dtype dtype = HARP_F32) {
  return harp_input(g.get(), name, dtype, static_cast<int32_t>(dims.size()), dims.data());
}

/// Returns the sum of all elements of a one-dimensional array.
harp_node* sum_of(harp_node* x) {
  const int32_t axis = 0;
  return harp_sum(x, 1, &axis, 0);
}

/// Runs a graph without inputs on a backend and returns its outputs.
std::vector<Buffer> results_of(const Graph& g, const char* backend) {
  const Program program = compile(g.get(), backend);
  REQUIRE(program != nullptr);
  return run(program.get(), {});
}

}  // namespace

TEST_CASE("G19.loud_error C1: a gradient that does not exist has a status of its own") {
  const Context context = make_context();
  const auto fails = [&](const std::function<harp_node*(harp_node * x, harp_node * w)>& y_of, uint32_t flags) {
    const Graph g = make_graph(context.get());
    harp_node *x = input(g, "x", {3}), *w = input(g, "w", {3});
    harp_node* out[] = {w};
    const harp_status status = harp_grad_flags(sum_of(y_of(x, w)), 1, &x, nullptr, flags, out);
    CHECK(out[0] == w);
    CHECK(harp_error_code(harp_graph_error(g.get())) == status);
    CHECK(status == HARP_ERROR_NO_GRADIENT);
    return mistake_of(g);
  };
  const auto independent = [](harp_node*, harp_node* w) { return w; };
  const auto through_integers = [](harp_node* x, harp_node* w) { return harp_mul(harp_cast(harp_cast(x, HARP_I32), HARP_F32), w); };
  const auto through_bools = [](harp_node* x, harp_node* w) { return harp_where(harp_lt(x, w), w, harp_neg(w)); };
  const auto through_bits = [](harp_node* x, harp_node* w) {
    return harp_mul(harp_bitcast(harp_bitwise_not(harp_bitcast(x, HARP_I32)), HARP_F32), w);
  };
  CHECK(fails(independent, 0).find("does not depend on \"x\"") != std::string::npos);
  CHECK(fails(through_integers, 0).find("gradients do not pass through integers") != std::string::npos);
  CHECK(fails(through_bools, 0).find("gradients do not pass through bools") != std::string::npos);
  CHECK(fails(through_bits, 0).find("bitcast has no derivative") != std::string::npos);
  CHECK(fails(through_bits, kZeros).find("bitcast has no derivative") != std::string::npos);
}

TEST_CASE("G19.loud_error G1: zeros where y is independent, if they are asked for") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const harp_dim n = harp_dim_var(g.get(), "n", 0, 100);
  harp_node *x = input(g, "x", {3}), *w = input(g, "w", {3}), *b = input(g, "b", {3}), *i = input(g, "i", {3}),
            *z = input(g, "z", {2, n}, HARP_COMPLEX64);
  harp_node* step = harp_where(harp_lt(b, x), w, harp_cast(harp_cast(i, HARP_I32), HARP_F32));
  harp_node* y = sum_of(harp_mul(harp_mul(x, w), step));
  harp_node* later = input(g, "later", {1}, HARP_F64);
  harp_node* const xs[] = {x, b, z, w, i, later, y};
  harp_node* dx[7] = {};
  REQUIRE(harp_grad_flags(y, 7, xs, nullptr, kZeros, dx) == HARP_OK);
  for (size_t k = 0; k < 7; ++k) {
    REQUIRE(harp_node_rank(dx[k]) == harp_node_rank(xs[k]));
    CHECK(harp_node_dtype(dx[k]) == harp_node_dtype(xs[k]));
    std::vector<harp_dim> own(2), of_x(2);
    CHECK(harp_node_dims(dx[k], harp_node_rank(dx[k]), own.data(), nullptr) == HARP_OK);
    CHECK(harp_node_dims(xs[k], harp_node_rank(xs[k]), of_x.data(), nullptr) == HARP_OK);
    CHECK(own == of_x);
  }
  // With respect to nodes on which y depends, harp_grad (without the flag HARP_GRAD_ZERO_WHERE_INDEPENDENT) returns the same nodes.
  harp_node* const dependent[] = {x, w, y};
  harp_node* same[3] = {};
  REQUIRE(harp_grad(y, 3, dependent, nullptr, same) == HARP_OK);
  CHECK(same[0] == dx[0]);
  CHECK(same[1] == dx[3]);
  CHECK(same[2] == dx[6]);
  for (size_t k = 0; k < 7; ++k) CHECK(harp_output(g.get(), ("d" + std::to_string(k)).c_str(), dx[k]) == HARP_OK);

  std::vector<float> vx = {1, 2, 3}, vw = {4, 5, 6}, vb = {0, 9, 0}, vi = {7, 7, 7};
  std::vector<std::complex<float>> vz = {{1, 2}, {3, 4}};
  std::vector<double> vl = {1};
  const Buffer bx = wrap(context.get(), vx, {3}), bw = wrap(context.get(), vw, {3}), bb = wrap(context.get(), vb, {3}),
               bi = wrap(context.get(), vi, {3}), bz = wrap(context.get(), vz, {2, 1}), bl = wrap(context.get(), vl, {1});
  for (const char* backend : {"interp", "c"}) {
    const Program program = compile(g.get(), backend);
    REQUIRE(program != nullptr);
    const std::vector<Buffer> r = run(program.get(), {bx.get(), bw.get(), bb.get(), bi.get(), bz.get(), bl.get()});
    REQUIRE(r.size() == 7);
    // Where b < x, the step is w, so y is the sum of x * w * w and its derivatives are w * w and 2 * x * w. Elsewhere the step is the
    // constant 7.
    CHECK(values<float>(r[0].get()) == std::vector<float>{16, 35, 36});
    CHECK(values<float>(r[1].get()) == std::vector<float>{0, 0, 0});
    CHECK(values<std::complex<float>>(r[2].get()) == std::vector<std::complex<float>>{0, 0});
    CHECK(values<float>(r[3].get()) == std::vector<float>{8, 14, 36});
    CHECK(values<float>(r[4].get()) == std::vector<float>{0, 0, 0});
    CHECK(values<double>(r[5].get()) == std::vector<double>{0});
    CHECK(values<float>(r[6].get()) == std::vector<float>{1});
  }
}

TEST_CASE("G19.loud_error C1: flags of gradients, and other mistakes that stay mistakes") {
  const Context context = make_context();
  const auto fails = [&](harp_status code, const std::function<harp_status(harp_node * x, harp_node * i, harp_node * *out)>& call) {
    const Graph g = make_graph(context.get());
    harp_node *x = input(g, "x", {3}), *i = input(g, "i", {3}, HARP_I32);
    harp_node* out[] = {x};
    CHECK(call(x, i, out) == code);
    CHECK(out[0] == x);
    return mistake_of(g);
  };
  CHECK(fails(HARP_ERROR_INVALID_ARGUMENT, [](auto* x, auto*, auto** out) { return harp_grad_flags(sum_of(x), 1, &x, nullptr, 2, out); }) ==
        "grad: flags is 2; expected 0 or HARP_GRAD_ZERO_WHERE_INDEPENDENT");
  CHECK(fails(HARP_ERROR_DTYPE, [](auto* x, auto* i, auto** out) {
          return harp_grad_flags(sum_of(x), 1, &i, nullptr, kZeros, out);
        }).find("only floats and complex numbers have gradients") != std::string::npos);
  CHECK(fails(HARP_ERROR_SHAPE, [](auto* x, auto*, auto** out) {
          return harp_grad_flags(x, 1, &x, nullptr, kZeros, out);
        }).find("has more than one element") != std::string::npos);
  CHECK(fails(HARP_ERROR_INVALID_ARGUMENT, [](auto* x, auto*, auto** out) {
          return harp_grad_flags(sum_of(x), 0, nullptr, nullptr, kZeros, out);
        }).find("expected at least one node to differentiate") != std::string::npos);
  // Without y, any other node determines the graph that stores the error; without any node, only the status reports it.
  CHECK(fails(HARP_ERROR_INVALID_ARGUMENT, [](auto* x, auto*, auto** out) {
          harp_node* const xs[] = {nullptr, x};
          return harp_grad(nullptr, 2, xs, nullptr, out);
        }) == "grad: operand 1 is NULL");
  CHECK(fails(HARP_ERROR_INVALID_ARGUMENT, [](auto* x, auto*, auto** out) { return harp_grad(nullptr, 0, nullptr, x, out); }) ==
        "grad: operand 1 is NULL");
  CHECK(harp_grad_flags(nullptr, 0, nullptr, nullptr, 0, nullptr) == HARP_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("G19.loud_error: what depends on what") {
  const Context context = make_context();
  const Graph g = make_graph(context.get()), other = make_graph(context.get());
  harp_node *x = input(g, "x", {3}), *w = input(g, "w", {3}), *foreign = input(other, "x", {3});
  harp_node *b = harp_lt(x, w), *k = harp_cast(x, HARP_I32), *y = harp_where(b, w, harp_neg(w));
  CHECK(harp_depends(x, x) == 1);
  CHECK(harp_depends(y, x) == 1);  // y depends on x only through a bool
  CHECK(harp_depends(y, w) == 1);
  CHECK(harp_depends(y, b) == 1);
  CHECK(harp_depends(k, x) == 1);
  CHECK(harp_depends(k, w) == 0);
  CHECK(harp_depends(y, k) == 0);  // y does not use k, although k was made before y
  CHECK(harp_depends(x, y) == 0);  // x does not depend on y
  CHECK(harp_depends(harp_stop_gradient(x), x) == 1);
  CHECK(harp_depends(nullptr, x) == 0);
  CHECK(harp_depends(x, nullptr) == 0);
  CHECK(harp_depends(x, foreign) == 0);
  CHECK(harp_graph_error(g.get()) == nullptr);
}

TEST_CASE("G9.promotion: everything with everything, as the table of docs/semantics.md says") {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "docs" / "semantics.md");
  REQUIRE(file.good());
  /// The cells of a row of a Markdown table, without bars, blanks and asterisks.
  const auto cells_of = [](std::string row) {
    for (char& c : row)
      if (c == '|' || c == '*') c = ' ';
    std::istringstream words(row);
    std::vector<std::string> cells;
    for (std::string word; words >> word;) cells.push_back(word);
    return cells;
  };
  std::string line;
  while (std::getline(file, line) && !line.starts_with("| | bool |")) {
  }
  const std::vector<std::string> names = cells_of(line);
  REQUIRE(names.size() == std::size(kAll));
  std::getline(file, line);  // skips the line under the heading of the table
  const Context context = make_context();
  for (size_t a = 0; a < names.size(); ++a) {
    REQUIRE(std::getline(file, line));
    std::vector<std::string> row = cells_of(line);
    REQUIRE(row.size() == names.size() + 1);
    CHECK(row[0] == names[a]);
    CHECK(names[a] == harp_dtype_name(kAll[a]));
    for (size_t b = 0; b < names.size(); ++b) {
      const Graph g = make_graph(context.get(), HARP_GRAPH_PROMOTE_MIXED);
      harp_node *x = input(g, "x", {3}, kAll[a]), *y = input(g, "y", {3}, kAll[b]), *c = input(g, "c", {3}, HARP_BOOL);
      const std::string pair = names[a] + " with " + names[b];
      CHECK_MESSAGE(harp_dtype_name(harp_node_dtype(harp_where(c, x, y))) == row[b + 1], pair);
      CHECK_MESSAGE(harp_node_dtype(harp_eq(x, y)) == HARP_BOOL, pair);
      harp_node* const both[] = {y, x};
      CHECK_MESSAGE(harp_dtype_name(harp_node_dtype(harp_concat(2, both, 0))) == row[b + 1], pair);
      if (row[b + 1] != "bool") CHECK_MESSAGE(harp_dtype_name(harp_node_dtype(harp_add(x, y))) == row[b + 1], pair);
      CHECK_MESSAGE(harp_graph_error(g.get()) == nullptr, mistake_of(g));
    }
  }
}

TEST_CASE("G9.promotion: floats are f32 by default, and decide among several operands") {
  const Context context = make_context();
  for (const harp_dtype dtype : kAll) {
    const Graph g = make_graph(context.get(), HARP_GRAPH_PROMOTE_MIXED);
    harp_node* x = input(g, "x", {3}, dtype);
    const bool is_float = std::find(std::begin(kAll), std::end(kAll), HARP_F16) <= std::find(std::begin(kAll), std::end(kAll), dtype);
    const harp_dtype expected = is_float ? dtype : HARP_F32;
    CHECK(harp_node_dtype(harp_exp(x)) == expected);
    CHECK(harp_node_dtype(harp_mean(x, 0, nullptr, 0)) == expected);
    CHECK(harp_node_dtype(harp_div(x, x)) == expected);
    CHECK_MESSAGE(harp_graph_error(g.get()) == nullptr, mistake_of(g));
  }
  std::array<harp_dtype, 3> order = {HARP_I8, HARP_U64, HARP_F16};
  const auto joined = [&] {
    const Graph g = make_graph(context.get(), HARP_GRAPH_PROMOTE_MIXED);
    harp_node* const parts[] = {input(g, "a", {1}, order[0]), input(g, "b", {1}, order[1]), input(g, "c", {1}, order[2])};
    return harp_node_dtype(harp_concat(3, parts, 0));
  };
  std::sort(order.begin(), order.end());
  do CHECK(joined() == HARP_F16);
  while (std::next_permutation(order.begin(), order.end()));
  order = {HARP_BOOL, HARP_U64, HARP_I8};
  std::sort(order.begin(), order.end());
  do CHECK(joined() == HARP_F32);
  while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("G9.promotion G9.infer_error: which flag promotes what") {
  const Context context = make_context();
  constexpr uint32_t kBroadcast = HARP_GRAPH_BROADCAST, kPromote = HARP_GRAPH_PROMOTE, kMixed = HARP_GRAPH_PROMOTE_MIXED;
  const auto sum = [&](uint32_t flags, harp_dtype a, harp_dtype b) {
    const Graph g = make_graph(context.get(), flags);
    harp_node* node = harp_add(input(g, "a", {3}, a), input(g, "b", {3}, b));
    return node != nullptr ? std::string(harp_dtype_name(harp_node_dtype(node))) : mistake_of(g);
  };
  CHECK(sum(0, HARP_F32, HARP_F64)
            .ends_with("they must be the same: cast one, for example cast(\"b\", dtype=f32), or make the graph with "
                       "the promote flag"));
  CHECK(sum(0, HARP_I32, HARP_F32)
            .ends_with("they must be the same: cast one, for example cast(\"b\", dtype=i32), or make the graph with "
                       "the promote_mixed flag"));
  for (const auto& [a, b] : {std::pair(HARP_I32, HARP_F32), std::pair(HARP_BOOL, HARP_I8), std::pair(HARP_I64, HARP_U64)}) {
    const std::string message = sum(kPromote, a, b);
    CHECK_MESSAGE(message.find("which do not promote to a common one: cast one") != std::string::npos, message);
    CHECK_MESSAGE(message.ends_with("or make the graph with the promote_mixed flag"), message);
  }
  CHECK(sum(kPromote, HARP_I8, HARP_U8) == "i16");
  CHECK(sum(kMixed, HARP_I8, HARP_U8) == "i16");
  CHECK(sum(kMixed, HARP_I32, HARP_F16) == "f16");
  CHECK(sum(kMixed | kPromote | kBroadcast, HARP_I32, HARP_F16) == "f16");

  ErrorSlot err;
  CHECK(Graph(harp_graph_new(context.get(), 8, err)) == nullptr);
  CHECK(err.message().starts_with("harp_graph_new: unknown flags 8; expected 0 or a combination of HARP_GRAPH_BROADCAST"));

  // The flags in the text format have the same effect as the flags of harp_graph_new.
  for (const char* flags : {"promote_mixed", "promote_mixed, promote", "promote, promote_mixed", "broadcast, promote_mixed"}) {
    const Graph g = parse(context.get(), std::string("graph g(i: i32[3], x: f32[3]) flags=[") + flags + "] {\n  return y = i + x\n}");
    REQUIRE(g != nullptr);
    const bool broadcasts = std::string(flags).find("broadcast") != std::string::npos;
    const std::string text = take(harp_graph_print(g.get(), nullptr));
    CHECK_MESSAGE(text.find(broadcasts ? " flags=[broadcast, promote_mixed] {" : " flags=[promote_mixed] {") != std::string::npos, text);
    CHECK(take(harp_graph_print(parse(context.get(), text).get(), nullptr)) == text);
  }
}

TEST_CASE("G9.promotion: values of mixed operands") {
  const Context context = make_context();
  const Graph g = make_graph(context.get(), HARP_GRAPH_PROMOTE_MIXED);
  harp_node *i = input(g, "i", {2}, HARP_I32), *u = input(g, "u", {2}, HARP_U64), *b = input(g, "b", {2}, HARP_BOOL),
            *d = input(g, "d", {2}, HARP_F64);
  harp_node* const made[] = {harp_mul(i, harp_constant(g.get(), HARP_F32, 0.5)), harp_add(u, i), harp_add(b, i), harp_mul(b, d),
                             harp_div(i, harp_constant_i64(g.get(), HARP_UNKNOWN, 4))};
  for (size_t k = 0; k < std::size(made); ++k) REQUIRE(harp_output(g.get(), ("y" + std::to_string(k)).c_str(), made[k]) == HARP_OK);
  std::vector<int32_t> vi = {-3, 5};
  std::vector<uint64_t> vu = {UINT64_C(1) << 40, 7};
  std::vector<uint8_t> vb = {1, 0};
  std::vector<double> vd = {0.1, -2};
  const Buffer bi = wrap(context.get(), vi, {2}), bu = wrap(context.get(), vu, {2}), bb = wrap(context.get(), vb, {2}),
               bd = wrap(context.get(), vd, {2});
  for (const char* backend : {"interp", "c"}) {
    const Program program = compile(g.get(), backend);
    REQUIRE(program != nullptr);
    const std::vector<Buffer> r = run(program.get(), {bi.get(), bu.get(), bb.get(), bd.get()});
    REQUIRE(r.size() == 5);
    CHECK(values<float>(r[0].get()) == std::vector<float>{-1.5, 2.5});
    CHECK(values<float>(r[1].get()) == std::vector<float>{0x1p40f, 12});
    CHECK(values<int32_t>(r[2].get()) == std::vector<int32_t>{-2, 5});
    CHECK(values<double>(r[3].get()) == std::vector<double>{0.1, 0});
    CHECK(values<float>(r[4].get()) == std::vector<float>{-0.75, 1.25});
  }
}

TEST_CASE("G1: full takes any scalar, exactly") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const harp_dim two = 2, shape[] = {2, 1};
  constexpr int64_t kBeyondDoubles = (INT64_C(1) << 53) + 1;
  harp_node* computed = harp_mul(harp_constant(g.get(), HARP_F32, 3), harp_constant(g.get(), HARP_F32, 0.5));
  harp_node* const made[] = {harp_full(harp_constant_i64(g.get(), HARP_I64, kBeyondDoubles), 1, &two),
                             harp_full(harp_constant_u64(g.get(), HARP_U64, UINT64_MAX), 1, &two),
                             harp_full(harp_constant_bool(g.get(), 1), 1, &two),
                             harp_full(harp_constant_complex(g.get(), HARP_COMPLEX64, 1, -2), 2, shape),
                             harp_full(computed, 1, &two),
                             harp_full(computed, 0, nullptr)};
  CHECK(made[5] == computed);
  CHECK(harp_node_rank(made[3]) == 2);
  for (size_t k = 0; k < std::size(made); ++k) REQUIRE(harp_output(g.get(), ("y" + std::to_string(k)).c_str(), made[k]) == HARP_OK);
  for (const char* backend : {"interp", "c"}) {
    const std::vector<Buffer> r = results_of(g, backend);
    REQUIRE(r.size() == 6);
    CHECK(values<int64_t>(r[0].get()) == std::vector<int64_t>(2, kBeyondDoubles));
    CHECK(values<uint64_t>(r[1].get()) == std::vector<uint64_t>(2, UINT64_MAX));
    CHECK(values<uint8_t>(r[2].get()) == std::vector<uint8_t>{1, 1});
    CHECK(values<std::complex<float>>(r[3].get()) == std::vector<std::complex<float>>(2, {1, -2}));
    CHECK(values<float>(r[4].get()) == std::vector<float>{1.5, 1.5});
    CHECK(values<float>(r[5].get()) == std::vector<float>{1.5});
  }
  CHECK(harp_full(nullptr, 1, &two) == nullptr);
  CHECK(harp_graph_error(g.get()) == nullptr);
  CHECK(harp_full(harp_constant_i64(g.get(), HARP_UNKNOWN, 7), 1, &two) == nullptr);
  CHECK(harp_error_code(harp_graph_error(g.get())) == HARP_ERROR_DTYPE);
  CHECK(mistake_of(g).find("is not known; give the number a dtype") != std::string::npos);
}

TEST_CASE("G5: pad takes any scalar, exactly") {
  const Context context = make_context();
  constexpr int64_t kBeyondDoubles = (INT64_C(1) << 53) + 1;
  const harp_dim before = 1, after = 2, crop = -1;
  const auto text_of = [&](const Graph& g, harp_node* node) {
    REQUIRE_MESSAGE(harp_output(g.get(), "y", node) == HARP_OK, mistake_of(g));
    return take(harp_graph_print(g.get(), nullptr));
  };
  SUBCASE("a constant is the value of the primitive") {
    const auto padded = [&](harp_dtype dtype, const std::function<harp_node*(harp_graph*)>& value) {
      const Graph g = make_graph(context.get());
      return text_of(g, harp_pad(input(g, "x", {2}, dtype), 1, &before, &after, nullptr, value(g.get())));
    };
    const auto has = [](const std::string& text, const std::string& part) {
      CHECK_MESSAGE(text.find("pad(x, before=[1], after=[2], value=" + part + ")") != std::string::npos, text);
      CHECK_MESSAGE(text.find("where") == std::string::npos, text);
    };
    has(padded(HARP_F32, [](harp_graph*) { return nullptr; }), "f32(0)");
    has(padded(HARP_F32, [](harp_graph* g) { return harp_constant(g, HARP_F32, -0.0); }), "f32(-0)");
    has(padded(HARP_I64, [&](harp_graph* g) { return harp_constant_i64(g, HARP_I64, kBeyondDoubles); }), "i64(9007199254740993)");
    has(padded(HARP_U64, [&](harp_graph* g) { return harp_constant_u64(g, HARP_UNKNOWN, UINT64_MAX); }), "u64(18446744073709551615)");
    has(padded(HARP_BOOL, [](harp_graph* g) { return harp_constant_bool(g, 1); }), "bool(true)");
    has(padded(HARP_COMPLEX128, [](harp_graph* g) { return harp_constant_complex(g, HARP_COMPLEX128, 1, -2); }), "complex128(1, -2)");
  }
  SUBCASE("another node is selected around the array") {
    const Graph g = make_graph(context.get());
    harp_node *x = input(g, "x", {3}, HARP_I64), *v = input(g, "v", {}, HARP_I64), *z = input(g, "z", {1}, HARP_COMPLEX64),
              *c = input(g, "c", {}, HARP_COMPLEX64), *b = input(g, "b", {2}, HARP_BOOL), *t = input(g, "t", {}, HARP_BOOL);
    harp_node* const made[] = {harp_pad(x, 1, &before, &after, "constant", v), harp_pad(x, 1, &crop, &after, nullptr, v),
                               harp_pad(z, 1, &before, &after, nullptr, c), harp_pad(b, 1, &before, &after, nullptr, t),
                               harp_pad(x, 1, &before, &after, "edge", v)};
    for (size_t k = 0; k < std::size(made); ++k)
      REQUIRE_MESSAGE(harp_output(g.get(), ("y" + std::to_string(k)).c_str(), made[k]) == HARP_OK, mistake_of(g));
    std::vector<int64_t> vx = {1, 2, 3}, vv = {kBeyondDoubles};
    std::vector<std::complex<float>> vz = {{1, -1}}, vc = {{3, -4}};
    std::vector<uint8_t> vb = {0, 1}, vt = {1};
    const Buffer bx = wrap(context.get(), vx, {3}), bv = wrap(context.get(), vv, {}), bz = wrap(context.get(), vz, {1}),
                 bc = wrap(context.get(), vc, {}), bb = wrap(context.get(), vb, {2}), bt = wrap(context.get(), vt, {});
    for (const char* backend : {"interp", "c"}) {
      const Program program = compile(g.get(), backend);
      REQUIRE(program != nullptr);
      const std::vector<Buffer> r = run(program.get(), {bx.get(), bv.get(), bz.get(), bc.get(), bb.get(), bt.get()});
      REQUIRE(r.size() == 5);
      constexpr int64_t k = kBeyondDoubles;
      CHECK(values<int64_t>(r[0].get()) == std::vector<int64_t>{k, 1, 2, 3, k, k});
      CHECK(values<int64_t>(r[1].get()) == std::vector<int64_t>{2, 3, k, k});
      CHECK(values<std::complex<float>>(r[2].get()) == std::vector<std::complex<float>>{{3, -4}, {1, -1}, {3, -4}, {3, -4}});
      CHECK(values<uint8_t>(r[3].get()) == std::vector<uint8_t>{1, 0, 1, 1, 1});
      CHECK(values<int64_t>(r[4].get()) == std::vector<int64_t>{1, 1, 2, 3, 3, 3});
    }
  }
  SUBCASE("the gradient of the value is that of all it is put to") {
    const Graph g = make_graph(context.get());
    harp_node *x = input(g, "x", {2}), *v = input(g, "v", {}), *w = input(g, "w", {5});
    harp_node* const xs[] = {x, v};
    harp_node* d[2] = {};
    REQUIRE(harp_grad(sum_of(harp_mul(w, harp_pad(x, 1, &before, &after, nullptr, v))), 2, xs, nullptr, d) == HARP_OK);
    REQUIRE(harp_output(g.get(), "dx", d[0]) == HARP_OK);
    REQUIRE(harp_output(g.get(), "dv", d[1]) == HARP_OK);
    std::vector<float> vx = {1, 2}, vv = {3}, vw = {1, 2, 4, 8, 16};
    const Buffer bx = wrap(context.get(), vx, {2}), bv = wrap(context.get(), vv, {}), bw = wrap(context.get(), vw, {5});
    for (const char* backend : {"interp", "c"}) {
      const Program program = compile(g.get(), backend);
      REQUIRE(program != nullptr);
      const std::vector<Buffer> r = run(program.get(), {bx.get(), bv.get(), bw.get()});
      REQUIRE(r.size() == 2);
      CHECK(values<float>(r[0].get()) == std::vector<float>{2, 4});
      CHECK(values<float>(r[1].get()) == std::vector<float>{25});
    }
  }
  SUBCASE("dtypes agree or promote") {
    const Graph mixed = make_graph(context.get(), HARP_GRAPH_PROMOTE_MIXED);
    CHECK(harp_node_dtype(harp_pad(input(mixed, "i", {2}, HARP_I32), 1, &before, &after, nullptr,
                                   harp_constant(mixed.get(), HARP_F32, 0.5))) == HARP_F32);
    const Graph g = make_graph(context.get());
    harp_pad(input(g, "i", {2}, HARP_I32), 1, &before, &after, nullptr, harp_constant(g.get(), HARP_F32, 0.5));
    CHECK(mistake_of(g).starts_with("pad: operands have dtypes i32 and f32"));
    const Graph other = make_graph(context.get());
    harp_node* x = input(other, "x", {2});
    harp_pad(x, 1, &before, &after, nullptr, x);
    CHECK(harp_error_code(harp_graph_error(other.get())) == HARP_ERROR_SHAPE);
    CHECK(mistake_of(other) == "pad: the value is \"x\" of shape [2]; it must be a scalar");
  }
  SUBCASE("in the text format") {
    const char* head = "graph g(x: f32[n], s: f32[]) {\n  return y = ";
    const Graph g = parse(context.get(), std::string(head) + "pad(x, [1], [2], value=s * 2)\n}");
    std::vector<float> vx = {1, 2}, vs = {3};
    const Buffer bx = wrap(context.get(), vx, {2}), bs = wrap(context.get(), vs, {});
    const Program program = compile(g.get(), "interp");
    REQUIRE(program != nullptr);
    const std::vector<Buffer> r = run(program.get(), {bx.get(), bs.get()});
    REQUIRE(r.size() == 1);
    CHECK(values<float>(r[0].get()) == std::vector<float>{6, 1, 2, 6, 6});
    const Graph number = parse(context.get(), std::string(head) + "pad(x, [1], [2], value=1 + 2)\n}");
    CHECK(take(harp_graph_print(number.get(), nullptr)).find("value=f32(3))") != std::string::npos);
  }
}
