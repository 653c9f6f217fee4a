// Integer expressions over variables, in normal form. They have two uses: sizes of arrays (over shape variables) and positions inside
// arrays (over shape variables and loop variables).
//
// A Sym is a constant or an interned sum of products of atoms with integer coefficients. An atom is a variable or one of floor_div, mod,
// min, max, select over other Syms. Equal expressions have the same normal form, so == compares identity. Arithmetic is checked:
// Error{kOverflow} if a coefficient does not fit 64 bits or a product of sums has thousands of terms. Division follows docs/semantics.md:
// floor_div rounds toward minus infinity, mod has the divisor's sign, and x // 0 = x % 0 = 0. A division whose divisor cancels is
// simplified as if the divisor were not 0.
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
  constexpr Sym(int64_t value = 0) : value_(value) {}  // NOLINT: converts implicitly, since a constant is an expression
  constexpr Sym(int value) : value_(value) {}          // NOLINT: keeps a literal 0 from becoming a null pointer
  explicit Sym(const SymNode* node) : node_(node) {}

  bool is_constant() const { return node_ == nullptr; }
  bool is_constant(int64_t value) const { return node_ == nullptr && value_ == value; }
  int64_t constant() const { return value_; }  // valid only if is_constant()
  const SymNode* node() const { return node_; }
  /// True if both have the same normal form. Expressions of different tables are equal only if they are constants.
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

/// A variable, or an operation that a sum of products cannot express. kSelect has the value a if c >= 0 and b otherwise.
struct SymAtom {
  AtomKind kind;
  uint32_t id;       // creation order in the table
  std::string name;  // of a kVariable
  // kVariable only. True: a loop variable with symbolic range [a, b). False: a shape variable within `range`.
  bool is_loop;
  Sym a, b, c;
  SymRange range;       // numeric bounds
  uint32_t stage = 0;   // loop variables are numbered from 1; this is the largest number in the atom, or 0
  uint32_t weight = 1;  // sum of the weights of a, b and c, plus 1
  Sym alone = 0;        // the expression that consists of this atom only
};

struct SymTerm {
  int64_t coefficient;
  std::vector<const SymAtom*> factors;  // sorted (symbolic_order.h), never empty; a power repeats its factor
};

struct SymNode {
  SymTable* table;
  uint32_t id;
  std::vector<SymTerm> terms;  // sorted (symbolic_order.h), never empty
  int64_t constant;
  SymRange range;
  uint32_t weight = 0;  // number of atoms and terms, counting repeated ones each time (saturates): the cost of a traversal
};

/// Owns and interns the expressions of one graph or one compile. Not thread-safe.
class SymTable {
 public:
  SymTable();
  ~SymTable();
  SymTable(const SymTable&) = delete;
  SymTable& operator=(const SymTable&) = delete;

  /// Returns the shape variable called `name` with lo <= value <= hi. A second call with the same bounds returns the same variable; other
  /// bounds are Error{kInvalidArgument}.
  Sym variable(std::string_view name, int64_t lo, int64_t hi);
  /// The shape variable called `name` if it exists.
  std::optional<Sym> find_variable(std::string_view name) const;
  /// Shape variables in order of creation.
  std::vector<Sym> variables() const;
  /// Returns a shape variable with the same name and value, whose bounds are the intersection of its own and `bounds`. Use it only in
  /// expressions that are evaluated where `bounds` hold. Do not mix both variables in one expression: they do not compare equal.
  Sym narrowed(const SymAtom* variable, SymRange bounds);
  /// Makes a new loop variable over [begin, end), different from every other variable.
  Sym loop(std::string_view name, Sym begin, Sym end);
  /// Returns the same expression in this table; shape variables are found by name or created.
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
/// Returns `a` if condition >= 0, otherwise `b`.
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

/// Replaces the variables of e that are in the map, and simplifies the result.
using SymSubstitution = std::map<const SymAtom*, Sym>;
Sym substitute(Sym e, const SymSubstitution& replacements);

/// The atom of a variable; e must come from variable() or loop().
const SymAtom* variable_of(Sym variable);
/// The atom if e is exactly one variable, else null.
const SymAtom* as_variable(Sym e);
bool depends_on(Sym e, const SymAtom* variable);
/// All variables in e, also those inside atoms, in creation order.
std::vector<const SymAtom*> variables_of(Sym e);
/// An expression e = coefficient * variable + rest, where coefficient and rest do not depend on the variable. linear_in() returns nothing
/// if e is not linear in the variable.
struct Linear {
  Sym coefficient, rest;
};
std::optional<Linear> linear_in(Sym e, const SymAtom* variable);

/// Evaluates e with the values that `value_of` gives its shape variables; throws Error{kOverflow} on overflow.
int64_t evaluate(Sym e, const std::function<int64_t(const SymAtom&)>& value_of);

/// Prints e in the syntax of the text format: "2*n*m + (n + 1) // 2 - 1".
std::string to_string(Sym e);

}  // namespace harp

template <>
struct std::hash<harp::Sym> {
  size_t operator()(const harp::Sym& e) const { return e.hash(); }
};
