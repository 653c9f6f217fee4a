// Compares compiled programs with the interpreter, for many graphs at a time. All graphs are scheduled and rendered as C, and the sources
// for one compiler are compiled together. Every program runs with every list of sizes of its case, sometimes with outputs in the memory of
// inputs. Each output must have the interpreter's bits (all NaNs count as equal), and no memory outside an output may change. The
// interpreter runs the unoptimised graph.
//
// A check runs in the calling process and may crash it or hang; isolated.h runs the check in a child process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/generator.h"
#include "fuzz/variant.h"
#include "graph/index_fault.h"

namespace harp::fuzz {

enum class Verdict : uint8_t {
  kPass,
  kWrongBits,    // an output differs, or memory outside an array was written
  kInterpreter,  // the interpreter rejected the graph
  kText,         // printing and parsing changed the graph
  kSizes,        // harp computed a size that differs from plain integer arithmetic, see size_check.h
  kPipeline,     // scheduling, lowering or rendering reported an error
  kCompiler,     // the C compiler rejected the source
  kRunStatus,    // entry_point_ex returned an error
  kCache,        // the compile cache gave the wrong artifact or lost one, see cache_check.h
  kCrash,        // the child process crashed or hung, see isolated.h
  kTimeout,
};
std::string_view name(Verdict verdict);

struct Outcome {
  Verdict verdict = Verdict::kPass;
  std::string message;
};

/// The expected result of a run: the outputs or, if an index is out of range, the first such index. In that case the arrays in `outputs`
/// have the right sizes, but their content is not compared.
struct Expected {
  std::vector<std::vector<std::byte>> outputs;
  std::optional<IndexFault> fault;
};

/// A graph with its sizes and data, and the variants to compile.
struct Job {
  Case test;
  std::vector<BuildVariant> variants;
  /// The interpreter's result for each list of sizes, if the caller has already run the interpreter. If empty, the check runs the
  /// interpreter itself, after it has checked the text format and the sizes of the graph.
  std::vector<Expected> expected = {};
};

/// Receives a message before each stage of the work. If the process crashes, the last message names the job that caused it.
class Progress {
 public:
  virtual ~Progress() = default;
  /// The checker calls this before it starts a stage of the job at position `index`. `stage` is a name such as "interpreter", "pipeline gcc
  /// -O1 simd=4" or "run ...".
  virtual void begin(size_t index, std::string_view stage) = 0;
  /// The checker calls this at the first failure of a job and then skips the rest of the job. A job without such a call has passed.
  virtual void fail(size_t index, const Outcome& result) = 0;
};

/// Checks the jobs. The argument `index` of the functions of `progress` is a position in `jobs`. If `with_cache` is true, a few programs of
/// a large batch also go through the compile cache, for each compiler.
void check_jobs(std::span<const Job> jobs, Progress& progress, bool with_cache);

/// Returns for each output the index of the input whose memory the output uses, or -1 if the output has its own memory. The pairs of
/// `allowed` are tried in a random order, which the seed determines. A pair is chosen if no earlier chosen pair has the same output or the
/// same input.
std::vector<int> choose_in_place(const Graph& graph, std::span<const InPlaceArguments> allowed, uint64_t seed);

/// The data of every input as bytes.
std::vector<std::vector<std::byte>> input_bytes(const Case& test, const std::vector<int64_t>& sizes);

/// Computes every output with the interpreter and returns its bytes. Output i uses the memory of input in_place_of[i]; it has memory of its
/// own if in_place_of[i] is -1 or the list is empty.
std::vector<std::vector<std::byte>> interpreted(const Case& test, const std::vector<int64_t>& sizes, std::span<const int> in_place_of = {});
std::vector<std::vector<std::byte>> interpreted(const Graph& graph, const std::vector<int64_t>& sizes,
                                                std::vector<std::vector<std::byte>> inputs, std::span<const int> in_place_of = {});

/// Like interpreted(), for a graph that may contain index checks. If an index is out of range, the result contains that index
/// (Expected::fault).
Expected interpreted_or_fault(const Graph& graph, const std::vector<int64_t>& sizes, std::vector<std::vector<std::byte>> inputs,
                              std::span<const int> in_place_of = {});

/// Compares two arrays, where any NaN is equal to any other NaN. Returns "" if they are equal, otherwise the first difference, for example
/// `element 5: 1.5 instead of 2 (3 of 10 differ)`.
std::string difference(DType dtype, std::span<const std::byte> expected, std::span<const std::byte> got);

}  // namespace harp::fuzz
