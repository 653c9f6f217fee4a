// The definitions a translation unit needs besides its kernels, made when something asks for them: vector types, inline helpers,
// math functions, constant tables. Each is emitted once, after what it uses.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ops/transform_parts.h"
#include "render/c.h"
#include "render/instructions.h"
#include "render/rules.h"

namespace harp::render {

/// Bits of a mask that is no vector (AVX-512).
inline constexpr int kOneBitALane = 1;
/// So many elements a short row of argsort_few() has at most; one less is the greatest number of 8 bits.
inline constexpr int kFewKeys = 128;

class Unit {
 public:
  explicit Unit(const RenderOptions& options) : options_(options) {}
  const RenderOptions& options() const { return options_; }

  /// C type of a value ("float", "f32x16"), of an element in memory, of a mask.
  std::string type(DType dtype, int lanes);
  std::string memory_vector(DType dtype, int lanes);
  std::string mask(int bits, int lanes);
  /// Does the machine compare such vectors into masks of one bit a lane?
  bool has_predicates(DType dtype, int lanes) const;
  /// Has the machine an instruction that loads such a vector's lanes under a mask of one bit a lane?
  bool has_masked_load(DType dtype, int lanes) const;
  /// Are masks of so many lanes made as one bit a lane?
  bool has_bit_masks(int lanes) const;
  /// Has the machine a store past the caches for such vectors?
  bool has_stream(DType dtype, int lanes) const;
  /// Bits of the mask that a comparison of such vectors gives.
  int comparison_bits(DType dtype, int lanes) const;
  /// What makes an array on the stack start where a register's memory may: the vector types ask for no alignment, and accumulators that
  /// lie across two cache lines cost a factor of up to four. Empty where the array is smaller than a vector, and in plain text.
  std::string alignment(DType dtype, int64_t elements) const;

  // Names of inline functions. All take and give values of `lanes` lanes; one lane is a scalar.
  std::string helper(const Rule& rule, DType dtype, int lanes);
  std::string splat(DType dtype, int lanes);  // (scalar)
  /// (scalar), a constant: splat for a function that is written out where it is called, see is_lean.
  std::string held(DType dtype, int lanes);
  /// (mask as wide as dtype, a, b). By bits: of a lane loop over m[lane] ? a[lane] : b[lane] gcc 12 makes branches, or wrong code.
  std::string select(DType dtype, int lanes);
  std::string cast(DType from, DType to, int lanes);                     // float to integer: truncates, saturates, NaN is 0
  std::string cast_by_lanes(DType from, DType to, int lanes);            // numbers that fit
  std::string bits_of(DType from, DType to, int lanes, bool canonical);  // bitcast; canonical: any NaN is the positive quiet one
  std::string negation(DType dtype, int lanes);                          // of a float, which gcc does not see through
  // (masks.cpp)
  std::string splat_mask(int bits, int lanes);            // (_Bool)
  std::string any(int bits, int lanes);                   // (mask) -> int
  std::string select_mask(int bits, int lanes);           // (mask, mask, mask)
  std::string comparison(Op op, DType dtype, int lanes);  // (a, b), of kIsNan (a): where there are predicates
  std::string blend(DType dtype, int lanes);              // (mask of one bit a lane, a, b): where there are predicates
  /// (x, y): x where x < y (or x > y), else y, in one instruction; empty if there is none.
  std::string first_if_less(bool greater, DType dtype, int lanes);
  /// The text of a mask of `from` bits, as one of `to` bits.
  std::string convert_mask(const std::string& text, int from, int to, int lanes);
  std::string ramp(DType dtype, int lanes);  // (first, step): i32 or i64
  /// (first, step) -> 32-bit mask of first + lane * step >= 0; a small step times the lanes is below 2^30.
  std::string in_range(int lanes, bool small_step);
  std::string first_lanes(int lanes);  // (count) -> mask of one bit a lane: the first `count` lanes, all, or none
  /// (pointer) or (pointer, step) or with a last argument mask, as wide as the element in memory.
  std::string load(DType dtype, int lanes, bool strided, bool masked);
  /// (pointer, position[, stride][, step][, mask]): element position[lane] * stride + lane * step.
  struct GatherForm {
    DType dtype, position;
    bool strided, steps, masked;
  };
  std::string gather(const GatherForm& form, int lanes);
  /// (worker's fault, site, element[, step], number, least, end[, mask of 64 bits]) -> number.
  std::string check(int lanes, bool masked);
  std::string load_reversed(DType dtype, int lanes);
  std::string load_every_second(DType dtype, int lanes);
  std::string store_pairs(DType dtype, int lanes);                       // (pointer, first of each pair, second of each)
  std::string store(DType dtype, int lanes, bool strided, bool masked);  // (pointer, [step,] value[, mask])
  std::string table_element(const ir::Table& table, int lanes);          // (index)
  /// (render/fold.cpp) `size` stored values of `lanes` lanes, which `function` combines (null: Add or Mul).
  struct FoldForm {
    Op combine;
    const ir::Function* function;
    DType dtype;
    int lanes, size;
  };
  /// (stored values) -> element 0 after folding by halving. With `each_lane` the lanes are folded each for itself.
  std::string fold(const FoldForm& form, bool each_lane);
  /// (stored vectors, others) -> a vector with the folds of both in the first elements of its halves.
  std::string fold_two(const FoldForm& form);
  /// Scans of groups. (scan.cpp)
  struct ScanForm {
    Op combine;
    const ir::Function* function;  // null: Add or Mul
    Scalar identity;
    int lanes, size;  // of a stored value, of the group
  };
  /// (stored values, carry) -> the group's total, while they become the running values of the group from carry on.
  std::string scan(const ScanForm& form);
  /// A part of that, of vectors: (stored values, totals), (totals), (totals, carry) -> total, (stored values,
  /// totals), (stored values).
  std::string scan_part(const ScanForm& form, ir::ScanPart part, int64_t step);
  /// (pointer, value): past the caches, if the pointer is a multiple of the value's size; else, and where there is nothing of the kind, as
  /// any value is stored.
  std::string stream(DType dtype, int lanes);
  /// (to, its step from row to row, from, its step from column to column, rows, columns): to[i][j] = from[j][i]; past the caches, or in
  /// the order in which it is read, else stored. (transpose.cpp)
  std::string transpose(DType dtype, bool stream, bool as_read);
  /// (to, its step from row to row, from, the same, rows, columns); whole lines of memory past the caches or as usual. (copy.cpp)
  std::string copy(DType dtype, bool stream);
  /// (keys, rows, their length, order, spare): stable, ascending. (argsort.cpp)
  std::string argsort(DType keys);
  /// Of one short row: (keys, their number, order).
  std::string argsort_few(DType keys);
  /// (elements, rows, their length, the same in order, spare): stable. (sort.cpp)
  std::string sort(DType dtype, bool descending);
  /// Rows of a Fourier transform, or columns, at least so many. (dft.cpp)
  struct TransformForm {
    DType dtype;
    Sym length;
    PartsLie lie, to_lie;
    int64_t columns, kept;  // kept: elements of each row that are stored, the first ones; 0: all
  };
  /// Without tables, (real parts, imaginary parts, rows, their length, real parts of the result, its imaginary parts, spare); rows lie one
  /// after the other. With tables, (real parts, imaginary parts, step, real parts of the result, its imaginary parts, its step, rows,
  /// tables, spare), where the steps are from row to row or, of columns, from element to element.
  struct TransformRoutine {
    std::string name, tables;
  };
  TransformRoutine dft(const TransformForm& form, const ir::Function& cosine, const ir::Function& sine);
  /// (condition, common, arguments…): `function` of the arguments in lanes where the condition is true.
  std::string rare_lanes(const ir::Function& function, int lanes, int mask_bits, const std::string& type,
                         const std::vector<std::string>& arguments);
  /// Integer helpers for positions: floor_div, floor_mod, min, max of int64_t.
  std::string index_helper(std::string_view name);
  /// A math function at this many lanes.
  std::string function(const ir::Function& function, int lanes);
  /// The same for text that calls it at dozens of places: called there, if it is long, where gcc would inline it (a scan by logaddexp,
  /// whose groups are done in turn, calls it 224 times: 0.8 s instead of 8 to compile, and it runs no slower).
  std::string function_at_many_places(const ir::Function& function, int lanes);
  /// (arguments of one, of the other, result of one, of the other): of two vectors in turn; empty where that would gain nothing.
  std::string function_of_two(const ir::Function& function, int lanes);

  /// Can it be told whether an operation of floats was invalid? (watch.cpp)
  bool watches() const;
  /// Defines harp_watch() and harp_met_invalid().
  void watch();

  /// Adds text once under a key; `text` is called only the first time and may ask for other definitions. A shared one is that of a function
  /// that is called and not inlined, after a comment: of a source in parts one has it.
  template <class MakeText>
  void once(const std::string& key, MakeText make_text, bool shared = false) {
    if (!known_.insert(key).second) return;
    std::string text = make_text();
    definitions_.push_back({std::move(text), shared});
  }

  /// Bits of the mask a function with a bool result gives.
  static int mask_bits_of(const ir::Function& function);

  std::string definitions() const;  // in order, with a blank line after each function
  /// Of these, where they stand in the text of all.
  std::vector<SourceFunction> shared_functions() const;
  /// Functions that the loader calls before any other, to fill tables. They need harp_enter and harp_leave.
  const std::string& loading() const { return loading_; }

 private:
  std::string combination(const FoldForm& form, std::string_view a, std::string_view b, int lanes);
  /// Statements that fold vectors into one, whose name comes back; names begin with `level`, the last letter of which goes on.
  std::string fold_vectors(const FoldForm& form, std::vector<std::string> parts, int width, std::string level, std::string& text);
  std::string vector(const std::string& name, std::string_view element, int element_bytes, int lanes);
  std::string lane_loop(std::string_view statement, int lanes) const;
  std::string scalar_helper_text(const Rule& rule, DType dtype, const std::string& name);
  /// The body of a function of ir::WatchedMaximum, where it can be watched.
  std::optional<std::string> watched_text(const ir::Function& function, int lanes);
  std::string function_text(const ir::Function& function, int lanes, const std::string& name);
  std::string with_instructions(const std::optional<InstructionForm>& form, const std::string& definition);
  std::string streamed_copy(DType dtype, int lanes);
  std::string sum_by_fma(DType dtype, int lanes);  // (a, b); empty where the target has none
  /// (x, none): lane from[i] of x in lane i, or that of `none` where that is -1.
  std::string moved_lanes(const std::string& name, DType dtype, const std::vector<int>& from);
  std::string split_function_text(const ir::Function& function, int lanes, const std::string& name);

  const RenderOptions& options_;
  std::set<std::string> known_;
  std::vector<std::string> typedefs_;
  struct Definition {
    std::string text;
    bool shared;
  };
  std::vector<Definition> definitions_;
  std::string loading_;
};

}  // namespace harp::render
