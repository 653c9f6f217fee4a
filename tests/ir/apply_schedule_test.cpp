// Tests apply_schedule(), which turns scalar loops with schedule tags into vector loops, unrolled loops and so on, and the tags that the
// verifier rejects.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.h"
#include "ir/apply_schedule.h"
#include "ir/rewrite.h"

namespace {

using namespace harp;
using namespace harp::ir;

/// A module of one kernel with an input and an output of f32, and an accumulator of 64 elements.
struct Bench {
  std::shared_ptr<SymTable> syms = std::make_shared<SymTable>();
  Module module;

  Bench() {
    module.arena = std::make_shared<Arena>(syms);
    Kernel kernel;
    kernel.name = "kernel_0";
    kernel.comment = "test";
    kernel.params = {{"input0", DType::kF32, false}, {"output0", DType::kF32, true}};
    kernel.accumulators = {{{DType::kF32, 1}, 64, Op::kAdd, scalar_from_double(DType::kF32, 0)}};
    module.kernels = {std::move(kernel)};
    module.generations.resize(1);
    module.generations[0].launches = {{0, std::vector<HostBuffer>(2), std::nullopt}};
  }
  Arena& arena() { return *module.arena; }
  Body& body() { return module.kernels[0].body; }
  Store* copy(Sym index, const UOp* mask = nullptr) {
    auto* s = arena().statement<Store>();
    s->buffer = 1;
    s->index = index;
    s->value = arena().load(DType::kF32, 0, index, mask);
    return s;
  }
  AccUpdate* update(Sym element, Sym index) {
    auto* s = arena().statement<AccUpdate>();
    s->accumulator = 0;
    s->index = element;
    s->value = arena().load(DType::kF32, 0, index);
    return s;
  }
  Stmt* declare() {
    auto* s = arena().statement<AccDeclare>();
    s->accumulator = 0;
    return s;
  }
  /// Returns the message about the rule that the kernel breaks, or "" if it breaks none.
  std::string offence() {
    try {
      verify(module);
    } catch (const Error& e) {
      return e.message;
    }
    return "";
  }
  std::string text() { return print(arena(), module.kernels[0]); }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("H2 apply_schedule: a nest of contiguous loops becomes one loop over vectors") {
  Bench b;
  Loop *row = new_loop(b.arena(), "row", 0, 8), *column = new_loop(b.arena(), "column", 0, 16);
  row->tags.nest.emplace();
  column->tags.vector = {.lanes = 4};
  column->body = {b.copy(row->variable * 16 + column->variable)};
  row->body = {column};
  b.body() = {row};
  CHECK(b.offence() == "");
  CHECK(has(b.text(), "[vector of 4]"));
  apply_schedule(b.module);
  CHECK(b.offence() == "");
  const Loop* only = only_loop_in(b.body());
  REQUIRE(only != nullptr);
  CHECK(only->step == 4);
  CHECK(only->end.is_constant(128));
  CHECK(as<Store>(only->body[0])->value->type.lanes == 4);
  CHECK(!has(b.text(), "vector of"));
}

TEST_CASE("H2 apply_schedule: a long loop is divided into chunks for threads, a short one is not") {
  for (const int64_t length : {1000, 1000000}) {
    CAPTURE(length);
    Bench b;
    Loop* loop = new_loop(b.arena(), "i", 0, length, LoopKind::kThread);
    loop->tags.nest = {.chunks = true};
    loop->tags.vector = {.lanes = 8};
    loop->body = {b.copy(loop->variable)};
    b.body() = {loop};
    CHECK(b.offence() == "");
    apply_schedule(b.module);
    CHECK(b.offence() == "");
    CHECK((thread_loop(b.module.kernels[0]) != nullptr) == (length > 4096));
  }
}

TEST_CASE("H2 apply_schedule: rows that are shorter than a vector get vectors of fewer lanes, a single loop does not") {
  for (const bool has_rows : {true, false}) {
    CAPTURE(has_rows);
    Bench b;
    const Sym n = b.syms->variable("n", 0, 100);
    Loop *row = new_loop(b.arena(), "row", 0, 8), *column = new_loop(b.arena(), "column", 0, n);
    column->tags.vector = {.lanes = 16, .overlap = true};
    column->body = {b.copy(has_rows ? row->variable * (n + 1) + column->variable : column->variable)};  // the rows are not adjacent
    row->body = {column};
    Loop* outermost = has_rows ? row : column;
    outermost->tags.nest.emplace();
    b.body() = {outermost};
    apply_schedule(b.module);
    CHECK(b.offence() == "");
    const Body& body = has_rows ? row->body : b.body();
    REQUIRE(body.size() == 1);
    const auto* wide = as<If>(body[0]);
    REQUIRE(wide != nullptr);
    CHECK(wide->condition == n - 16);
    CHECK(as<Loop>(wide->body[0])->step == 16);
    REQUIRE(wide->otherwise.size() == 1);
    const auto* narrow = as<If>(wide->otherwise[0]);
    REQUIRE((narrow != nullptr) == has_rows);
    if (narrow == nullptr) {
      CHECK(as<Loop>(wide->otherwise[0])->step == 1);
      continue;
    }
    CHECK(narrow->condition == n - 4);
    CHECK(as<Loop>(narrow->body[0])->step == 4);
    CHECK(as<Loop>(narrow->otherwise[0])->step == 1);
  }
}

TEST_CASE("L5.simd_width/c: a row of a few vectors, whose number is known, has the statements of each of them instead of a loop") {
  for (const int64_t size : {13, 31, 33}) {
    CAPTURE(size);
    Bench b;
    const Sym n = b.syms->variable("n", 0, 100);
    Loop *row = new_loop(b.arena(), "row", 0, n), *column = new_loop(b.arena(), "column", 0, size);
    column->tags.vector = {.lanes = 4, .overlap = true};
    column->body = {b.copy(row->variable * (size + 1) + column->variable)};
    row->body = {column};
    row->tags.nest.emplace();
    b.body() = {row};
    apply_schedule(b.module);
    CHECK(b.offence() == "");
    if (size == 33) {
      CHECK(as<Loop>(row->body[0])->overlap);
      continue;
    }
    REQUIRE(std::ssize(row->body) == size / 4 + 1);
    for (int64_t i = 0; i * 4 < size; ++i)
      CHECK(as<Store>(row->body[static_cast<size_t>(i)])->index == row->variable * (size + 1) + std::min(i * 4, size - 4));
  }
}

TEST_CASE("H2 apply_schedule: an accumulator that becomes one vector is declared with its first value") {
  constexpr int kElements = 4;
  /// Returns the text of the scheduled kernel whose body made(bench, declare, set) returns; declare and set are functions that make
  /// statements. declare(number) makes a declaration of an accumulator. set(number, from, lanes, added) makes a loop of `lanes` iterations
  /// that sets the elements of an accumulator to the elements of input0 from index `from` on, plus the elements of accumulator `added` if
  /// `added` is not negative.
  const auto scheduled = [](auto made) {
    Bench b;
    b.module.kernels[0].accumulators.assign(2, {{DType::kF32, 1}, kElements, Op::kAdd, scalar_from_double(DType::kF32, 0)});
    const auto declare = [&](int number) {
      auto* s = b.arena().statement<AccDeclare>();
      s->accumulator = number;
      return s;
    };
    const auto set = [&](int number, int64_t from, int lanes, int added) {
      Loop* lane = new_loop(b.arena(), "lane", 0, lanes);
      lane->tags.vector = {.lanes = lanes, .most_steps = 1};
      auto* s = b.arena().statement<AccSet>();
      s->accumulator = number;
      s->index = lane->variable;
      s->value = b.arena().load(DType::kF32, 0, lane->variable + from);
      if (added >= 0) s->value = b.arena().alu(Op::kAdd, DType::kF32, {s->value, b.arena().acc(DType::kF32, added, lane->variable)});
      lane->body = {s};
      return lane;
    };
    b.body() = made(b, declare, set);
    CHECK(b.offence() == "");
    apply_schedule(b.module);
    CHECK(b.offence() == "");
    return b.text();
  };
  std::string text = scheduled([](Bench&, auto declare, auto set) {
    return Body{declare(0), declare(1), set(0, 0, kElements, -1), set(1, 4, kElements, 0)};
  });
  CHECK(has(text, "declare acc0 as "));
  CHECK(has(text, "declare acc1 as "));
  CHECK(!has(text, "set acc"));

  // The accumulator is not declared with its first value if this value reads the accumulator, if the accumulator is used before, if a
  // statement that is neither a declaration nor an AccSet comes before the AccSet, or if only some of the elements are set.
  text = scheduled([](Bench&, auto declare, auto set) { return Body{declare(0), set(0, 0, kElements, 0)}; });
  CHECK(has(text, "declare acc0\n"));
  CHECK(has(text, "set acc0["));
  text = scheduled([](Bench&, auto declare, auto set) {
    return Body{declare(0), declare(1), set(1, 0, kElements, 0), set(0, 4, kElements, -1)};
  });
  CHECK(has(text, "declare acc0\n"));
  CHECK(has(text, "declare acc1 as "));
  text = scheduled([](Bench& b, auto declare, auto set) { return Body{declare(0), b.copy(0), set(0, 0, kElements, -1)}; });
  CHECK(has(text, "declare acc0\n"));
  text = scheduled([](Bench&, auto declare, auto set) { return Body{declare(0), set(0, 0, kElements / 2, -1)}; });
  CHECK(has(text, "declare acc0\n"));
}

TEST_CASE("H2 apply_schedule: accumulators that fit in registers are written out") {
  Bench b;
  Loop *row = new_loop(b.arena(), "row", 0, 100), *column = new_loop(b.arena(), "column", 0, 64);
  column->tags.vector = {.lanes = 16, .most_registers = 8};
  column->body = {b.update(column->variable, row->variable * 64 + column->variable)};
  row->body = {column};
  b.body() = {b.declare(), row};
  CHECK(b.offence() == "");
  apply_schedule(b.module);
  CHECK(b.offence() == "");
  CHECK(row->body.size() == 4);
  for (const Stmt* s : row->body) CHECK(as<AccUpdate>(s)->value->type.lanes == 16);
}

TEST_CASE("H2 apply_schedule: what only nonempty sizes allow becomes a condition of the launch") {
  Bench b;
  const Sym n = b.syms->variable("n", 0, 100);
  Loop* loop = new_loop(b.arena(), "i", 0, n);
  loop->tags.nest = {.nonempty = true};
  loop->tags.vector = {.lanes = 4, .partition = true, .unswitch = true};
  loop->body = {b.copy(loop->variable, b.arena().in_range(n - 2 - loop->variable))};
  b.body() = {loop};
  apply_schedule(b.module);
  const std::optional<Sym>& guard = b.module.generations[0].launches[0].guard;
  REQUIRE(guard);
  CHECK(*guard == n - 1);
  CHECK(!has(b.text(), "in_range"));
}

TEST_CASE("IR: the verifier names the tag that cannot be executed") {
  Bench b;
  Loop* loop = new_loop(b.arena(), "i", 0, 64);
  loop->tags.vector = {.lanes = 4};
  loop->body = {b.update(loop->variable, loop->variable)};
  b.body() = {b.declare(), loop};
  CHECK(b.offence() == "");
  b.module.kernels[0].is_scheduled = true;
  CHECK(has(b.offence(), "a loop of a scheduled kernel has no tags, but i has"));
  b.module.kernels[0].is_scheduled = false;
  loop->body = {b.update(0, loop->variable)};
  CHECK(has(b.offence(), "changes its own elements of an accumulator"));
  loop->body = {b.update(loop->variable, loop->variable)};
  loop->tags.vector->lanes = 3;
  CHECK(has(b.offence(), "the number of lanes is a power of two"));
  loop->tags.vector->lanes = 4;
  loop->step = 2;
  CHECK(has(b.offence(), "a loop that becomes vectors has step 1 and no overlapping steps, but i has step 2"));
  loop->step = 1;
  Loop* around = new_loop(b.arena(), "row", 0, 10);
  around->tags.nest.emplace();
  around->body = {b.copy(around->variable), loop};
  b.body() = {b.declare(), around};
  CHECK(has(b.offence(), "each loop of a nest contains only the next one"));
}

}  // namespace
