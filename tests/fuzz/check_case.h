// Compares compiled programs with the interpreter, many at a time: graphs are generated, scheduled and rendered, the sources of one
// compiler go through it together, every program runs at every list of sizes, some with outputs in the place of inputs, and each output
// has to have the interpreter's bits (all NaNs equal) and nothing beside it may be touched. The interpreter gets the graph as it was built.
//
// Everything here runs inside one process and may crash or hang; isolated.h puts a process around it.
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
  kWrongBits,    // an output differs, or memory beside an array was written
  kInterpreter,  // the interpreter refused the graph
  kText,         // printing and parsing changed the graph
  kSizes,        // a size is not what its arithmetic says, see size_check.h
  kPipeline,     // an error between graph and source
  kCompiler,     // the C compiler refused the source
  kRunStatus,    // entry_point_ex returned an error
  kCache,        // the compile cache mixed two requests up or lost one, see cache_check.h
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

/// Told what is going on, so that a crash can be blamed.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Work on job `index` begins: "interpreter", "pipeline gcc -O1 simd=4", "run …".
  virtual void begin(size_t index, std::string_view stage) = 0;
  /// One failure ends the job; a job without failures passes once all is done.
  virtual void fail(size_t index, const Outcome& result) = 0;
};

/// Checks the jobs; `index` in `progress` is the position in `jobs`. `with_cache`: large batches go through the compile cache too.
void check_jobs(std::span<const Job> jobs, Progress& progress, bool with_cache);

/// Which input each output takes the place of (-1: none), as many as there can be; of several ways one by the seed.
std::vector<int> choose_places(const Graph& graph, std::span<const InPlaceArguments> allowed, uint64_t seed);

/// Bytes of every input.
std::vector<std::vector<std::byte>> input_bytes(const Case& test, const std::vector<int64_t>& sizes);
/// What a run has to give: the outputs, or the first index that names no element (and the sizes of the outputs).
struct Expected {
  std::vector<std::vector<std::byte>> outputs;
  std::optional<IndexFault> fault;
};

/// Bytes of every output by the interpreter; outputs with a place are computed in the memory of that input.
std::vector<std::vector<std::byte>> interpreted(const Case& test, const std::vector<int64_t>& sizes, std::span<const int> places = {});
std::vector<std::vector<std::byte>> interpreted(const Graph& graph, const std::vector<int64_t>& sizes,
                                                std::vector<std::vector<std::byte>> inputs, std::span<const int> places = {});

/// The same of a graph that may check its indices.
Expected interpreted_or_fault(const Graph& graph, const std::vector<int64_t>& sizes, std::vector<std::vector<std::byte>> inputs,
                              std::span<const int> places = {});

/// "" if equal, every NaN counting as the same; else the first difference: `element 5: 1.5 instead of 2 (3 of 10 differ)`.
std::string difference(DType dtype, std::span<const std::byte> expected, std::span<const std::byte> got);

}  // namespace harp::fuzz
