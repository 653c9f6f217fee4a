// Proves that two accesses to a shared accumulator do not use the same element.
//
// Two accesses by threads t1 != t2 must not use the same element: index1(t1, ...) != index2(t2, ...) for all values of the variables that
// may differ. One of three methods must prove that the difference of the indices is not 0:
//
// 1. Its sign is known: proven_positive(). Example: thread t < 32 may read element t + 32 while it writes element t.
// 2. The index is a number in mixed radix. The difference is a sum of terms c * x, with constants c > 0 and integers x in a known range. In
//    some terms x is a digit of t1 minus the same digit of t2, where a digit of t is t itself, t // k or t % k. Consider a term whose
//    coefficient c exceeds the largest absolute value that the sum of all terms with smaller coefficients can have. If the whole sum is 0
//    and all terms with larger coefficients are 0, then this term is 0, too, because the smaller terms cannot cancel it. If the term with
//    the largest coefficient and the next ones, down to some coefficient, all have this property, and the digits in these terms determine
//    a thread number, then t1 = t2. Examples: thread t may use elements 33 * (t // 32) + t % 32 of a tile, elements t + 256 * j for all j,
//    or the elements from 16 * t to 16 * t + 15 in any order. Terms with large coefficients may be ignored if all of these coefficients
//    are multiples of one c, and the sum of the smaller terms is always less than c in absolute value: if the whole sum is 0, the sum of
//    the smaller terms is a multiple of c, so it is 0. Example: thread t < 64 may use elements 64 * (n // 64) + t for any n.
// 3. In the sum of method 2, the term with the largest c is the difference of two remainders, x % k - y % k, where x - y is a constant that
//    k does not divide. This term is not 0, and the smaller terms cannot cancel it. Example: threads may read half step % 2 of an array
//    while they write half (step + 1) % 2.
//
// never_share_an_element(), which compares two accesses whatever the threads are, can use only methods 1 and 3.
#include "ir/distinct_elements.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "ir/verify_groups.h"

namespace harp::ir {
namespace {

/// One of the two accesses in a comparison, with its own copy of each variable that may have different values in the two accesses.
class Side {
 public:
  /// `other` is the access to compare with. With `whole` the thread may be any thread of the group; otherwise the range of thread numbers
  /// is limited by the conditions of the access.
  Side(SymTable& syms, const LoopsByVariable& loops, const SharedAccess& access, const SharedAccess& other, bool whole)
      : syms_(syms), loops_(loops), access_(access), other_(other) {
    if (access.group != nullptr) {
      const SymAtom* thread = variable_of(access.group->variable);
      ThreadRange threads{access.group->begin, access.group->end};
      if (!whole) threads = threads_where(*access.group, access.conditions, [&](const SymAtom* v) { return is_same(v); });
      thread_ = syms.loop(thread->name, threads.begin, threads.end);
      own_[thread] = thread_;
    }
    index_ = (*this)(access.index);
    if (access.lanes > 1) index_ += syms.loop("lane", 0, access.lanes) * (*this)(access.lane_step);
  }

  /// Returns the number of the thread that executes the access; a constant if every thread executes it.
  Sym thread() const { return thread_; }
  Sym index() const { return index_; }
  /// Rewrites an expression of the access: each variable that may differ between the accesses is replaced by this side's copy of it.
  Sym operator()(Sym e) {
    for (const SymAtom* v : variables_of(e)) rename(v);
    return substitute(e, own_);
  }

 private:
  /// Tests whether the variable has the same value on both sides of the comparison.
  bool is_same(const SymAtom* v) const {
    if (!v->is_loop) return true;
    for (const SharedAccess* a : {&access_, &other_})
      if (a->varying.contains(v) || (a->group != nullptr && variable_of(a->group->variable) == v)) return false;
    return true;
  }
  /// Makes a copy of a variable that may differ between the sides. The bounds of a variable mention only variables that were created before
  /// it, so the recursion ends.
  void rename(const SymAtom* v) {
    if (is_same(v) || own_.contains(v)) return;
    const auto loop = loops_.find(v);
    own_[v] = loop == loops_.end() ? syms_.loop(v->name, (*this)(v->a), (*this)(v->b)) : values_in(syms_, *loop->second, std::ref(*this));
  }

  SymTable& syms_;
  const LoopsByVariable& loops_;
  const SharedAccess &access_, &other_;
  SymSubstitution own_;
  Sym thread_, index_;
};

/// Implements methods 2 and 3 of the comment at the top: treats the difference of two indices as a sum of digits with coefficients.
class Digits {
 public:
  Digits(SymTable& syms, const LoopsByVariable& loops, const SharedAccess& a, const SharedAccess& b)
      : first_(syms, loops, a, b, true),
        second_(syms, loops, b, a, true),
        first_thread_(variable_of(first_.thread())),
        second_thread_(variable_of(second_.thread())) {
    for (const Sym& c : a.conditions) pin(first_(c), first_ranges_);
    for (const Sym& c : b.conditions) pin(second_(c), second_ranges_);
  }

  /// Tests whether equal indices imply equal threads.
  bool tell_threads() {
    if (!find_terms()) return false;
    if (is_never_zero(terms_, constant_)) return true;
    for (auto larger = terms_.cend();; --larger) {
      if (tell_by_smaller(terms_, larger, constant_)) return true;
      if (larger == terms_.cbegin()) return false;
    }
  }
  /// Tests whether the indices are never equal, whatever the threads are.
  bool tell_elements() { return find_terms() && is_never_zero(terms_, constant_); }

 private:
  /// Collects the terms c * x of the sum whose coefficients c have the same absolute value. The sum of their integers x, with the signs of
  /// the coefficients, is in [least, most].
  struct Term {
    int64_t least = 0, most = 0;
    bool is_bounded = true;
    int digits = 0, others = 0;  // digits: how many of the integers x are digits of a thread number; others: how many are not
    // The digit of the first thread's number, and the digit of the second thread's number.
    const SymAtom *first = nullptr, *second = nullptr;
    int64_t first_sign = 0, second_sign = 0;
    // The last integers found that are not digits: `added` has a positive coefficient, `subtracted` a negative one.
    const SymAtom *added = nullptr, *subtracted = nullptr;

    /// Tests whether the term is the difference of two remainders x % k - y % k that are never equal, because k does not divide x - y.
    bool never_vanishes() const {
      if (digits != 0 || others != 2 || added == nullptr || subtracted == nullptr) return false;
      const Sym divisor = added->kind == AtomKind::kMod ? added->b : subtracted->kind == AtomKind::kMod ? subtracted->b : Sym(0);
      const auto dividend = [&](const SymAtom* x) -> std::optional<Sym> {
        if (x->kind == AtomKind::kMod && x->b == divisor) return x->a;
        // an integer from 0 to divisor - 1 equals its own remainder
        if (const SymRange values = range(x->alone); values.lo >= 0 && divisor.is_constant() && values.hi < divisor.constant())
          return x->alone;
        return std::nullopt;
      };
      const std::optional<Sym> a = dividend(added), b = dividend(subtracted);
      if (!a || !b || divisor.is_constant(0)) return false;
      const Sym apart = mod(*a - *b, divisor);
      return apart.is_constant() && !apart.is_constant(0);
    }
  };

  /// Sets terms_ and constant_ to the difference of the indices. Returns false if that is a constant, or if it is not a sum of terms c * x
  /// as method 2 requires.
  bool find_terms() {
    const Sym difference = first_.index() - second_.index();
    if (difference.is_constant()) return false;
    constant_ = difference.node()->constant;
    for (const SymTerm& t : difference.node()->terms)
      if (t.factors.size() != 1 || !add(t.coefficient, *t.factors[0], terms_)) return false;
    return true;
  }

  bool add(int64_t coefficient, const SymAtom& atom, std::map<int64_t, Term>& terms) {
    if (coefficient == INT64_MIN) return false;
    const bool is_first = depends_on(atom.alone, first_thread_), is_second = depends_on(atom.alone, second_thread_);
    const int64_t sign = coefficient < 0 ? -1 : 1;
    Term& term = terms[coefficient * sign];
    SymRange values = range(atom.alone);
    if (is_first || is_second) {
      if (variables_of(atom.alone).size() != 1) return false;  // a digit depends on no variable except the thread number
      ++term.digits;
      (is_first ? term.first : term.second) = &atom;
      (is_first ? term.first_sign : term.second_sign) = sign;
      values = known_range(&atom, values, is_first ? first_ranges_ : second_ranges_);
    } else {
      ++term.others;
      (sign > 0 ? term.added : term.subtracted) = &atom;
    }
    // Limit of the absolute value of an integer x, so that sums of the integers do not overflow. An integer that may exceed it counts as
    // unbounded.
    constexpr int64_t kMax = int64_t{1} << 40;
    term.is_bounded &= values.lo > -kMax && values.hi < kMax && term.digits + term.others < 1000;
    if (!term.is_bounded) return true;
    term.least += sign > 0 ? values.lo : -values.hi;
    term.most += sign > 0 ? values.hi : -values.lo;
    return true;
  }

  /// Tests whether equal indices imply equal threads, using only the terms before `larger`. Let c be the coefficient at `larger`. The terms
  /// from `larger` on must be multiples of c, and the terms before it must together be less than c in absolute value. Then, if the
  /// difference of the indices is 0, the smaller terms and the remainder of the constant modulo c also add up to 0.
  bool tell_by_smaller(const std::map<int64_t, Term>& terms, std::map<int64_t, Term>::const_iterator larger, int64_t constant) {
    if (larger != terms.end()) {
      const int64_t divisor = larger->first;
      if (!std::all_of(larger, terms.end(), [&](const auto& term) { return term.first % divisor == 0; })) return false;
      constant %= divisor;
      if (constant > divisor / 2) constant -= divisor;
      if (constant < -(divisor / 2)) constant += divisor;
    }
    equal_.clear();
    __int128 least = constant, most = constant;  // range of the sum of the constant and the terms visited so far
    for (auto at = terms.begin(); at != larger; ++at) {
      const auto& [coefficient, term] = *at;
      if (!term.is_bounded || (term.digits > 0 && (term.digits != 2 || term.others > 0 || !is_pair(term)))) return false;
      if ((term.least != 0 || term.most != 0) && coefficient <= std::max(most, -least)) {
        if (term.digits > 0) return false;
        equal_.clear();  // this term can cancel the smaller ones, so the digits in the smaller terms need not be equal
      }
      least += static_cast<__int128>(coefficient) * term.least, most += static_cast<__int128>(coefficient) * term.most;
      if (term.digits > 0) equal_.insert(term.first);
    }
    return (larger == terms.end() || std::max(most, -least) < larger->first) && is_equal(first_.thread(), 0);
  }

  /// Method 3 of the comment at the top: tests whether the largest term is never 0 and exceeds all other terms together in absolute value.
  static bool is_never_zero(const std::map<int64_t, Term>& terms, int64_t constant) {
    const auto& [coefficient, largest] = *terms.rbegin();
    __int128 least = constant, most = constant;
    for (auto at = terms.begin(); at != std::prev(terms.end()); ++at) {
      if (!at->second.is_bounded) return false;
      least += static_cast<__int128>(at->first) * at->second.least, most += static_cast<__int128>(at->first) * at->second.most;
    }
    return coefficient > std::max(most, -least) && largest.never_vanishes();
  }

  /// Tests whether the term is a digit of one thread's number minus the same digit of the other thread's number.
  bool is_pair(const Term& term) const {
    return term.first != nullptr && term.second != nullptr && term.first_sign == -term.second_sign &&
           substitute(term.first->alone, {{first_thread_, second_.thread()}}) == term.second->alone;
  }

  using Ranges = std::unordered_map<const SymAtom*, SymRange>;
  /// If `condition`, which is >= 0, has the form k * digit + constant, records the bound on the digit that follows from it in `ranges`.
  static void pin(Sym condition, Ranges& ranges) {
    const SymNode* node = condition.node();
    if (node == nullptr || node->terms.size() != 1 || node->terms[0].factors.size() != 1) return;
    const int64_t k = node->terms[0].coefficient;
    const SymAtom* digit = node->terms[0].factors[0];
    SymRange& known = ranges.emplace(digit, range(digit->alone)).first->second;
    if (k > 0) known.lo = std::max(known.lo, ceil_div(Sym(0) - node->constant, k).constant());
    if (k < 0) known.hi = std::min(known.hi, floor_div(Sym(node->constant), Sym(0) - k).constant());
  }
  static SymRange known_range(const SymAtom* digit, SymRange values, const Ranges& ranges) {
    const auto found = ranges.find(digit);
    return found == ranges.end() ? values : found->second;
  }

  /// Tests whether the digit e is proved to have the same value for both threads. That is so if e is in `equal_`, if e can have only one
  /// value, the same for both threads, or if a quotient and a remainder of e by the same divisor are proved to be equal.
  bool is_equal(Sym e, int depth) {
    if (e.is_constant()) return true;
    const std::vector<SymTerm>& terms = e.node()->terms;
    if (terms.size() != 1 || terms[0].factors.size() != 1) return false;
    const SymAtom* digit = terms[0].factors[0];
    if (equal_.contains(digit)) return true;
    const Sym same = substitute(digit->alone, {{first_thread_, second_.thread()}});
    const SymAtom* other = same.is_constant() || same.node()->terms.size() != 1 ? nullptr : same.node()->terms[0].factors[0];
    const SymRange a = known_range(digit, range(digit->alone), first_ranges_),
                   b = other == nullptr ? SymRange{0, -1} : known_range(other, range(other->alone), second_ranges_);
    if (a.lo == a.hi && b.lo == b.hi && a.lo == b.lo) return true;
    constexpr int kMaxDigits = 4;
    if (depth == kMaxDigits) return false;
    for (const Sym& k : radices())
      if (const Sym quotient = floor_div(digit->alone, k), rest = mod(digit->alone, k);
          !(quotient == digit->alone) && !(rest == digit->alone) && is_equal(quotient, depth + 1) && is_equal(rest, depth + 1))
        return true;
    return false;
  }
  /// Returns the divisors of the digits that are proved to be equal or whose range is limited by conditions.
  std::vector<Sym> radices() const {
    std::vector<Sym> all;
    const auto add = [&](const SymAtom* digit) {
      if (digit->kind != AtomKind::kFloorDiv && digit->kind != AtomKind::kMod) return;
      if (digit->b.is_constant() && std::ranges::find(all, digit->b) == all.end()) all.push_back(digit->b);
    };
    for (const SymAtom* digit : equal_) add(digit);
    for (const auto& [digit, known] : first_ranges_) add(digit);
    std::ranges::sort(all, {}, [](const Sym& k) { return k.constant(); });
    return all;
  }

  Side first_, second_;
  const SymAtom *first_thread_, *second_thread_;
  std::map<int64_t, Term> terms_;  // the terms by the absolute value of their coefficients
  int64_t constant_ = 0;
  Ranges first_ranges_, second_ranges_;
  std::unordered_set<const SymAtom*> equal_;  // digits of the first thread's number that equal the second thread's if the indices are equal
};

}  // namespace

bool DistinctElements::never_share_an_element(const SharedAccess& a, const SharedAccess& b) const {
  const Sym ahead = Side(syms_, loops_, a, b, false).index() - Side(syms_, loops_, b, a, false).index();
  if (proven_positive(ahead) || proven_positive(-ahead)) return true;
  return a.group != nullptr && b.group != nullptr && Digits(syms_, loops_, a, b).tell_elements();
}

bool DistinctElements::threads_never_share_an_element(const SharedAccess& a, const SharedAccess& b) const {
  Side first(syms_, loops_, a, b, false), second(syms_, loops_, b, a, false);
  const Sym ahead = first.index() - second.index();
  if (proven_positive(ahead) || proven_positive(-ahead)) return true;
  if (a.group == nullptr || b.group == nullptr) return false;
  const SymRange one = range(first.thread()), other = range(second.thread());
  // One and the same thread executes both accesses.
  if (one.lo == one.hi && other.lo == other.hi && one.lo == other.lo) return true;
  return Digits(syms_, loops_, a, b).tell_threads();
}

}  // namespace harp::ir
