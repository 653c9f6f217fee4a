// Defines the launch plan: the part of a program for a GPU that the CPU executes, as data. The GPU's part is the source of the kernels. A
// plan says which kernels to launch, in which order, with which grids and with which arguments. Any program that can launch a kernel by its
// name can execute a plan: harp's own executable, the emulator of the tests, or a program outside of harp that reads the plan's text (`harp
// emit --lang plan`).
//
// Everything that depends on sizes is a SizeCode. It is evaluated with a list of values (Plan::values): the program's shape variables in
// order, followed by two properties of the device:
//
//   shape variables … | processors | blocks_per_processor
//
// `processors` is the number of multiprocessors. `blocks_per_processor` is the number of blocks of the launched kernel that one
// multiprocessor runs at a time. Only grid sizes use these two values. Everything else depends on the shape variables alone.
//
// To run a plan:
//   1. Evaluate `arena` and allocate that many bytes on the device, aligned to 256 bytes. Upload `constants` once for each device.
//   2. If the program checks indices, fill the IndexRecords (`sites` records at offset `records` in the arena) with bytes 0xff.
//   3. Execute `steps` in order on one stream, or as a graph with the edges `Step::after`.
//   4. If the program checks indices, copy the IndexRecords to host memory and report the fault that first_fault() returns.
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

/// An address on the device: an array and a byte offset from its start. Offsets into the arena and into constants are multiples of 64. The
/// addresses of inputs and outputs have only the alignment of an element.
struct Location {
  enum class Base : uint8_t {
    kInput,     // the run's input number `index`
    kOutput,    // the run's output number `index`
    kConstant,  // element `index` of Plan::constants, the constant arrays of the program
    kArena,     // the memory that the run allocates; `index` is 0
  };
  Base base = Base::kArena;
  int index = 0;
  SizeCode offset = {};
};

/// The number by which kernels multiply to divide by a size: reciprocal_of(divisor), see base/reciprocal.h.
struct Reciprocal {
  SizeCode divisor;
};

/// The value of one kernel parameter. It occupies eight bytes: a pointer, an i64 or a u64. A parameter of four bytes gets the lower half.
using Argument = std::variant<Location, SizeCode, Reciprocal>;

/// Returns the bits of a kernel parameter that is not a pointer. `values` are those of Plan::values().
uint64_t bits_of(const Argument& number, std::span<const int64_t> values);

/// A kernel of the compiled module.
struct Kernel {
  std::string name;                 // name of the kernel's symbol; equal to the name in the source, as kernels are declared extern "C"
  std::array<uint16_t, 3> block{};  // number of threads of a block, along x, y and z
};

/// A launch of a kernel.
struct Launch {
  int kernel = -1;      // index of the kernel in Plan::kernels
  SizeCode guard = {};  // if this is negative, the launch is skipped, and the other members must not be evaluated
  // Number of blocks; the launch is skipped if an extent is below 1. The extents along y and z are at most 65,535.
  std::array<SizeCode, 3> grid = {};
  SizeCode shared = {};             // bytes of dynamic shared memory
  std::vector<Argument> arguments;  // one argument for each parameter of the kernel
};

/// A call of a function of the host application, which works on arrays in host memory. Arrays that the function reads are copied to host
/// memory before the call, and the array that it writes is copied to the device after the call. Before the call, whoever executes the plan
/// waits for all earlier steps and reports any index fault in them, so that the function never receives results of an invalid index.
struct HostCall {
  struct Argument {
    enum Kind : uint8_t { kArray, kSize, kNumber, kAddress } kind = kArray;
    DType dtype = DType::kUnknown;  // kSize, kNumber: type of the parameter
    Location array = {};            // kArray
    SizeCode bytes = {};            // kArray: its size
    bool written = false;           // kArray: true if the function writes the array, false if it reads the array
    SizeCode size = {};             // kSize
    Scalar number = {};             // kNumber
    int address = -1;               // kAddress: index into Plan::addresses
  };
  std::string name;             // for messages
  int function = -1;            // index in Plan::addresses of the function's address
  bool returns_status = false;  // whether the function returns an i32, which is not 0 if the function fails
  std::vector<Argument> arguments;
  SizeCode elements = {};  // number of elements of the result; the call is skipped if it is 0
};

/// A step without work, between two generations (sets of steps that may run concurrently). Every step of the first generation is its
/// predecessor, and every step of the second one its successor. So the number of edges is the sum of the two numbers of steps and not their
/// product.
struct Join {};

struct Step {
  std::variant<Launch, HostCall, Join> what;
  std::vector<int> after = {};  // indices of the earlier steps that must be complete before this one starts, in ascending order
};

/// The record in which kernels report an index out of range at one check site. If several threads find such an index, the record keeps that
/// of the lowest element, without a lock: each word of `keys` is a 64-bit atomic minimum of (element << 16 | 16 bits of the index). At one
/// site, equal elements have equal indices. Therefore all four minima contain bits of the same index.
struct IndexRecord {
  static constexpr int kParts = 4;
  uint64_t keys[kParts];  // key i contains bits 16 * i to 16 * i + 15 of the index; if all its bits are set, no fault was found
  int64_t size;           // number of elements of the indexed axis, which is the same for every fault of a site
  int64_t unused[3];
};
static_assert(sizeof(IndexRecord) == 64);

/// Returns the fault at the first site that has one; nullopt if no site has one. `records` are the records of all sites, in order.
std::optional<IndexFault> first_fault(std::span<const IndexRecord> records);

struct Plan {
  std::string name;                          // of the graph
  std::vector<std::string> shape_variables;  // names of the shape variables, in the order of their values
  std::vector<std::string> inputs, outputs;  // names
  std::vector<Kernel> kernels;
  std::vector<std::shared_ptr<const std::vector<std::byte>>> constants;
  std::vector<Step> steps;
  SizeCode arena;                // bytes of device memory that a run allocates
  SizeCode records;              // offset of the IndexRecords in the arena
  int sites = 0;                 // number of index check sites; each has an IndexRecord
  std::vector<void*> addresses;  // addresses of the host application's functions and of their data; print() omits them

  /// Returns the values with which SizeCodes are evaluated. `blocks_per_processor` matters only for grid sizes.
  std::vector<int64_t> values(std::span<const int64_t> shape_values, int64_t processors, int64_t blocks_per_processor) const;
};

/// Returns the plan as text, for people and for programs that launch kernels without harp. docs/launch-plan.md describes the text.
std::string print(const Plan& plan);

/// Throws Error{kInternal} if an index is out of range, if a step waits for a later one, or if a kernel's block is empty or too large.
void verify(const Plan& plan);

}  // namespace harp::cuda
