// The definitions that a translation unit needs besides its kernels, created on demand: vector types, inline helpers, math functions,
// constant tables. Each is emitted once, after the definitions it uses.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ops/transform_parts.h"
#include "render/c/instructions.h"
#include "render/c/render.h"
#include "render/kernel/rules.h"

namespace harp::render {

/// Width code of a mask that is an integer with one bit a lane, not a vector (AVX-512).
inline constexpr int kOneBitALane = 1;
/// The longest row of argsort_few(). Ranks below it fit a signed 8-bit number.
inline constexpr int kFewKeys = 128;

class Unit {
 public:
  explicit Unit(const RenderOptions& options) : options_(options) {}
  const RenderOptions& options() const { return options_; }

  /// C types: of a value ("float", "f32x16"), of an element in memory, of a mask.
  std::string type(DType dtype, int lanes);
  std::string memory_vector(DType dtype, int lanes);
  std::string mask(int bits, int lanes);
  /// Tests whether the machine compares such vectors into masks of one bit a lane.
  bool has_predicates(DType dtype, int lanes) const;
  /// Tests whether the machine has a masked load for such vectors, with one mask bit a lane.
  bool has_masked_load(DType dtype, int lanes) const;
  /// Tests whether masks of this many lanes have one bit a lane.
  bool has_bit_masks(int lanes) const;
  /// Tests whether the machine has non-temporal stores for such vectors.
  bool has_stream(DType dtype, int lanes) const;
  /// Returns the bits of the mask that a comparison of such vectors produces.
  int comparison_bits(DType dtype, int lanes) const;
  /// Attribute that aligns an array on the stack to a vector register. The vector types themselves request no alignment, and accumulators
  /// that straddle two cache lines are up to four times slower. Empty if the array is smaller than a vector, and in plain text.
  std::string alignment(DType dtype, int64_t elements) const;

  // The functions below return names of inline C functions, with the C parameters in parentheses. Values have `lanes` lanes; one lane is a
  // scalar.
  std::string helper(const Rule& rule, DType dtype, int lanes);
  std::string splat(DType dtype, int lanes);  // (scalar)
  /// (scalar), a constant: a splat for functions that are inlined where they are called (see is_lean).
  std::string held(DType dtype, int lanes);
  /// (mask as wide as dtype, a, b). Selects bitwise: gcc 12 turns a loop over m[lane] ? a[lane] : b[lane] into branches, or wrong code.
  std::string select(DType dtype, int lanes);
  std::string cast(DType from, DType to, int lanes);                     // float to integer: truncates and saturates; NaN gives 0
  std::string cast_by_lanes(DType from, DType to, int lanes);            // only for numbers that fit
  std::string bits_of(DType from, DType to, int lanes, bool canonical);  // bitcast; with `canonical` every NaN becomes the positive quiet
                                                                         // NaN
  std::string negation(DType dtype, int lanes);                          // float negation that gcc cannot merge into another operation
  // Masks (masks.cpp).
  std::string splat_mask(int bits, int lanes);            // (_Bool)
  std::string any(int bits, int lanes);                   // (mask) -> int
  std::string select_mask(int bits, int lanes);           // (mask, mask, mask)
  std::string comparison(Op op, DType dtype, int lanes);  // (a, b), or (a) for kIsNan; requires has_predicates()
  std::string blend(DType dtype, int lanes);              // (mask of one bit a lane, a, b); requires has_predicates()
  /// (x, y): x if x < y (with `greater`: x > y), else y, in one instruction; empty if there is none.
  std::string first_if_less(bool greater, DType dtype, int lanes);
  /// Converts the text of a mask from `from` bits to `to` bits a lane.
  std::string convert_mask(const std::string& text, int from, int to, int lanes);
  std::string ramp(DType dtype, int lanes);  // (first, step): i32 or i64
  /// (first, step) -> 32-bit mask of first + lane * step >= 0. small_step: the step times the lanes is below 2^30.
  std::string in_range(int lanes, bool small_step);
  std::string first_lanes(int lanes);  // (count) -> mask of one bit a lane that is set in the first `count` lanes; any count is allowed
  /// (pointer) or (pointer, step), with a last argument mask if masked; its lanes are as wide as the element in memory.
  std::string load(DType dtype, int lanes, bool strided, bool masked);
  /// (pointer, position[, stride][, step][, mask]): element position[lane] * stride + lane * step.
  struct GatherForm {
    DType dtype, position;
    bool strided, steps, masked;
  };
  std::string gather(const GatherForm& form, int lanes);
  /// (fault record of the worker, site, element[, step], number, least, end[, mask of 64 bits]) -> number.
  std::string check(int lanes, bool masked);
  std::string load_reversed(DType dtype, int lanes);
  std::string load_every_second(DType dtype, int lanes);
  std::string store_pairs(DType dtype, int lanes);                       // (pointer, first elements of pairs, second elements)
  std::string store(DType dtype, int lanes, bool strided, bool masked);  // (pointer, [step,] value[, mask])
  std::string table_element(const ir::Table& table, int lanes);          // (index)
  /// (render/c/fold.cpp) `size` stored values of `lanes` lanes, combined by `function` (null: Add or Mul).
  struct FoldForm {
    Op combine;
    const ir::Function* function;
    DType dtype;
    int lanes, size;
  };
  /// (stored values) -> element 0 after folding by halving. With `each_lane` the lanes are folded separately.
  std::string fold(const FoldForm& form, bool each_lane);
  /// (stored vectors of one fold, of another) -> a vector whose halves begin with the results of the two folds.
  std::string fold_two(const FoldForm& form);
  /// Scans of groups. (scan.cpp)
  struct ScanForm {
    Op combine;
    const ir::Function* function;  // null: Add or Mul
    Scalar identity;
    int lanes, size;  // of a stored value; of the group
  };
  /// (stored values, carry) -> the group's total. The values are replaced by the running values of the group, starting from carry.
  std::string scan(const ScanForm& form);
  /// A part of that scan, on vectors. Parameters by part: (stored values, totals), (totals), (totals, carry) -> total, (stored values,
  /// totals), (stored values).
  std::string scan_part(const ScanForm& form, ir::ScanPart part, int64_t step);
  /// (pointer, value): a non-temporal store if the pointer is a multiple of the value's size; otherwise, or if the machine has none, an
  /// ordinary store.
  std::string stream(DType dtype, int lanes);
  /// (to, row step of to, from, column step of from, rows, columns): to[i][j] = from[j][i]. With `stream`, non-temporal stores. With
  /// `as_read`, iterates in the order of the source, else of the destination. (transpose.cpp)
  std::string transpose(DType dtype, bool stream, bool as_read);
  /// (to, row step of to, from, row step of from, rows, columns). With `stream`, whole cache lines use non-temporal stores. (copy.cpp)
  std::string copy(DType dtype, bool stream);
  /// (keys, rows, row length, order, spare): stable, ascending. (argsort.cpp)
  std::string argsort(DType keys);
  /// For one short row: (keys, number of keys, order).
  std::string argsort_few(DType keys);
  /// (elements, rows, row length, sorted elements, spare): stable. (sort.cpp)
  std::string sort(DType dtype, bool descending);
  /// Fourier transforms of rows, or of at least `columns` columns. (dft.cpp)
  struct TransformForm {
    DType dtype;
    Sym length;
    PartsLie lie, to_lie;
    int64_t columns, kept;  // kept: number of stored elements of each row, the first ones; 0: all
  };
  /// Without tables the C parameters are (real parts, imaginary parts, rows, row length, real parts of the result, imaginary parts of the
  /// result, spare), and rows are contiguous. With tables they are (real parts, imaginary parts, step, real parts of the result, imaginary
  /// parts of the result, step of the result, rows, tables, spare); a step leads from row to row or, for columns, from element to element.
  struct TransformRoutine {
    std::string name, tables;
  };
  TransformRoutine dft(const TransformForm& form, const ir::Function& cosine, const ir::Function& sine);
  /// (condition, common, arguments…): `function` of the arguments in lanes where the condition is true, else `common`.
  std::string rare_lanes(const ir::Function& function, int lanes, int mask_bits, const std::string& type,
                         const std::vector<std::string>& arguments);
  /// Integer helpers for positions: floor_div, floor_mod, min, max of int64_t.
  std::string index_helper(std::string_view name);
  /// A math function with this many lanes.
  std::string function(const ir::Function& function, int lanes);
  /// The same, for text that calls it at dozens of places: a long function is then called out of line where gcc would inline it. (A scan by
  /// logaddexp with interleaved groups calls it 224 times: compiling takes 0.8 s instead of 8, and it runs no slower.)
  std::string function_at_many_places(const ir::Function& function, int lanes);
  /// (arguments of the first vector, of the second, result pointer of the first, of the second): evaluates the function for two vectors,
  /// interleaved. Empty if that would gain nothing.
  std::string function_of_two(const ir::Function& function, int lanes);

  /// Tests whether generated code can detect invalid float operations. (invalid_flag.cpp)
  bool detects_invalid() const;
  /// Defines harp_watch() and harp_met_invalid().
  void define_invalid_flag();

  /// Adds text once under a key. `text` is called only the first time and may request other definitions. `shared`: the text is a comment
  /// and a function that is called, not inlined; if the source is split into parts, one part has it.
  template <class MakeText>
  void once(const std::string& key, MakeText make_text, bool shared = false) {
    if (!known_.insert(key).second) return;
    std::string text = make_text();
    definitions_.push_back({std::move(text), shared});
  }

  /// Returns the mask bits of a function with a bool result.
  static int mask_bits_of(const ir::Function& function);

  std::string definitions() const;  // in order, with a blank line after each function
  /// Returns the positions of the shared functions in definitions().
  std::vector<SourceFunction> shared_functions() const;
  /// Functions that the loader calls first, to fill tables. They need harp_enter and harp_leave.
  const std::string& loading() const { return loading_; }

 private:
  std::string combination(const FoldForm& form, std::string_view a, std::string_view b, int lanes);
  /// Writes statements that fold vectors into one and returns its name. Names begin with `level`, whose last letter is incremented at each
  /// step.
  std::string fold_vectors(const FoldForm& form, std::vector<std::string> parts, int width, std::string level, std::string& text);
  std::string vector(const std::string& name, std::string_view element, int element_bytes, int lanes);
  std::string lane_loop(std::string_view statement, int lanes) const;
  std::string scalar_helper_text(const Rule& rule, DType dtype, const std::string& name);
  /// Returns the body of a function of ir::FlaggedMaximum if invalid operations can be detected; else none.
  std::optional<std::string> flagged_text(const ir::Function& function, int lanes);
  std::string function_text(const ir::Function& function, int lanes, const std::string& name);
  std::string with_instructions(const std::optional<InstructionForm>& form, const std::string& definition);
  std::string streamed_copy(DType dtype, int lanes);
  std::string sum_by_fma(DType dtype, int lanes);  // (a, b): a sum computed by an fma; empty if that does not pay on the target
  /// (x, none): lane i is lane from[i] of x, or lane i of `none` if from[i] is -1.
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
