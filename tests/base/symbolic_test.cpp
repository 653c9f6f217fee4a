// Tests symbolic integers: normal forms, rules for division, and proofs. Also searches, with random expressions, for a simplified form that
// has another value, and for a proof that is wrong.
#include "base/symbolic.h"

#include <doctest/doctest.h>

#include <random>

#include "base/error.h"

using namespace harp;

TEST_CASE("G16 dims: equal expressions have one normal form") {
  SymTable t;
  const Sym n = t.variable("n", 0, 4096), m = t.variable("m", 1, 100);
  CHECK(n + m == m + n);
  CHECK((n + 1) * (n - 1) == n * n - 1);
  CHECK(n - n == Sym(0));
  CHECK(2 * n - n == n);
  CHECK(floor_div(n * 64, 64) == n);
  CHECK(floor_div(n * m, m) == n);
  CHECK(mod(n * m + 3, m) == mod(Sym(3), m));
  CHECK(min(n, n + 1) == n);
  CHECK(max(n, Sym(0)) == n);
  CHECK(min(n, m) == min(m, n));
  CHECK(to_string(2 * n * m + floor_div(n + 1, 2) - 1) == "2*n*m + (n + 1) // 2 - 1");
  CHECK(to_string(-n) == "-n");
  CHECK(t.variable("n", 0, 4096) == n);
  CHECK_THROWS_AS(t.variable("n", 0, 1), Error);
}

TEST_CASE("G16 dims: positions of a reshape meet again") {
  SymTable t;
  const Sym n = t.variable("n", 0, 4096), m = t.variable("m", 0, 4096);
  const Sym i = t.loop("i", 0, n), j = t.loop("j", 0, m), k = t.loop("k", 0, n * m), b = t.loop("b", 0, 6);
  CHECK(floor_div(i * m + j, m) == i);
  CHECK(mod(i * m + j, m) == j);
  CHECK(floor_div(k, m) * m + mod(k, m) == k);
  CHECK((floor_div(k, m) * m + mod(k, m)) * 3 + b == 3 * k + b);
  // Here the divisor is a sum.
  const Sym l = t.loop("l", 0, n * (m + 1)), row = m + 1;
  CHECK(floor_div(l, row) * row + mod(l, row) == l);
  CHECK(3 * n * floor_div(l, row) * row + 3 * n * mod(l, row) + i == 3 * n * l + i);
  CHECK(floor_div(l, row) * row + 2 * mod(l, row) != l);
  CHECK(m * floor_div(l, row) + mod(l, row) != l);
  const Sym plane = row * (n + 2);
  CHECK(floor_div(floor_div(l, row), n + 2) * plane + mod(floor_div(l, row), n + 2) * row + mod(l, row) == l);
  const Sym c = t.loop("c", 0, 24);
  CHECK(floor_div(c, 6) * 6 + floor_div(mod(c, 6), 2) * 2 + mod(c, 2) == c);
  CHECK(floor_div(floor_div(c, 2), 3) == floor_div(c, 6));
  CHECK(floor_div(4 * c + 3, 8) == floor_div(c, 2));
  // A row consists of 12 pieces of m elements; j is a position in piece i.
  CHECK(floor_div(i * m + j, 12 * m) == floor_div(i, 12));
  CHECK(mod(i * m + j, 12 * m) == mod(i, 12) * m + j);
  CHECK(12 * m * floor_div(i * m + j, 12 * m) + mod(i * m + j, 12 * m) == i * m + j);
  CHECK(floor_div(4 * c + b, 8) != floor_div(c, 2));  // b may be 4
}

TEST_CASE("G16 dims: proofs use the bounds of loops") {
  SymTable t;
  const Sym n = t.variable("n", 1, 4096);
  const Sym i = t.loop("i", 0, n);
  CHECK(proven_less(i, n));
  CHECK(proven_nonnegative(i));
  CHECK_FALSE(proven_nonnegative(i - 1));
  const Sym inner = t.loop("j", 1, n - 1);
  CHECK(proven_nonnegative(inner - 1));
  CHECK(proven_less(inner + 1, n));
  CHECK(select(inner - 1, inner - 1, inner - 1 + n) == inner - 1);
  const Sym v = t.loop("v", 0, floor_div(n, 16) * 16);
  CHECK(proven_less(v, n));
  const Sym blocks = t.loop("b", 0, ceil_div(n, 4096));
  CHECK(proven_less(4096 * blocks, n + 4095));
  CHECK(proven_at_most(4096 * blocks + 1, n));
  CHECK(proven_nonnegative(n * n - n));
  CHECK(proven_at_most(min(4096 * blocks + 4096, n), n));
  const Sym d = t.variable("d", -5, 5);  // d may be negative; the remainder of a division by d is then between d and 0
  CHECK(proven_nonnegative(mod(n, d) + 5));
  CHECK_FALSE(proven_nonnegative(mod(n, d) - d));
  CHECK_FALSE(proven_nonnegative(mod(n, d)));
}

TEST_CASE("G16 dims: overflow is an error") {
  SymTable t;
  const Sym n = t.variable("n", 0, 100);
  CHECK_THROWS_AS(Sym(INT64_MAX) + 1, Error);
  CHECK_THROWS_AS((n * INT64_MAX) * 2, Error);
  // the two divisors are not multiplied, because the product would overflow
  CHECK_NOTHROW(floor_div(floor_div(t.variable("m", 0, INT64_MAX), int64_t{1} << 62), 4));
  const Sym big = n * (INT64_MAX / 4);
  CHECK_THROWS_AS(evaluate(big, [](const SymAtom&) { return int64_t(100); }), Error);
}

namespace {

struct Random {
  std::mt19937_64 engine;
  int64_t below(int64_t n) { return static_cast<int64_t>(engine() % static_cast<uint64_t>(n)); }
};

int64_t fdiv(int64_t a, int64_t b) { return b == 0 ? 0 : a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }
int64_t fmod_(int64_t a, int64_t b) { return b == 0 ? 0 : a - fdiv(a, b) * b; }

/// An expression, and its values for some values of the variables, computed step by step.
struct Checked {
  Sym e;
  std::vector<int64_t> values;
};

}  // namespace

TEST_CASE("G16 dims: random expressions keep their value, and what is proven holds") {
  int proofs = 0;
  for (int seed = 0; seed < 400; ++seed) {
    Random random{std::mt19937_64(seed)};
    SymTable t;
    const int64_t lo = random.below(3), hi = lo + 1 + random.below(40);
    const Sym n = t.variable("n", lo, hi), m = t.variable("m", 1, 9);
    const Sym i = t.loop("i", 0, n), j = t.loop("j", 1, m + 1);
    std::vector<std::array<int64_t, 4>> points;  // values of n, m, i, j
    for (int p = 0; p < 60; ++p) {
      const int64_t nv = lo + random.below(hi - lo + 1), mv = 1 + random.below(9);
      if (nv == 0) continue;  // i has no values, because the loop over i has no iterations
      points.push_back({nv, mv, random.below(nv), 1 + random.below(mv)});
    }
    auto leaf = [&](Sym e, auto value) {
      Checked c{e, {}};
      for (const auto& p : points) c.values.push_back(value(p));
      return c;
    };
    std::vector<Checked> pool = {leaf(n, [](auto& p) { return p[0]; }), leaf(m, [](auto& p) { return p[1]; }),
                                 leaf(i, [](auto& p) { return p[2]; }), leaf(j, [](auto& p) { return p[3]; })};
    for (int64_t c : {int64_t(1), int64_t(2), int64_t(3), int64_t(8), int64_t(-1)}) pool.push_back(leaf(c, [c](auto&) { return c; }));
    for (int step = 0; step < 14; ++step) {
      const Checked& a = pool[random.below(static_cast<int64_t>(pool.size()))];
      const Checked& b = pool[random.below(static_cast<int64_t>(pool.size()))];
      const Checked& c = pool[random.below(static_cast<int64_t>(pool.size()))];
      const int64_t what = random.below(8);
      Checked r;
      // harp simplifies a division as if the divisor were not 0, so only positive divisors are used.
      const bool divides = what == 3 || what == 4;
      if (divides && range(b.e).lo < 1) continue;
      if (range(a.e).hi > 100000 || range(b.e).hi > 100000) continue;
      switch (what) {
        case 0: r.e = a.e + b.e; break;
        case 1: r.e = a.e - b.e; break;
        case 2: r.e = a.e * b.e; break;
        case 3: r.e = floor_div(a.e, b.e); break;
        case 4: r.e = mod(a.e, b.e); break;
        case 5: r.e = min(a.e, b.e); break;
        case 6: r.e = max(a.e, b.e); break;
        default: r.e = select(c.e, a.e, b.e); break;
      }
      for (size_t p = 0; p < points.size(); ++p) {
        const int64_t x = a.values[p], y = b.values[p], z = c.values[p];
        const int64_t all[] = {x + y, x - y, x * y, fdiv(x, y), fmod_(x, y), std::min(x, y), std::max(x, y), z >= 0 ? x : y};
        r.values.push_back(all[what]);
      }
      const bool proven = proven_nonnegative(r.e);
      proofs += proven;
      for (size_t p = 0; p < points.size(); ++p) {
        const auto& point = points[p];
        const int64_t value = evaluate(r.e, [&](const SymAtom& v) {
          return v.name == "n" ? point[0] : v.name == "m" ? point[1] : v.name == "i" ? point[2] : point[3];
        });
        INFO("seed ", seed, ": ", to_string(r.e), " at n=", point[0], " m=", point[1], " i=", point[2], " j=", point[3]);
        REQUIRE(value == r.values[p]);
        if (proven) REQUIRE(value >= 0);
        REQUIRE(value >= range(r.e).lo);
        REQUIRE(value <= range(r.e).hi);
      }
      pool.push_back(std::move(r));
    }
  }
  CHECK(proofs > 500);
}

namespace {

/// Describes how to build an expression: a variable, a constant, or an operation on the expressions of earlier recipes in the list.
struct Recipe {
  int operation = 0;  // 0: a variable, 1: a constant, otherwise an operation
  int64_t value = 0;
  size_t a = 0, b = 0, c = 0;
};

std::vector<Recipe> random_recipes(Random& random, size_t count) {
  std::vector<Recipe> recipes = {{0, 0}, {0, 1}, {0, 2}};
  for (int64_t constant : {int64_t(1), int64_t(2), int64_t(4), int64_t(5), int64_t(-3)}) recipes.push_back({1, constant});
  auto any = [&] { return static_cast<size_t>(random.below(static_cast<int64_t>(recipes.size()))); };
  while (recipes.size() < count) {
    const size_t a = any(), b = any(), c = any();
    recipes.push_back({2 + static_cast<int>(random.below(8)), 0, a, b, c});
  }
  return recipes;
}

Sym combine(int operation, Sym a, Sym b, Sym c) {
  switch (operation) {
    case 2: return a + b;
    case 3: return a - b;
    case 4: return a * b;
    case 5: return floor_div(a, b);
    case 6: return mod(a, b);
    case 7: return min(a, b);
    case 8: return max(a, b);
    default: return select(c, a, b);
  }
}

/// Builds only the expressions that this recipe uses, the last operand first. (The results must not depend on that order.) Returns nothing
/// if a value exceeds 64 bits.
std::optional<Sym> make_lazily(const std::vector<Recipe>& recipes, size_t at, const std::vector<Sym>& variables) {
  const Recipe& r = recipes[at];
  if (r.operation == 0) return variables[static_cast<size_t>(r.value)];
  if (r.operation == 1) return Sym(r.value);
  const auto c = r.operation == 9 ? make_lazily(recipes, r.c, variables) : Sym(0);
  const auto b = make_lazily(recipes, r.b, variables);
  const auto a = make_lazily(recipes, r.a, variables);
  if (!a || !b || !c) return std::nullopt;
  try {
    return combine(r.operation, *a, *b, *c);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("G16 dims: the normal form does not depend on what was made before") {
  size_t compared = 0;
  for (int seed = 0; seed < 1500; ++seed) {
    Random random{std::mt19937_64(seed)};
    const std::vector<Recipe> recipes = random_recipes(random, 22);
    SymTable eager_table, lazy_table;
    std::vector<Sym> eager_variables, lazy_variables;
    for (const char* name : {"n", "m", "k"}) {
      const int64_t lo = random.below(3), hi = lo + random.below(50);
      eager_variables.push_back(eager_table.variable(name, lo, hi));
      lazy_variables.push_back(lazy_table.variable(name, lo, hi));
    }
    std::vector<std::optional<Sym>> eager;
    for (const Recipe& r : recipes) {
      std::optional<Sym> made;
      try {
        if (r.operation == 0)
          made = eager_variables[static_cast<size_t>(r.value)];
        else if (r.operation == 1)
          made = Sym(r.value);
        else if (eager[r.a] && eager[r.b] && (r.operation != 9 || eager[r.c]))
          made = combine(r.operation, *eager[r.a], *eager[r.b], r.operation == 9 ? *eager[r.c] : Sym(0));
      } catch (const Error&) {
      }
      // Discards an expression whose weight, the number of its terms and factors, exceeds 60, so that expressions do not grow without
      // limit.
      if (made && !made->is_constant() && made->node()->weight > 60) made.reset();
      eager.push_back(made);
    }
    for (size_t i = recipes.size(); i-- > 0;) {
      if (!eager[i]) continue;
      const auto lazy = make_lazily(recipes, i, lazy_variables);
      INFO("seed ", seed, ", recipe ", i);
      REQUIRE(lazy.has_value());
      REQUIRE(to_string(*lazy) == to_string(*eager[i]));
      // Importing rebuilds every expression in another table, which must not change it.
      SymTable imported;
      for (const Sym& v : eager_variables) imported.import(v);
      REQUIRE(to_string(imported.import(*eager[i])) == to_string(*eager[i]));
      ++compared;
    }
  }
  CHECK(compared > 20000);
}
