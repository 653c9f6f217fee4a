// Checks the rules of the loop IR. Debug builds check them after lowering and after every rewrite. This file has the rules for statements
// and for the launches of kernels. The rules for values are in verify_values.cpp, those for memory that is read and overwritten in
// verify_overwrites.cpp, and those for the threads of a block in verify_groups.cpp and verify_shared.cpp.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ir/verify_groups.h"
#include "ir/verify_overwrites.h"
#include "ir/verify_values.h"

namespace harp::ir {
namespace {

class StatementRules : ValueRules {
 public:
  StatementRules(const Kernel& kernel, int sites) : ValueRules(kernel, sites), overwrites_(kernel), thread_loop_(thread_loop(kernel)) {}

  void run() {
    for (size_t i = 0; i < kernel_.accumulators.size(); ++i) accumulator(kernel_.accumulators[i], i);
    body(kernel_.body);
  }

 private:
  /// Checks that a statement may store elements of this dtype to parameter `number`.
  void written_buffer(int number, DType dtype) const {
    buffer(number, dtype);
    const Param& p = kernel_.params[static_cast<size_t>(number)];
    require(p.written, "a parameter that is stored to is marked as written, but ", p.name, " is not");
    require(thread_loop_ == nullptr || in_thread_loop_, "statements around the thread loop store to no parameter, but one stores to ",
            p.name);
  }

  void rules(const AccScan& s) {
    const auto is_declared = [&](int a) {
      return a >= 0 && static_cast<size_t>(a) < declared_.size() && declared_[static_cast<size_t>(a)] > 0;
    };
    const Accumulator& group = accumulator_of(s, s.accumulator);
    const bool is_whole = s.part == ScanPart::kWhole, has_total = is_whole || s.part == ScanPart::kBefore;
    require(!has_total || is_declared(s.total), "the accumulator of a scan's total is declared before the scan, but acc", s.total,
            " is not");
    require(has_total == (s.value != nullptr) && has_total == (s.total >= 0) && is_whole == (s.quads < 0),
            "a scan that is not in parts has a value and a total, a part of one has an accumulator of quads; got ",
            s.value == nullptr ? "no value" : "a value", ", total acc", s.total, " and quads acc", s.quads, " for acc", s.accumulator);
    const Type type = is_whole ? group.type : Type{group.type.dtype, has_total ? s.value->type.lanes : uint16_t{1}};
    if (is_whole) {
      require(group.type.lanes == 1 && group.count >= kQuad && group.count <= kScannedGroup && (group.count & (group.count - 1)) == 0,
              "a scanned group has ", kQuad, " to ", kScannedGroup, " elements of one lane, a power of two, but acc", s.accumulator,
              " has ", group.count, " of ", group.type.lanes);
    } else {
      require(is_declared(s.quads), "the quads of a scan are declared before it, but acc", s.quads, " is not");
      const Accumulator& quads = kernel_.accumulators[static_cast<size_t>(s.quads)];
      require(group.type.lanes == 1 && group.count % kScannedGroup == 0, "a scan in parts has whole groups of ", kScannedGroup,
              " elements, but acc", s.accumulator, " has ", group.count);
      require(quads.type.dtype == group.type.dtype && quads.count * quads.type.lanes * kQuad == group.count, "acc", s.quads,
              " has a total for each quad of acc", s.accumulator, ", of its dtype; got ", quads.count * quads.type.lanes, " for ",
              group.count, " elements");
    }
    if (!has_total) return;
    require(s.value->type == type && kernel_.accumulators[static_cast<size_t>(s.total)].type == type && s.total != s.accumulator,
            "a scan starts with a value of the group's dtype and ends with such a total in another accumulator; the total of acc",
            s.accumulator, " is in acc", s.total);
  }

  void body(const Body& statements) {
    std::vector<int> declared_here;
    const size_t known = overwrites_.enter(statements);
    for (const Stmt* s : statements) {
      if (const auto* declare = as<AccDeclare>(s)) declared_here.push_back(declare->accumulator);
      if (const auto* fold = as<AccFold>(s))
        require(std::ranges::find(declared_here, fold->accumulator) != declared_here.end(),
                "an accumulator is folded in the block that declares it, but acc", fold->accumulator, " is not");
      statement(*s);
    }
    for (int a : declared_here) --declared_[static_cast<size_t>(a)];
    overwrites_.leave(statements, known);
  }

  DType copied_dtype(const Copy& s) {
    if (s.source >= 0) {
      require(s.inputs.empty() && s.source != s.accumulator, "a copy has one source, which differs from its target, but one reads acc",
              s.source, " and ", s.inputs.size(), " parameters and writes acc", s.accumulator);
      require(static_cast<size_t>(s.source) < declared_.size() && declared_[static_cast<size_t>(s.source)] > 0,
              "the source of a copy is declared before it, but acc", s.source, " is not");
      const Accumulator& a = kernel_.accumulators[static_cast<size_t>(s.source)];
      require(a.is_row && a.type.lanes == 1, "a copy reads an array of one lane, but acc", s.source, " is none");
      return a.type.dtype;
    }
    require(s.inputs.size() == 1 && s.inputs[0] >= 0 && static_cast<size_t>(s.inputs[0]) < kernel_.params.size(),
            "a copy that reads no accumulator reads one of ", kernel_.params.size(), " parameters, not ", s.inputs.size(), " of them",
            s.inputs.size() == 1 ? cat(", number ", s.inputs[0]) : std::string());
    const DType dtype = kernel_.params[static_cast<size_t>(s.inputs[0])].dtype;
    buffer(s.inputs[0], dtype);
    const auto is_stored_later = [&](int written) { return overwrites_.is_in_stored_block(written); };
    require(std::ranges::all_of(kernel_.params[static_cast<size_t>(s.inputs[0])].in_place, is_stored_later),
            "the source of a copy is not overwritten in place, unless by a whole block after all loads, but ",
            kernel_.params[static_cast<size_t>(s.inputs[0])].name, " is");
    return dtype;
  }

  /// Returns the dtype that elements of a row (an accumulator with is_row) of dtype `row` have after a copy to the parameter. The result is
  /// the parameter's dtype if that is bool and `row` is u8, or if it is a 16-bit float and `row` is u16; otherwise it is `row`.
  DType stored_dtype(int parameter, DType row) const {
    if (parameter < 0 || static_cast<size_t>(parameter) >= kernel_.params.size()) return row;
    const DType array = kernel_.params[static_cast<size_t>(parameter)].dtype;
    return (is_bool(array) && row == DType::kU8) || (is_half(array) && row == DType::kU16) ? array : row;
  }

  void rules(const Loop& s) {
    const std::string loop = to_string(s.variable);
    require(s.step >= 1, "a loop's step is positive, but that of ", loop, " is ", s.step);
    require(s.poll_interval >= 0, "poll_interval is not negative, but that of loop ", loop, " is ", s.poll_interval);
    require(s.poll_interval <= 1 || !s.overlap, "a loop with overlapping steps does not poll the cancel flag, but ", loop, " does");
    require(s.loop != LoopKind::kThread || !s.overlap, "a thread loop has no overlapping steps, but ", loop, " has");
    require(!kernel_.is_scheduled || s.tags.empty(), "a loop of a scheduled kernel has no tags, but ", loop, " has");
    tags(s);
    if (s.loop == LoopKind::kThread)
      require(&s == thread_loop_ && !has_thread_loop_, "a kernel has one thread loop, and only loops around it, but ", loop,
              " is another one");
    // The bounds of the thread loop must not use variables of enclosing loops, because the host code evaluates them before it calls the
    // kernel.
    const auto around = s.loop == LoopKind::kThread ? std::exchange(open_, {}) : open_;
    for_each_position(s, [&](Sym e) { position(e); });
    open_ = around;
    in_thread_loop_ |= s.loop == LoopKind::kThread, has_thread_loop_ |= s.loop == LoopKind::kThread;
    for (const Stmt* each : s.body)
      if (as<Break>(each) != nullptr) loop_of_break_[each] = &s;
    scope(s.variable, s.body);
    in_thread_loop_ &= s.loop != LoopKind::kThread;
  }
  /// Checks that apply_schedule can execute the tags of the loop.
  void tags(const Loop& s) {
    const std::string loop = to_string(s.variable);
    if (const auto& nest = s.tags.nest) {
      const Loop* inner = &s;
      while (const Loop* next = only_loop_in(inner->body)) inner = next;
      require(inner->tags.vector.has_value(),
              "each loop of a nest contains only the next one, and the innermost one becomes vectors; in that of ", loop, " it does not");
      require(!nest->is_block || inner != &s, "the loop over the blocks of a chain has a loop inside it, but ", loop, " has none");
    }
    require(!s.tags.ahead || s.tags.vector, "only a loop that becomes vectors prefetches by its steps, but ", loop, " does");
    require(!s.tags.ahead || (as_variable(s.tags.ahead->along) != nullptr && s.tags.ahead->distance > 0),
            "a prefetch is some iterations ahead of a loop, but ", loop, " prefetches ",
            s.tags.ahead ? cat(s.tags.ahead->distance, " ahead of ", to_string(s.tags.ahead->along)) : std::string());
    if (!s.tags.vector) return;
    const int lanes = s.tags.vector->lanes;
    require(lanes >= 1 && (lanes & (lanes - 1)) == 0, "the number of lanes is a power of two, but ", loop, " has ", lanes);
    require(s.tags.vector->together >= 1, "a step has at least one vector, but that of ", loop, " has ", s.tags.vector->together);
    require(s.step == 1 && !s.overlap, "a loop that becomes vectors has step 1 and no overlapping steps, but ", loop, " has step ", s.step);
    independent(s);
  }
  /// Checks that the iterations of a loop that will be vectorised are independent: none changes what another one uses. The accumulators
  /// that an iteration changes must be declared inside the loop, or their index must depend on the loop variable.
  void independent(const Loop& s) const {
    const std::vector<const Stmt*> inside = statements_of(s.body);
    const auto is_own = [&](int accumulator) {
      return std::ranges::any_of(inside, [&](const Stmt* other) {
        const auto* declare = as<AccDeclare>(other);
        return declare != nullptr && declare->accumulator == accumulator;
      });
    };
    const bool is_one = (s.end - s.begin).is_constant(1);
    for (const Stmt* each : inside)
      visit(*each, [&](const auto& of) {
        if constexpr (Is<decltype(of), AccSet, AccUpdate>)
          require(is_one || is_own(of.accumulator) || depends_on(of.index, variable_of(s.variable)),
                  "each iteration of a loop that becomes vectors changes its own elements of an accumulator, but those of ",
                  to_string(s.variable), " change the same of acc", of.accumulator);
        else if constexpr (Is<decltype(of), AccFold, AccScan>)
          require(is_one || is_own(of.accumulator),
                  "an iteration of a loop that becomes vectors folds only its own accumulators, but one of ", to_string(s.variable),
                  " folds acc", of.accumulator);
        else
          require(each->kind != StmtKind::kBreak, "a loop that becomes vectors has no early exit, but ", to_string(s.variable), " has");
      });
  }
  void scope(Sym defined, const Body& statements) {
    const SymAtom* variable = as_variable(defined);
    require(variable != nullptr && variable->is_loop, "a loop or definition has a loop variable, not ", to_string(defined));
    require(open_.insert(variable).second, "a loop or definition has a variable of its own, but ", variable->name,
            " is that of an enclosing one");
    body(statements);
    open_.erase(variable);
  }

  const Accumulator& accumulator_of(const Stmt& s, int number) const {
    require(number >= 0 && static_cast<size_t>(number) < declared_.size(), "an accumulator is one of ", declared_.size(),
            " of the kernel, not number ", number);
    require(s.kind == StmtKind::kAccDeclare || declared_[static_cast<size_t>(number)] > 0,
            "an accumulator is declared before it is updated, but acc", number, " is not");
    return kernel_.accumulators[static_cast<size_t>(number)];
  }

  void statement(const Stmt& s) {
    for_each_value(s, [&](const UOp* root) { value(root); });
    if (as<Loop>(&s) == nullptr) for_each_position(s, [&](Sym e) { position(e); });
    visit(s, [&](const auto& of) { rules(of); });
  }

  void rules(const StoreGroup& s) {
    require(!s.body.empty(), "a group of stores is not empty");
    std::unordered_set<int> accumulators;
    for (const Stmt* each : s.body) {
      require(each->kind == s.body[0]->kind && (as<Store>(each) != nullptr || as<AccSet>(each) != nullptr),
              "a group contains only stores, or only sets of accumulators, but one does not");
      if (const auto* set = as<AccSet>(each))
        require(accumulators.insert(set->accumulator).second, "the sets of a group are of different accumulators, but two are of acc",
                set->accumulator);
    }
    body(s.body);
  }
  void rules(const Define& s) {
    if (s.value == nullptr || (s.value->type != Type{DType::kI64, 1} && s.value->type != Type{DType::kBool, 1}))
      violated("a position is defined by an i64 or a bool, but ", to_string(s.variable), " is defined by ",
               s.value == nullptr ? "nothing" : describe(*s.value));
    scope(s.variable, s.body);
  }
  void rules(Is<If, Retry> auto& s) {
    body(s.body);
    body(s.otherwise);
  }
  void rules(const Store& s) {
    require(s.value != nullptr, "a store has a value, but one to parameter ", s.buffer, " has none");
    written_buffer(s.buffer, s.value->type.dtype);
    if (s.mask != nullptr && (!is_bool(s.mask->type.dtype) || s.mask->type.lanes != s.value->type.lanes))
      violated("a store's mask is bool and has the lanes of its value ", describe(*s.value), "; got ", describe(*s.mask));
  }
  void rules(const Prefetch& s) {
    require(s.buffer >= 0 && static_cast<size_t>(s.buffer) < kernel_.params.size(), "a prefetch is of one of ", kernel_.params.size(),
            " parameters, not number ", s.buffer);
  }
  void rules(const Scatter& s) {
    require(s.value != nullptr && s.position != nullptr, "a scatter has a value and a position, but one to parameter ", s.buffer,
            " does not");
    written_buffer(s.buffer, s.value->type.dtype);
    const DType dtype = s.value->type.dtype, at = s.position->type.dtype;
    require(!s.combine || (!is_bool(dtype) && info(dtype).computes_in == dtype),
            "a scatter combines numbers of a dtype that is computed in itself, not ", name(dtype));
    require_of(*s.position, at == DType::kI32 || at == DType::kI64, "the position of a scatter is an i32 or i64");
    require_of(*s.position, s.position->type.lanes == 1, "a scatter has one position for all lanes");
    require(s.value->type.lanes == 1 || s.lane_step.is_constant(1), "the lanes of a scatter are contiguous, but their step is ",
            to_string(s.lane_step));
    const bool has_atomic = is_int(dtype) && size_of(dtype) >= 4 && s.value->type.lanes == 1 &&
                            (s.combine == Op::kAdd || s.combine == Op::kMax || s.combine == Op::kMin);
    require(!s.atomic || has_atomic, "an atomic scatter adds integers of 4 or 8 bytes or takes their maximum or minimum, but one of ",
            name(dtype), " does not");
  }
  void rules(const AccDeclare& s) {
    const Accumulator& a = accumulator_of(s, s.accumulator);
    const auto is_for_all = [&](Type value) {  // Tests whether a value of this type can initialise every element of the accumulator.
      return a.count == 1 ? value == a.type : a.type.lanes == 1 && value.lanes == a.count && value.dtype == a.type.dtype;
    };
    if (s.value != nullptr && (a.is_row || !is_for_all(s.value->type)))
      violated("an initial value has the type of an accumulator of one element, or a lane for each element; acc", s.accumulator, " has ",
               a.count, ", and the value is ", describe(*s.value));
    ++declared_[static_cast<size_t>(s.accumulator)];
  }
  void rules(const AccSet& s) { change(s, s.value); }
  void rules(const AccUpdate& s) {
    change(s, s.value);
    const Accumulator& a = accumulator_of(s, s.accumulator);
    require(!is_bool(a.type.dtype), "an accumulator of bools is set, not updated, but acc", s.accumulator, " is updated");
    require(s.factor == nullptr || (s.factor->type == s.value->type && is_float(a.type.dtype) && a.combine == Op::kAdd),
            "an accumulator adds products of floats only, but acc", s.accumulator, " of ", name(a.type.dtype), " combines by ",
            name(a.combine));
  }
  void change(Is<AccSet, AccUpdate> auto& s, const UOp* value) const {
    const Accumulator& a = accumulator_of(s, s.accumulator);
    if (value == nullptr || value->type.dtype != a.type.dtype)
      violated("acc", s.accumulator, " takes values of ", name(a.type.dtype), ", not ", value == nullptr ? "none" : describe(*value));
    if (value->type.lanes != a.type.lanes && s.lane_step.is_constant(0))
      violated("each lane of a vector updates another element, but all lanes of ", describe(*value), " update one of acc", s.accumulator);
  }
  void rules(const AccFold& s) {
    const Accumulator& a = accumulator_of(s, s.accumulator);
    require((a.count & (a.count - 1)) == 0, "a folded accumulator has a power of two elements, but acc", s.accumulator, " has ", a.count);
    require(!is_bool(a.type.dtype), "an accumulator of bools is not folded, but acc", s.accumulator, " is");
  }
  void rules(const Routine& s) {
    require((s.parts.size() == 4) == (s.routine == Op::kDft), "a Fourier transform has 4 parts, and other routines have none, but ",
            name(s.routine), " has ", s.parts.size());
    require(s.routine == Op::kSort || !s.descending, "only a sort may be descending, but ", name(s.routine), " is");
    require(is_routine(s.routine) && s.inputs.size() == static_cast<size_t>(info(s.routine).arity), "a routine has its operands, but ",
            name(s.routine), " has ", s.inputs.size());
    const auto dtype_of = [&](int parameter) {
      require(parameter >= 0 && static_cast<size_t>(parameter) < kernel_.params.size(), "the operands of a routine are among ",
              kernel_.params.size(), " parameters, but ", name(s.routine), " has number ", parameter);
      return kernel_.params[static_cast<size_t>(parameter)].dtype;
    };
    for (const int input : s.inputs)
      require(accepts(info(s.routine).operands, dtype_of(input)), name(s.routine), " takes ", harp::describe(info(s.routine).operands),
              ", not ", name(dtype_of(input)));
    const DType result = info(s.routine).result == Result::kSame ? dtype_of(s.inputs[0]) : DType::kI64;
    written_buffer(s.buffer, result);
    require(s.threads >= 0 && s.threads <= kMaxThreads && (s.threads == 0 || s.accumulator < 0),
            "the threads of a block that execute a routine together use no array of one thread");
    const bool selects = s.routine != Op::kDft && !s.kept.is_constant(0);
    require(!selects || (s.kept.is_constant() && s.kept.constant() > 0), "a sort keeps a known number of elements of each row, but ",
            name(s.routine), " does not");
    require(!selects || (s.threads == 0 && s.accumulator < 0 && s.spare < 0),
            "a routine of one thread that keeps the first elements of sorted rows has no scratch memory, but ", name(s.routine), " has");
    if (selects || (s.threads > 0 && s.spare < 0)) return;
    if (s.accumulator < 0) return written_buffer(s.spare, result);
    const Accumulator& a = accumulator_of(s, s.accumulator);
    require(a.is_row && a.type == Type{result, 1}, "an array that a routine overwrites is of ", name(result), " of one lane, but acc",
            s.accumulator, " is of ", name(a.type.dtype));
  }
  void rules(const Copy& s) {
    const DType dtype = copied_dtype(s);
    if (s.accumulator < 0) return written_buffer(s.buffer, s.source >= 0 ? stored_dtype(s.buffer, dtype) : dtype);
    require(!s.nontemporal, "an accumulator is not written by non-temporal stores, but acc", s.accumulator, " is");
    const Accumulator& a = accumulator_of(s, s.accumulator);
    require(a.is_row && a.type.lanes == 1 && size_of(a.type.dtype) == size_of(dtype),
            "a copy writes an array of one lane with elements of ", size_of(dtype), " bytes, but acc", s.accumulator, " has ",
            size_of(a.type.dtype));
  }
  void rules(const CopyAsync& s) {
    const Accumulator& a = accumulator_of(s, s.accumulator);
    buffer(s.buffer, a.type.dtype);
    require(kernel_.params[static_cast<size_t>(s.buffer)].in_place.empty(),
            "the source of an asynchronous copy is not overwritten in place, but ", kernel_.params[static_cast<size_t>(s.buffer)].name,
            " is");
    const int64_t bytes = s.length * static_cast<int64_t>(size_of(a.type.dtype));
    require(a.is_row && a.type.lanes == 1 && (bytes == 4 || bytes == 8 || bytes == 16),
            "an asynchronous copy to an array of one lane has 4, 8 or 16 bytes, but that to acc", s.accumulator, " has ", bytes);
    require(mod(s.index, s.length).is_constant(0), "the destination of an asynchronous copy of ", s.length,
            " elements is a multiple of that number, not ", to_string(s.index));
    require(proven_nonnegative(s.exist) && proven_at_most(s.exist, s.length), "of ", s.length,
            " elements of an asynchronous copy none to all exist, not ", to_string(s.exist));
  }
  void rules(const Wait& s) { require(s.pending >= 0, "a wait leaves out no batches or some, not ", s.pending); }
  void rules(const Break& s) {
    const Accumulator& a = accumulator_of(s, s.accumulator);
    const auto loop = loop_of_break_.find(&s);
    require(loop != loop_of_break_.end(), "a break is directly inside a loop");
    require(is_bool(a.type.dtype) || (a.type == Type{DType::kI32, 1} && a.count == 1 && !a.is_row),
            "a loop ends where an i32 is not 0, or where no bool is true");
    const auto declares_it = [&](const Stmt* other) {
      const auto* declare = as<AccDeclare>(other);
      return declare != nullptr && declare->accumulator == s.accumulator;
    };
    require(std::ranges::none_of(loop->second->body, declares_it), "the accumulator that ends a loop is declared outside of it, but acc",
            s.accumulator, " is not");
  }
  void rules(const Mma& s) {
    for (const int number : {s.accumulator, s.rows, s.columns}) {
      const Accumulator& a = accumulator_of(s, number);
      require(a.type == Type{DType::kF64, 1}, "tensor cores multiply f64 of one lane, but acc", number, " is of ", name(a.type.dtype));
    }
    require(s.row_tiles >= 1 && s.column_tiles >= 1 && s.row_tiles <= 8 && s.column_tiles <= 8,
            "a thread's share of a product is 1 to 8 tiles high and wide, not ", s.row_tiles, " x ", s.column_tiles);
  }
  void rules(Is<Barrier, Comment> auto&) {}

  OverwriteRules overwrites_;
  std::unordered_map<const Stmt*, const Loop*> loop_of_break_;  // maps each Break that is directly inside a loop to that loop
  const Loop* thread_loop_;
  bool in_thread_loop_ = false, has_thread_loop_ = false;
};

}  // namespace

void verify(const Module& module) {
  for (const Kernel& k : module.kernels) {
    StatementRules(k, module.sites).run();
    if (!has_groups(k)) continue;
    verify_groups(*module.arena, k);
    verify_shared(*module.arena, k);
  }
  for (const Generation& g : module.generations)
    HARP_ASSERT(g.launches.empty() || !g.launches.front().follows, "a launch that follows no launch of its generation");
  for (const Generation& g : module.generations)
    for (const Launch& l : g.launches) {
      HARP_ASSERT(l.kernel >= 0 && static_cast<size_t>(l.kernel) < module.kernels.size(), "a launch is of one of ", module.kernels.size(),
                  " kernels, not number ", l.kernel);
      const Kernel& kernel = module.kernels[static_cast<size_t>(l.kernel)];
      HARP_ASSERT(l.arguments.size() == kernel.params.size(), "a launch of ", kernel.name, " has one buffer for each of ",
                  kernel.params.size(), " parameters, not ", l.arguments.size());
      for (size_t i = 0; i < kernel.params.size(); ++i) {
        const HostBuffer& argument = l.arguments[i];
        HARP_ASSERT(argument.space == Space::kWorkspace ||
                        (argument.space == Space::kScratch && argument.kind == HostBuffer::Kind::kTemporary && g.blocks > 0),
                    "a buffer in scratch memory is a temporary of a chain of kernels, but that for ", kernel.params[i].name, " of ",
                    kernel.name, " is not");
        HARP_ASSERT(kernel.params[i].space == argument.space, "a parameter is in the space of its argument, but ", kernel.params[i].name,
                    " of ", kernel.name, " is not");
      }
    }
  const auto is_known = [&](int address) { return address >= 0 && static_cast<size_t>(address) < module.natives.size(); };
  for (const Generation& g : module.generations)
    for (const NativeCall& call : g.calls) {
      HARP_ASSERT(is_known(call.function), "a native function is one of ", module.natives.size(), " addresses, not number ", call.function);
      for (const NativeCall::Argument& a : call.arguments)
        HARP_ASSERT(a.kind != NativeCall::Argument::kAddress || is_known(a.address), "an argument of a native function is one of ",
                    module.natives.size(), " addresses, not number ", a.address);
    }
}

}  // namespace harp::ir
