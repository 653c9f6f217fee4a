// The launch plan: the host half of a program for a GPU, as data. The device half is the text of the kernels. A plan says which kernels to
// launch, in which order, over which grids and with which arguments. Whoever can launch a kernel by its name can run a plan: harp's own
// executable, the emulator of the tests, or a program outside of harp that reads the plan's text (`harp emit --lang plan`).
//
// Everything that depends on sizes is a SizeCode. Its values are the program's shape variables in order, followed by two facts about the
// device (Plan::values):
//
//   shape variables … | processors | blocks_per_processor
//
// `processors` is the number of multiprocessors. `blocks_per_processor` is how many blocks of the kernel in question one multiprocessor
// holds at a time. Only grids use these two. Everything else is a function of the shape variables.
//
// To run a plan:
//   1. Evaluate `arena` and allocate that many bytes on the device, aligned to 256 bytes. Upload `constants` once for each device.
//   2. If there are check sites, fill their records (`sites` records at `records` in the arena) with bytes 0xff.
//   3. Execute `steps` in order on one stream, or as a graph with the edges `Step::after`.
//   4. If there are check sites, read the records back and report the fault that first_fault() returns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "graph/index_fault.h"
#include "ops/scalar.h"
#include "run/size_code.h"

namespace harp::cuda {

/// An address on the device: an array and a byte offset into it. Offsets into the arena and into constants are multiples of 64. Inputs and
/// outputs are aligned to one element only.
struct Location {
  enum class Base : uint8_t {
    kInput,     // input number `index` of the run
    kOutput,    // output number `index` of the run
    kConstant,  // Plan::constants[index]
    kArena,     // the memory of the run; `index` is 0
  };
  Base base = Base::kArena;
  int index = 0;
  SizeCode offset = {};
};

/// The value of a kernel's parameter. It takes eight bytes: a pointer, or an i64. A parameter of four bytes reads the lower half.
using Argument = std::variant<Location, SizeCode>;

/// A function of the compiled module.
struct Kernel {
  std::string name;                 // its symbol: the functions are extern "C"
  std::array<uint16_t, 3> block{};  // threads of a block
};

/// A launch of a kernel.
struct Launch {
  int kernel = -1;                    // in Plan::kernels
  SizeCode guard = {};                // the launch happens only if this is >= 0; evaluate it before the other members
  std::array<SizeCode, 3> grid = {};  // blocks; a launch with an extent below 1 is skipped. y and z are at most 65,535
  SizeCode shared = {};               // bytes of dynamic shared memory
  std::vector<Argument> arguments;    // one for each parameter of the kernel
};

/// A call of a function of the host application, on arrays in the host's memory: arrays that are read are copied to the host before it, and
/// the written one to the device after it. Whoever executes it first waits for all earlier steps and reports an index fault that they met,
/// so that the function never sees the result of a faulty index.
struct HostCall {
  struct Argument {
    enum Kind : uint8_t { kArray, kSize, kNumber, kAddress } kind = kArray;
    DType dtype = DType::kUnknown;  // of a size or a number
    Location array = {};            // kArray
    SizeCode bytes = {};            // kArray: its size
    bool written = false;           // kArray: the function writes it; otherwise the function reads it
    SizeCode size = {};             // kSize
    Scalar number = {};             // kNumber
    int address = -1;               // kAddress: in Plan::addresses
  };
  std::string name;             // for messages
  int function = -1;            // in Plan::addresses
  bool returns_status = false;  // the function returns an i32; any value but 0 is a failure
  std::vector<Argument> arguments;
  SizeCode elements = {};  // of the result; the call is skipped if this is 0
};

/// Does nothing. It stands between two generations of several steps each, so that the number of edges is the sum of their sizes and not the
/// product.
struct Join {};

struct Step {
  std::variant<Launch, HostCall, Join> what;
  std::vector<int> after = {};  // the steps that must be complete before this one begins: indices of earlier steps, ascending
};

/// Where kernels report an index out of range at one check site. Several threads may find faults; the one of the lowest element stays,
/// without a lock: every word of `keys` is the result of 64-bit atomic minima over (element << 16 | a part of the index). Equal elements of
/// a site have equal indices, so that the parts in the lowest keys belong together.
struct IndexRecord {
  static constexpr int kParts = 4;
  uint64_t keys[kParts];  // key i has bits 16 i … 16 i + 15 of the index; all bits set: no fault
  int64_t size;           // number of elements of the indexed axis; every fault of a site has the same
  int64_t unused[3];
};
static_assert(sizeof(IndexRecord) == 64);

/// The fault of the lowest site that has one, from the records of all sites in order.
std::optional<IndexFault> first_fault(std::span<const IndexRecord> records);

struct Plan {
  std::string name;                          // of the graph
  std::vector<std::string> shape_variables;  // names, in the order of values
  std::vector<std::string> inputs, outputs;  // names
  std::vector<Kernel> kernels;
  std::vector<std::shared_ptr<const std::vector<std::byte>>> constants;
  std::vector<Step> steps;
  SizeCode arena;                // bytes of device memory that a run needs
  SizeCode records;              // offset of the index records in the arena
  int sites = 0;                 // number of check sites: IndexRecord of each, in order
  std::vector<void*> addresses;  // of the host's functions and their data. Not printed

  /// The values that SizeCodes read, in order. `blocks_per_processor` matters for grids only.
  std::vector<int64_t> values(std::span<const int64_t> shape_values, int64_t processors, int64_t blocks_per_processor) const;
};

/// The plan as text, for people and for programs that run kernels elsewhere. docs/launch-plan.md describes it.
std::string print(const Plan& plan);

/// Throws Error{kInternal} if an index is out of range, an edge does not lead backwards, or a kernel's block is empty or too large.
void verify(const Plan& plan);

}  // namespace harp::cuda
