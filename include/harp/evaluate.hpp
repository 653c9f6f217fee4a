// Evaluates expressions: looks up the program in a cache that belongs to the expression's type, compiles it if necessary, and launches it.
// Part of harp.hpp.
//
// An assignment is evaluated alone, or together with others (fuse). For each list of types of assignments that are evaluated together there
// is one static Cache. The key of an Entry in the Cache consists of the context, the types of the arrays (interned, so that one pointer
// comparison compares all sizes), which arrays are identical, and the attributes of operations such as roll. The program's sizes are shape
// variables, so a new size adds an Entry but compiles nothing.
#ifndef HARP_EVALUATE_HPP
#define HARP_EVALUATE_HPP

#include <harp/realize.hpp>

#include <algorithm>
#include <array>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {
namespace detail {

/// The key of an Entry (a cached program) has one word for each operand of the expressions that is a field. Usually the word is the address
/// of the field's type. A word with kSameAsInput in its lowest three bits means that the field is the same array as an earlier input, and a
/// word with kEarlierResult means that the field is the result of an earlier assignment. The higher bits are the index of that input or
/// assignment.
inline constexpr uint64_t kSameAsInput = 1, kEarlierResult = 2;

/// The destination of a result: a field or a number.
struct Target {
  const void* identity;  // address of the field or the number
  DType dtype;
  void* data;
  const Type* type;  // the dtype and sizes of its memory; NULL: it has no memory yet
  bool is_number;    // true: a C++ number, whose memory is in the host's memory even if the expression is evaluated on a GPU
};

inline bool overlap(const void* a, const Type* a_type, const void* b, const Type* b_type) {
  const auto from_a = reinterpret_cast<uintptr_t>(a), from_b = reinterpret_cast<uintptr_t>(b);
  return from_a < from_b + b_type->bytes && from_b < from_a + a_type->bytes;
}

/// The arrays and C++ numbers that expressions read, in the order in which the expressions mention them.
template <size_t Leaves>
struct Gathered {
  void* data[Leaves + 1];  // addresses of the distinct inputs
  const Type* types[Leaves + 1];
  size_t inputs = 0;
  bool crosses = false;  // true: an array overlaps the result of an earlier assignment and is not identical to that result
  Words key;

  void number(const void* value, const Type* type) {
    data[inputs] = const_cast<void*>(value);
    types[inputs++] = type;
  }
  void field(const void* identity, const void* memory, const Type* type, const Target* earlier, size_t earlier_count) {
    for (size_t i = earlier_count; i-- > 0;) {
      if (earlier[i].identity == identity || (earlier[i].data == memory && earlier[i].type == type && memory != nullptr))
        return key.add(uint64_t{i} << 3 | kEarlierResult);
      if (earlier[i].type != nullptr && type != nullptr && overlap(earlier[i].data, earlier[i].type, memory, type)) crosses = true;
    }
    for (size_t i = 0; i < inputs; ++i)
      if (data[i] == memory && types[i] == type && memory != nullptr) return key.add(uint64_t{i} << 3 | kSameAsInput);
    key.add(word_of(type));
    data[inputs] = const_cast<void*>(memory);
    types[inputs++] = type;
  }
};

/// Converts the operands of expressions to nodes of a graph: number() and field() return the node of the next operand, which must be a
/// number or a field, respectively.
struct ExpressionBuilder {
  harp_graph* graph;
  const uint64_t* leaf;  // the word of the cache key for the next operand that is a field
  const std::vector<harp_node*>& inputs;
  size_t next = 0;                     // index of the next input
  std::vector<harp_node*> results;     // nodes of the results of earlier assignments
  std::vector<CheckedNumber> checked;  // integers that each evaluation compares with the range of their dtype

  harp_node* number() { return inputs[next++]; }
  /// Casts the node of a number from the dtype of its C++ type to the dtype that it takes in an operation with the arrays.
  harp_node* cast_number(harp_node* node, DType own, DType taken) {
    const auto input = static_cast<size_t>(std::find(inputs.begin(), inputs.end(), node) - inputs.begin());
    if (const CheckedNumber number{input, own, taken}; number.may_exceed()) checked.push_back(number);
    return harp_cast(node, raw(taken));
  }
  harp_node* field() {
    const uint64_t word = *leaf++;
    if ((word & 7) == kSameAsInput) return inputs[word >> 3];
    if ((word & 7) == kEarlierResult) return results[word >> 3];
    return inputs[next++];
  }
};

/// A compiled program of expressions. It belongs to the Session, which holds a context and its caches (handles.hpp).
struct Compiled {
  std::vector<uint64_t> key;
  Handle<harp_program> program;
  harp_entry_point_ex entry = nullptr;           // NULL: the program has no entry point
  std::vector<std::pair<size_t, int32_t>> vars;  // for each shape variable, the input and axis that determine it
  std::vector<uint64_t> in_place;                // for each result, a bit mask: bit i is set if the result may overwrite input i
  std::vector<CheckedNumber> numbers;            // integers that each evaluation compares with the range of their dtype
  // True: inputs and results are passed as arrays of one axis, because all operations are elementwise on arrays of one shape.
  bool flat = false;
  uint64_t kernels = 0;
};

struct Expressions final : Attachment {
  std::mutex mutex;
  std::unordered_multimap<uint64_t, std::unique_ptr<Compiled>> programs;

  static Expressions& of(Session* session) {
    const std::lock_guard<std::mutex> lock(session->mutex);
    if (session->expressions == nullptr) session->expressions = std::make_unique<Expressions>();
    return static_cast<Expressions&>(*session->expressions);
  }
};

/// A compiled program, with the sizes of the arrays on which it runs. Entries are never freed, and are not accessed after their Session (a
/// context and its caches) has ended.
struct Entry {
  const Entry* next = nullptr;
  std::vector<uint64_t> key;
  const Compiled* compiled = nullptr;
  harp_entry_point_ex entry = nullptr;
  mutable std::vector<size_t> vars;
  std::vector<const Type*> results;
  size_t workspace_bytes = 0;
  uint64_t bytes = 0;
};

struct Cache {
  static constexpr size_t kBuckets = 16, kMost = 4096;
  std::atomic<const Entry*> buckets[kBuckets] = {};
  std::atomic<size_t> count{0};

  const Entry* find(const Words& key, uint64_t hash) const {
    for (const Entry* entry = buckets[hash % kBuckets].load(std::memory_order_acquire); entry != nullptr; entry = entry->next)
      if (entry->key.size() == key.size() && std::equal(entry->key.begin(), entry->key.end(), key.data())) return entry;
    return nullptr;
  }
  const Entry* add(std::unique_ptr<Entry> entry, uint64_t hash) {
    // A cache holds at most kMost entries, so that sizes that occur only once do not fill the memory. A new entry of a full cache is not
    // added to it: the thread keeps it only until its next new entry, and no later call finds it.
    if (count.fetch_add(1, std::memory_order_relaxed) >= kMost) {
      static thread_local std::unique_ptr<Entry> last;
      last = std::move(entry);
      return last.get();
    }
    std::atomic<const Entry*>& bucket = buckets[hash % kBuckets];
    entry->next = bucket.load(std::memory_order_relaxed);
    while (!bucket.compare_exchange_weak(entry->next, entry.get(), std::memory_order_release, std::memory_order_relaxed)) {
    }
    return entry.release();
  }
};

/// What compilation has to know about a list of assignments.
struct Assigned {
  Session* session;
  const void* tag;   // identifies the types
  const Words& key;  // the session's id, one word for each operand that is a field, and the attributes of operations
  size_t fields;
  bool elementwise;  // all operations are elementwise
  const Type* const* types;
  size_t inputs;
  const Target* targets;
  size_t results;
  bool (*build)(ExpressionBuilder& builder, const void* expressions);  // builds the expressions and appends a node for each result
  const void* expressions;
};

/// Which sizes of the inputs are shape variables. The first choice is the most general one, and the last one works for every expression.
/// - flat: arrays are passed with one axis, and their number of elements is the only variable;
/// - by_axis: there is one variable for each axis number i, which is the size of axis i of all inputs;
/// - by_size: axes of equal size share a variable, and a size of 1 stays a plain number;
/// - fixed: there are no variables.
enum class Sizing { flat, by_axis, by_size, fixed };

inline bool one_shape(const Assigned& what) {
  const Type* first = nullptr;
  for (size_t i = 0; i < what.inputs; ++i) {
    const Type* type = what.types[i];
    if (type->rank == 0) continue;
    if (first == nullptr) first = type;
    if (type->rank != first->rank || std::memcmp(type->dims, first->dims, static_cast<size_t>(first->rank) * sizeof(int64_t)) != 0)
      return false;
  }
  return first != nullptr;
}

/// For each axis of each input: the index of its shape variable, or -1 - size if the size is not a variable.
inline std::vector<std::vector<int64_t>> size_codes(const Assigned& what, Sizing sizing, std::vector<std::pair<size_t, int32_t>>& vars) {
  std::vector<std::vector<int64_t>> codes(what.inputs);
  std::vector<int64_t> known;  // for each shape variable: its axis (by_axis) or its current size (by_size)
  for (size_t i = 0; i < what.inputs; ++i) {
    const Type* type = what.types[i];
    if (type->rank != 0 && sizing == Sizing::flat) {
      codes[i].push_back(0);
      if (vars.empty()) vars.emplace_back(i, -1);
      continue;
    }
    for (int32_t axis = 0; axis < type->rank; ++axis) {
      const int64_t size = type->dims[axis];
      // A size of 0 stays a plain number, so that harp can reject reductions without an identity, such as max.
      if (sizing == Sizing::fixed || size == 0 || (sizing == Sizing::by_size && size == 1)) {
        codes[i].push_back(-1 - size);
        continue;
      }
      const int64_t same = sizing == Sizing::by_axis ? axis : size;
      const auto var = std::find(known.begin(), known.end(), same) - known.begin();
      codes[i].push_back(var);
      if (var != static_cast<std::ptrdiff_t>(known.size())) continue;
      known.push_back(same);
      vars.emplace_back(i, axis);
    }
  }
  return codes;
}

/// Compiles the expressions. Returns NULL after an error, which `mistake` then holds.
inline std::unique_ptr<Compiled> compile(const Assigned& what, Sizing sizing, Out& mistake) {
  auto compiled = std::make_unique<Compiled>();
  const std::vector<std::vector<int64_t>> codes = size_codes(what, sizing, compiled->vars);
  const Handle<harp_graph> graph(harp_graph_new(what.session->context, HARP_GRAPH_BROADCAST | HARP_GRAPH_PROMOTE_MIXED, mistake));
  std::vector<harp_dim> vars;
  for (size_t i = 0; i < compiled->vars.size(); ++i)
    vars.push_back(harp_dim_var(graph.get(), ("n" + std::to_string(i)).c_str(), 0, int64_t{1} << 48));
  std::vector<harp_node*> inputs;
  for (size_t i = 0; i < what.inputs; ++i) {
    std::vector<harp_dim> dims;
    for (const int64_t code : codes[i]) dims.push_back(code < 0 ? -1 - code : vars[static_cast<size_t>(code)]);
    inputs.push_back(harp_input(graph.get(), ("x" + std::to_string(i)).c_str(), raw(what.types[i]->dtype),
                                static_cast<int32_t>(dims.size()), dims.data()));
  }
  ExpressionBuilder builder{graph.get(), what.key.data() + 1, inputs, 0, {}, {}};
  if (what.build(builder, what.expressions)) {
    compiled->numbers = std::move(builder.checked);
    for (size_t i = 0; i < what.results; ++i) harp_output(graph.get(), ("y" + std::to_string(i)).c_str(), builder.results[i]);
    CompileOptions options;
    if (what.session->device_number != 0) options.backend = "cuda";
    compiled->program = Handle<harp_program>(harp_compile(graph.get(), &options, mistake));
  } else {
    *static_cast<harp_error**>(mistake) = harp_graph_take_error(graph.get());
  }
  if (!compiled->program) return nullptr;
  compiled->flat = sizing == Sizing::flat;
  harp_error* none = nullptr;  // not reported: it is no error that a program which calls native functions has no entry point
  compiled->entry = harp_program_entry_ex(compiled->program.get(), &none);
  harp_error_release(none);
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  harp_program_stats(compiled->program.get(), &stats, mistake);
  compiled->kernels = static_cast<uint64_t>(stats.kernels);
  for (size_t i = 0; i < what.results; ++i) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    harp_program_output(compiled->program.get(), i, &info, mistake);
    uint64_t mask = 0;
    for (size_t k = 0; k < info.n_in_place; ++k)
      if (info.in_place[k] < 63) mask |= uint64_t{1} << info.in_place[k];
    compiled->in_place.push_back(mask);
  }
  return compiled;
}

/// Returns the program for this choice of shape variables. It may have been compiled before, for arrays of other sizes. NULL after an
/// error.
inline const Compiled* compiled_of(const Assigned& what, Sizing sizing, Out& mistake) {
  std::vector<std::pair<size_t, int32_t>> vars;
  std::vector<uint64_t> key = {word_of(what.tag), static_cast<uint64_t>(sizing)};
  for (size_t i = 1; i < what.key.size(); ++i) {
    const uint64_t word = what.key.data()[i];
    key.push_back(i <= what.fields && (word & 7) == 0 ? 0 : word);
  }
  const std::vector<std::vector<int64_t>> codes = size_codes(what, sizing, vars);
  for (size_t i = 0; i < what.inputs; ++i) {
    key.push_back(static_cast<uint64_t>(raw(what.types[i]->dtype)) << 32 | codes[i].size());
    for (const int64_t code : codes[i]) key.push_back(static_cast<uint64_t>(code));
  }
  const uint64_t hash = hash_words(key.data(), key.size());
  Expressions& all = Expressions::of(what.session);
  const auto find = [&]() -> const Compiled* {
    const auto [begin, end] = all.programs.equal_range(hash);
    for (auto it = begin; it != end; ++it)
      if (it->second->key == key) return it->second.get();
    return nullptr;
  };
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (const Compiled* known = find()) return known;
  }
  std::unique_ptr<Compiled> compiled = compile(what, sizing, mistake);
  if (compiled == nullptr) return nullptr;
  compiled->key = std::move(key);
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (const Compiled* known = find()) return known;
  return all.programs.emplace(hash, std::move(compiled))->second.get();
}

/// Checks that all arrays are on the device on which the expression is evaluated. Numbers, and arrays of rank 0, may also be in the host's
/// memory. If an array is elsewhere, raises an error and returns false.
inline bool check_devices(const Assigned& what) {
  const int32_t wanted = what.session->device_number;
  const auto name = [](int32_t device) { return device == 0 ? std::string("the host's memory") : "cuda:" + std::to_string(device - 1); };
  for (size_t i = 0; i < what.inputs; ++i) {
    const Type* type = what.types[i];
    if (type->device == wanted || (type->device == 0 && type->rank == 0)) continue;
    raise({HARP_ERROR_DEVICE, "an expression in a context for fields in " + name(wanted) + " reads a field in " + name(type->device) +
                                  "; copy the field with to(context)"});
    return false;
  }
  return true;
}

/// Compiles a program for arrays of these types, which occur for the first time, and returns its entry in the cache. NULL after an error.
inline const Entry* make_entry(Cache& cache, const Assigned& what, uint64_t hash) {
  if (!check_devices(what)) return nullptr;
  const bool same = one_shape(what);
  Sizing sizing = same && what.elementwise ? Sizing::flat : same ? Sizing::by_axis : Sizing::by_size;
  const Compiled* compiled = nullptr;
  for (;; sizing = static_cast<Sizing>(static_cast<int>(sizing) + 1)) {
    Out mistake;
    compiled = compiled_of(what, sizing, mistake);
    if (compiled != nullptr) break;
    const harp_status code = harp_error_code(*static_cast<harp_error**>(mistake));
    const bool sizes_matter = code == HARP_ERROR_SHAPE || code == HARP_ERROR_RANGE || code == HARP_ERROR_INVALID_ARGUMENT;
    if (sizing != Sizing::fixed && sizes_matter) continue;  // the next choice may succeed, or give a better error message
    mistake.raised();
    return nullptr;
  }
  auto entry = std::make_unique<Entry>();
  entry->key.assign(what.key.data(), what.key.data() + what.key.size());
  entry->compiled = compiled;
  entry->entry = compiled->entry;
  std::vector<int64_t> vars;
  for (const auto& [input, axis] : compiled->vars) vars.push_back(axis < 0 ? what.types[input]->elements : what.types[input]->dims[axis]);
  for (const int64_t var : vars) entry->vars.push_back(static_cast<size_t>(var));
  for (size_t i = 0; i < what.inputs; ++i) entry->bytes += what.types[i]->bytes;
  Out err;
  for (size_t i = 0; i < what.results; ++i) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    harp_program_output(compiled->program.get(), i, &info, err);
    int64_t dims[HARP_MAX_RANK];
    harp_program_output_dims(compiled->program.get(), i, vars.size(), vars.data(), info.rank, dims, err);
    if (err.raised()) return nullptr;
    const Type* type = compiled->flat && info.rank != 0 ? what.types[compiled->vars[0].first] : nullptr;
    const int32_t device = what.targets[i].is_number ? 0 : what.session->device_number;
    entry->results.push_back(type != nullptr ? type_of(what.targets[i].dtype, type->dims, type->rank, 0, device)
                                             : type_of(what.targets[i].dtype, dims, info.rank, 0, device));
    entry->bytes += entry->results.back()->bytes;
  }
  harp_program_workspace_size(compiled->program.get(), vars.size(), vars.data(), 1, &entry->workspace_bytes, err);
  if (err.raised()) return nullptr;
  return cache.add(std::move(entry), hash);
}

/// Runs the program by harp_program_run, which checks the arguments and accepts C++ numbers in the host's memory. False after an error.
inline bool run_on_device(const Session* session, const Entry& entry, void* const* inputs, const Type* const* types, size_t count,
                          void* const* outputs) {
  const bool flat = entry.compiled->flat;
  std::vector<Handle<harp_buffer>> owned;
  std::vector<harp_buffer*> buffers;
  Out err;
  const auto add = [&](void* data, const Type* type) {
    const bool is_flat = flat && type->rank != 0;
    const int32_t rank = is_flat ? 1 : type->rank;
    const int64_t* dims = is_flat ? &type->elements : type->dims;
    const char* device = type->device != 0 ? session->device_name() : "cpu";
    if (*static_cast<harp_error**>(err) == nullptr)
      owned.emplace_back(
          data == nullptr ? harp_buffer_new(session->context, device, raw(type->dtype), rank, dims, err)
                          : harp_buffer_wrap_device(session->context, device, raw(type->dtype), rank, dims, data, nullptr, nullptr, err));
    else
      owned.emplace_back();
    buffers.push_back(owned.back().get());
  };
  for (size_t i = 0; i < count; ++i) add(inputs[i], types[i]);
  for (size_t i = 0; i < entry.results.size(); ++i) add(outputs[i], entry.results[i]);
  if (err.raised()) return false;
  RunOptions options;
  options.flags = HARP_RUN_STAGE;
  harp_program_run(entry.compiled->program.get(), count, buffers.data(), entry.results.size(), buffers.data() + count, &options, err);
  return !err.raised();
}

/// Runs the program by harp_program_call, which checks the arguments and may use several threads. False after an error.
inline bool call_program(const Entry& entry, void* const* inputs, const Type* const* types, size_t count, void* const* outputs) {
  std::vector<harp_const_array> in;
  std::vector<harp_array> out;
  const bool flat = entry.compiled->flat;
  const auto dims_of = [flat](const Type* type) { return flat && type->rank != 0 ? &type->elements : type->dims; };
  const auto rank_of = [flat](const Type* type) { return flat && type->rank != 0 ? 1 : type->rank; };
  for (size_t i = 0; i < count; ++i) in.push_back({inputs[i], dims_of(types[i]), raw(types[i]->dtype), rank_of(types[i])});
  for (size_t i = 0; i < entry.results.size(); ++i)
    out.push_back({outputs[i], dims_of(entry.results[i]), raw(entry.results[i]->dtype), rank_of(entry.results[i])});
  Out err;
  harp_program_call(entry.compiled->program.get(), in.size(), in.data(), out.size(), out.data(), nullptr, err);
  return !err.raised();
}

/// Checks that each integer in the expressions fits the dtype that it takes in an operation with arrays. If one does not, raises an error
/// and returns false.
inline bool numbers_fit(const Entry& entry, void* const* inputs) {
  for (const CheckedNumber& number : entry.compiled->numbers)
    if (!number.check(inputs[number.input])) return false;
  return true;
}

/// A run uses several threads only if its inputs and results have at least this many bytes in total.
inline constexpr uint64_t kWorthThreads = uint64_t{256} << 10;

inline bool launch(const Session* session, const Entry& entry, void** inputs, const Type* const* types, size_t count, void** outputs) {
  ++launched.runs;
  launched.kernels += entry.compiled->kernels;
  launched.bytes += entry.bytes;
  if (session->device_number != 0) {
    // The entry point, the program's C function, copies C++ numbers to the device and back. It returns a status without a message. After a
    // failure, run_on_device() runs the program once more, to report the error with its message.
    const bool done = entry.entry != nullptr && entry.entry(inputs, outputs, entry.vars.data(), nullptr) == HARP_OK;
    return done || run_on_device(session, entry, inputs, types, count, outputs);
  }
  if (entry.entry == nullptr || (session->width > 1 && entry.bytes >= kWorthThreads))
    return call_program(entry, inputs, types, count, outputs);
  harp_status status = HARP_OK;
  if (entry.workspace_bytes == 0) {
    status = entry.entry(inputs, outputs, entry.vars.data(), nullptr);
  } else {
    Reused<Workspace> workspace;
    harp_runtime runtime{};
    runtime.struct_size = sizeof runtime;
    runtime.workspace = workspace->reserve(entry.workspace_bytes);
    runtime.workspace_size = workspace->size();
    status = entry.entry(inputs, outputs, entry.vars.data(), &runtime);
  }
  // After a failure, call_program() runs the program once more, with checked arguments, to report the error with its message.
  return status == HARP_OK || call_program(entry, inputs, types, count, outputs);
}

/// Returns whether the result must be computed in separate memory: its own memory overlaps that of this input, and the program cannot
/// compute the result in place of the input.
inline bool clash(const Target& result, const void* input, const Type* type, uint64_t in_place, size_t i) {
  return overlap(result.data, result.type, input, type) && (result.data != input || i >= 63 || (in_place >> i & 1) == 0);
}

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_EVALUATE_HPP
