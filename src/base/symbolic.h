// Defines integer expressions over variables, in normal form. They represent sizes of arrays (over shape variables) and positions inside
// arrays (over shape variables and loop variables).
//
// A Sym is a constant or an interned sum of products of atoms with integer coefficients. An atom is a variable or an operation (floor_div,
// mod, min, max, select) on other Syms. Interned expressions with the same normal form are the same object, so == compares addresses.
// Arithmetic is checked: it throws Error{kOverflow} if a coefficient does not fit 64 bits or a product of sums has thousands of terms.
// Division follows docs/semantics.md: floor_div rounds toward minus infinity, mod has the divisor's sign, and x // 0 = x % 0 = 0. A
// division whose divisor cancels is simplified as if the divisor were not 0.
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
  int64_t constant() const { return value_; }  // must be called only if is_constant()
  const SymNode* node() const { return node_; }
  /// True if both have the same normal form. Expressions of different tables are equal only if they are equal constants.
  friend bool operator==(const Sym& a, const Sym& b) { return a.node_ == b.node_ && a.value_ == b.value_; }
  size_t hash() const;

 private:
  int64_t value_ = 0;  // the value of a constant; 0 if node_ is set
  const SymNode* node_ = nullptr;
};

struct SymRange {
  int64_t lo, hi;  // both inclusive; lo = INT64_MIN or hi = INT64_MAX also means "no bound known"
};

enum class AtomKind : uint8_t { kVariable, kFloorDiv, kMod, kMin, kMax, kSelect };

/// A variable, or an operation that a sum of products cannot express. kSelect means: a if c >= 0, otherwise b.
struct SymAtom {
  AtomKind kind;
  uint32_t id;       // number of the atom in its table, in order of creation
  std::string name;  // the name, if the atom is a variable (kVariable)
  // Only for kVariable. True: a loop variable with the symbolic range [a, b). False: a shape variable with values in `range`.
  bool is_loop;
  Sym a, b, c;
  SymRange range;       // numeric bounds
  uint32_t stage = 0;   // the highest number among the loop variables in the atom (loop variables are numbered from 1); 0 if it has none
  uint32_t weight = 1;  // 1 plus the weights (SymNode::weight) of the operands a, b and c
  Sym alone = 0;        // the expression that consists of only this atom
};

struct SymTerm {
  int64_t coefficient;
  std::vector<const SymAtom*> factors;  // sorted (symbolic_order.h), never empty; a power is stored as repeated factors
};

struct SymNode {
  SymTable* table;
  uint32_t id;
  std::vector<SymTerm> terms;  // sorted (symbolic_order.h), never empty
  int64_t constant;
  SymRange range;
  uint32_t weight = 0;  // number of atoms and terms, with repetitions (saturates at UINT32_MAX): the cost of traversing the expression
};

/// Owns the interned expressions of one graph or one compilation. Not thread-safe.
class SymTable {
 public:
  SymTable();
  ~SymTable();
  SymTable(const SymTable&) = delete;
  SymTable& operator=(const SymTable&) = delete;

  /// Returns the shape variable called `name`, whose values satisfy lo <= value <= hi. A second call with the same bounds returns the same
  /// variable; other bounds throw Error{kInvalidArgument}.
  Sym variable(std::string_view name, int64_t lo, int64_t hi);
  /// Returns the shape variable called `name` if it exists.
  std::optional<Sym> find_variable(std::string_view name) const;
  /// Shape variables in order of creation.
  std::vector<Sym> variables() const;
  /// Returns a second variable for the same shape variable: with the same name and value, but with its bounds intersected with `bounds`.
  /// Use it only in expressions that are evaluated where `bounds` hold. Do not mix the two variables in one expression: they do not compare
  /// equal.
  Sym narrowed(const SymAtom* variable, SymRange bounds);
  /// Makes a new loop variable over [begin, end), different from every other variable.
  Sym loop(std::string_view name, Sym begin, Sym end);
  /// Returns the expression of another table as an expression of this table. Its shape variables are looked up by name, or created.
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

/// Returns numeric bounds of the expression, found by interval arithmetic.
SymRange range(Sym e);
/// True only if e >= 0 is proven for all values of its variables; false means that nothing is proven.
bool proven_nonnegative(Sym e);
inline bool proven_positive(Sym e) { return proven_nonnegative(e - 1); }
inline bool proven_less(Sym a, Sym b) { return proven_nonnegative(b - a - 1); }
inline bool proven_at_most(Sym a, Sym b) { return proven_nonnegative(b - a); }

/// Replaces those variables of e that are keys of the map by their values in the map, and simplifies the result.
using SymSubstitution = std::map<const SymAtom*, Sym>;
Sym substitute(Sym e, const SymSubstitution& replacements);

/// Returns the atom of `variable`, which must consist of exactly one variable, like the results of variable() and loop().
const SymAtom* variable_of(Sym variable);
/// Returns the variable's atom if e consists of exactly one variable, otherwise null.
const SymAtom* as_variable(Sym e);
bool depends_on(Sym e, const SymAtom* variable);
/// Returns all variables that occur in e, also inside operations, in order of creation.
std::vector<const SymAtom*> variables_of(Sym e);
/// The form e = coefficient * variable + rest, where neither coefficient nor rest depends on the variable. linear_in() returns nothing if e
/// does not have this form.
struct Linear {
  Sym coefficient, rest;
};
std::optional<Linear> linear_in(Sym e, const SymAtom* variable);

/// Returns the value of e, given the value of each of its shape variables. Throws Error{kOverflow} on overflow.
int64_t evaluate(Sym e, const std::function<int64_t(const SymAtom&)>& value_of);

/// Returns e as text, in the syntax of the text format: "2*n*m + (n + 1) // 2 - 1".
std::string to_string(Sym e);

}  // namespace harp

template <>
struct std::hash<harp::Sym> {
  size_t operator()(const harp::Sym& e) const { return e.hash(); }
};
