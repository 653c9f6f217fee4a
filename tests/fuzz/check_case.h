// Compares compiled programs with the interpreter, many at a time. Graphs are scheduled and rendered, and the sources for one compiler are
// compiled together. Every program runs with every list of sizes, sometimes with outputs in the memory of inputs. Each output must have the
// interpreter's bits (all NaNs equal), and no memory outside it may change. The interpreter runs the graph as it was built, not optimised.
//
// All of this runs in one process and may crash or hang; isolated.h runs it in a child process.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/generator.h"
#include "fuzz/variant.h"

namespace harp::fuzz {

enum class Verdict : uint8_t {
  kPass,
  kWrongBits,    // an output differs, or memory outside an array was written
  kInterpreter,  // the interpreter rejected the graph
  kText,         // printing and parsing changed the graph
  kSizes,        // a size differs from plain arithmetic, see size_check.h
  kPipeline,     // an error between graph and source
  kCompiler,     // the C compiler rejected the source
  kRunStatus,    // entry_point_ex returned an error
  kCache,        // the compile cache confused two requests or lost one, see cache_check.h
  kCrash,        // the process died, see isolated.h
  kTimeout,
};
std::string_view name(Verdict verdict);

struct Outcome {
  Verdict verdict = Verdict::kPass;
  std::string message;
};

/// A case and the ways to compile it.
struct Job {
  Case test;
  std::vector<BuildVariant> variants;
};

/// Receives the state of the work, so that a crash can be attributed.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Work on the job at position `index` begins. `stage` describes it, for example "interpreter", "pipeline gcc -O1 simd=4" or "run ...".
  virtual void begin(size_t index, std::string_view stage) = 0;
  /// The first failure ends a job; a job without failures has passed at the end.
  virtual void fail(size_t index, const Outcome& result) = 0;
};

/// Checks the jobs; `index` in `progress` is the position in `jobs`. With `with_cache`, large batches also go through the compile cache.
void check_jobs(std::span<const Job> jobs, Progress& progress, bool with_cache);

/// Chooses for each output the input whose memory it uses (-1: none), for as many outputs as possible. The seed decides between
/// alternatives.
std::vector<int> choose_in_place(const Graph& graph, std::span<const InPlaceArguments> allowed, uint64_t seed);

/// Bytes of every input.
std::vector<std::vector<std::byte>> input_bytes(const Case& test, const std::vector<int64_t>& sizes);
/// The expected result of a run: the outputs or, if an index is out of range, the first such index (`outputs` then only has the right
/// sizes).
struct Expected {
  std::vector<std::vector<std::byte>> outputs;
  std::optional<IndexFault> fault;
};

/// The bytes of every output by the interpreter. Output i uses the memory of input in_place_of[i], unless that is -1 or the list is empty.
std::vector<std::vector<std::byte>> interpreted(const Case& test, const std::vector<int64_t>& sizes, std::span<const int> in_place_of = {});
std::vector<std::vector<std::byte>> interpreted(const Graph& graph, const std::vector<int64_t>& sizes,
                                                std::vector<std::vector<std::byte>> inputs, std::span<const int> in_place_of = {});

/// Like interpreted(), for a graph that may contain index checks, which can fail.
Expected interpreted_or_fault(const Graph& graph, const std::vector<int64_t>& sizes, std::vector<std::vector<std::byte>> inputs,
                              std::span<const int> in_place_of = {});

/// "" if equal (all NaNs are equal), otherwise the first difference: `element 5: 1.5 instead of 2 (3 of 10 differ)`.
std::string difference(DType dtype, std::span<const std::byte> expected, std::span<const std::byte> got);

}  // namespace harp::fuzz
