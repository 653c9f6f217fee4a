// Integer expressions over variables, in normal form. Two users: sizes of arrays (variables are shape variables) and
// positions inside arrays (variables are shape variables and loop variables).
//
// A Sym is a constant or an interned sum of products of atoms with integer coefficients; an atom is a variable or one of
// floor_div, mod, min, max, select over other Syms. Because equal expressions have the same normal form, == is identity.
// Arithmetic is checked: a coefficient that does not fit 64 bits is Error{kOverflow}, and so is a product of sums that would have
// thousands of terms. Division follows docs/semantics.md:
// floor_div floors, mod has the divisor's sign, x // 0 = x % 0 = 0; a division whose divisor cancels is simplified as if
// the divisor were not 0.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harp {

class SymTable;
struct SymNode;
struct SymAtom;

class Sym {
 public:
  constexpr Sym(int64_t value = 0) : value_(value) {}  // NOLINT: a constant is an expression
  constexpr Sym(int value) : value_(value) {}          // NOLINT: so that a literal 0 is not a null pointer
  explicit Sym(const SymNode* node) : node_(node) {}

  bool is_constant() const { return node_ == nullptr; }
  bool is_constant(int64_t value) const { return node_ == nullptr && value_ == value; }
  int64_t constant() const { return value_; }  // only if is_constant()
  const SymNode* node() const { return node_; }
  /// Same normal form. Expressions of different tables are never equal unless constant.
  friend bool operator==(const Sym& a, const Sym& b) { return a.node_ == b.node_ && a.value_ == b.value_; }
  size_t hash() const;

 private:
  int64_t value_ = 0;  // 0 when node_ is set
  const SymNode* node_ = nullptr;
};

struct SymRange {
  int64_t lo, hi;  // inclusive; INT64_MIN / INT64_MAX also mean "no bound known"
};

enum class AtomKind : uint8_t { kVariable, kFloorDiv, kMod, kMin, kMax, kSelect };

/// A variable, or an operation the sum-of-products form cannot express. kSelect is `a` where c >= 0, else `b`.
struct SymAtom {
  AtomKind kind;
  uint32_t id;       // position in the table; smaller ids were made earlier
  std::string name;  // kVariable
  bool is_loop;      // kVariable: ranges over [a, b) (symbolic), else a shape variable within `range`
  Sym a, b, c;
  SymRange range;       // numeric bounds
  uint32_t stage = 0;   // number of the latest loop variable in it, from 1; 0: there is none
  uint32_t weight = 1;  // of a, b and c, and 1
  Sym alone = 0;        // the expression that is this atom and nothing else
};

struct SymTerm {
  int64_t coefficient;
  std::vector<const SymAtom*> factors;  // sorted (symbolic_order.h), never empty; squares repeat
};

struct SymNode {
  SymTable* table;
  uint32_t id;
  std::vector<SymTerm> terms;  // sorted (symbolic_order.h), never empty
  int64_t constant;
  SymRange range;
  uint32_t weight = 0;  // atoms and terms when written out (saturates): what printing it or walking through it costs
};

/// Owns and interns the expressions of one graph or one compile. Not thread-safe.
class SymTable {
 public:
  SymTable();
  ~SymTable();
  SymTable(const SymTable&) = delete;
  SymTable& operator=(const SymTable&) = delete;

  /// The shape variable called `name`, lo <= it <= hi. Asking again with the same bounds gives the same one; with other
  /// bounds: Error{kInvalidArgument}.
  Sym variable(std::string_view name, int64_t lo, int64_t hi);
  /// A shape variable that exists, or nothing.
  std::optional<Sym> find_variable(std::string_view name) const;
  /// Shape variables in order of creation.
  std::vector<Sym> variables() const;
  /// The shape variable where more is known about it: same name, same value, bounds no wider than both its own and `bounds`. Only for
  /// expressions that are evaluated where `bounds` hold; the two must not meet in one expression, which would not see them as equal.
  Sym narrowed(const SymAtom* variable, SymRange bounds);
  /// A new loop variable over [begin, end), different from every other.
  Sym loop(std::string_view name, Sym begin, Sym end);
  /// The same expression in this table; shape variables are found by name or created.
  Sym import(Sym foreign);

 private:
  friend struct SymBuilder;
  struct State;
  std::unique_ptr<State> state_;
};

Sym operator+(Sym a, Sym b);
Sym operator-(Sym a, Sym b);
Sym operator-(Sym a);
Sym operator*(Sym a, Sym b);
inline Sym& operator+=(Sym& a, Sym b) { return a = a + b; }
inline Sym& operator*=(Sym& a, Sym b) { return a = a * b; }
Sym floor_div(Sym a, Sym b);
Sym mod(Sym a, Sym b);
Sym min(Sym a, Sym b);
Sym max(Sym a, Sym b);
/// `a` where condition >= 0, else `b`.
Sym select(Sym condition, Sym a, Sym b);
inline Sym ceil_div(Sym a, Sym b) { return floor_div(a + b - 1, b); }
Sym product(std::span<const Sym> factors);

/// Numeric bounds of an expression.
SymRange range(Sym e);
/// True only if e >= 0 for every value its variables can take; false means "not proven".
bool proven_nonnegative(Sym e);
inline bool proven_positive(Sym e) { return proven_nonnegative(e - 1); }
inline bool proven_less(Sym a, Sym b) { return proven_nonnegative(b - a - 1); }
inline bool proven_at_most(Sym a, Sym b) { return proven_nonnegative(b - a); }

/// e with each variable replaced; variables not in the map stay. Simplifies again on the way.
using SymSubstitution = std::map<const SymAtom*, Sym>;
Sym substitute(Sym e, const SymSubstitution& replacements);

/// The variable's atom; only for a Sym that variable() or loop() returned.
const SymAtom* variable_of(Sym variable);
/// The atom if e is exactly one variable, else null.
const SymAtom* as_variable(Sym e);
bool depends_on(Sym e, const SymAtom* variable);
/// Every variable in e, in the order of creation, also those inside atoms.
std::vector<const SymAtom*> variables_of(Sym e);
/// e = coefficient * variable + rest, with neither depending on the variable; nothing if e is not linear in it.
struct Linear {
  Sym coefficient, rest;
};
std::optional<Linear> linear_in(Sym e, const SymAtom* variable);

/// Value with shape variables from `value_of`; checked, Error{kOverflow}.
int64_t evaluate(Sym e, const std::function<int64_t(const SymAtom&)>& value_of);

/// In the text format's syntax: "2*n*m + (n + 1) // 2 - 1".
std::string to_string(Sym e);

}  // namespace harp

template <>
struct std::hash<harp::Sym> {
  size_t operator()(const harp::Sym& e) const { return e.hash(); }
};
