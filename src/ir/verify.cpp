// The rules of the loop IR, checked in debug builds after lowering and after every rewrite.
#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "ir/interleaved_accesses.h"
#include "ir/verify_groups.h"
#include "ir/walk.h"

namespace harp::ir {
namespace {

class Verifier {
 public:
  Verifier(const Kernel& kernel, int sites)
      : kernel_(kernel), sites_(sites), declared_(kernel.accumulators.size(), 0), thread_loop_(thread_loop(kernel)) {}

  void run() {
    for (const Accumulator& a : kernel_.accumulators) {
      require(a.count >= 1, "an accumulator has at least one element");
      require(a.space != Space::kWorkspace, "an accumulator is not in the workspace");
      require(a.space != Space::kScratch || a.count >= 64, "a short accumulator is not in scratch memory");
      require(a.space != Space::kRegister || (a.spread > 0 ? a.spread : a.count) <= kMaxRegisterElements,
              "an accumulator in registers has at most 128 elements for each thread");
      require(a.avoid_alias_with < static_cast<int>(kernel_.params.size()), "the array next to an accumulator is a parameter");
      require(
          a.combine == Op::kAdd || a.combine == Op::kMul || a.combine == Op::kMax || a.combine == Op::kMin || a.combine == Op::kLogAddExp,
          "accumulators add, multiply, max, min or logaddexp");
      require(!is_bool(a.type.dtype) && !is_half(a.type.dtype) && a.init.dtype == a.type.dtype,
              "accumulators hold numbers and start at one of their dtype");
    }
    body(kernel_.body);
  }

 private:
  void require(bool condition, std::string_view rule) const {
    if (!condition) fail(Code::kInternal, "IR of ", kernel_.name, " violates a rule: ", rule);
  }

  // Checks that the expression uses only variables of the enclosing loops and definitions.
  void position(Sym e) const {
    for (const SymAtom* v : variables_of(e))
      if (v->is_loop && !open_.contains(v))
        fail(Code::kInternal, "IR of ", kernel_.name, ": variable ", v->name, " is used outside its loop");
  }

  void buffer(int number, DType dtype, bool written) const {
    require(number >= 0 && static_cast<size_t>(number) < kernel_.params.size(), "a buffer is a parameter");
    const Param& p = kernel_.params[static_cast<size_t>(number)];
    require(p.dtype == dtype, "loads and stores have the buffer's dtype");
    require(!written || p.written, "a stored buffer is marked as written");
    require(!written || thread_loop_ == nullptr || in_thread_loop_, "statements around the thread loop store to no parameter");
  }

  void value(const UOp* root) {
    // Values that depend on positions and accumulators must be checked at every use. The graph below one statement is small.
    for_each_uop({root}, [&](const UOp* u) { node(*u); });
  }

  void node(const UOp& u) {
    const uint16_t lanes = u.type.lanes;
    require(lanes >= 1 && (lanes & (lanes - 1)) == 0, "the number of lanes is a power of two");
    for (const UOp* s : u.sources) require(s->id < u.id, "sources are created before their users");
    position(u.index);
    position(u.lane_step);
    switch (u.kind) {
      case UKind::kConst: require(lanes == 1 && u.value.dtype == u.type.dtype, "a constant is one lane of its dtype"); break;
      case UKind::kIndex: require(u.type.dtype == DType::kI64, "an index is an i64"); break;
      case UKind::kInRange: require(is_bool(u.type.dtype), "in_range is a bool"); break;
      case UKind::kLoad:
        buffer(u.buffer, u.type.dtype, false);
        require(u.sources.size() <= 1, "a load has at most a mask");
        require(part_of(&u) < 0 || (u.sources.empty() && u.lane_step.is_constant() && part_of(&u) < u.lane_step.constant()),
                "a part is one of as many loads of vectors as the step between lanes");
        for (const UOp* mask : u.sources) require(is_bool(mask->type.dtype) && mask->type.lanes == lanes, "a load's mask has its lanes");
        break;
      case UKind::kGather:
        buffer(u.buffer, u.type.dtype, false);
        position(u.stride);
        require(u.sources.size() == 1 || u.sources.size() == 2, "a gather has a position and at most a mask");
        require(u.sources[0]->type.dtype == DType::kI32 || u.sources[0]->type.dtype == DType::kI64, "a position is an i32 or i64");
        require(u.sources[0]->type.lanes == 1 || u.sources[0]->type.lanes == lanes, "a position is one for all lanes, or one a lane");
        if (const UOp* mask = mask_of(&u)) require(is_bool(mask->type.dtype) && mask->type.lanes == lanes, "a gather's mask has its lanes");
        require(kernel_.params[static_cast<size_t>(u.buffer)].in_place.empty(), "a gathered array is not overwritten in place");
        break;
      case UKind::kCheck:
        require(u.buffer >= 0 && u.buffer < sites_, "a check refers to one of the module's sites");
        require(u.sources.size() == 3 || u.sources.size() == 4, "a check has a number, its bounds and at most a mask");
        for (size_t i = 0; i < u.sources.size(); ++i) {
          require(u.sources[i]->type.lanes == lanes, "a check's sources have its lanes");
          require(u.sources[i]->type.dtype == (i < 3 ? DType::kI64 : DType::kBool), "a check is of i64, and its mask is bool");
        }
        break;
      case UKind::kLineOffset:
        require(u.buffer >= 0 && static_cast<size_t>(u.buffer) < kernel_.params.size(), "a line is one of a parameter");
        require(u.type == Type{DType::kI64, 1} && u.sources.empty(), "a position within a cache line is an i64");
        break;
      case UKind::kAlu: alu(u); break;
      case UKind::kCall:
        require(u.function->parameters.size() == u.sources.size() && u.function->result == u.type.dtype, "calls fit their function");
        for (size_t i = 0; i < u.sources.size(); ++i)
          require(u.sources[i]->type.dtype == u.function->parameters[i] && u.sources[i]->type.lanes == lanes,
                  "arguments fit their function");
        break;
      case UKind::kSplat:
        require(u.sources.size() == 1 && u.sources[0]->type.lanes == 1 && u.sources[0]->type.dtype == u.type.dtype,
                "a splat copies one lane");
        break;
      case UKind::kAcc:
        require(u.buffer >= 0 && static_cast<size_t>(u.buffer) < declared_.size() && declared_[static_cast<size_t>(u.buffer)] > 0,
                "an accumulator is declared before it is read");
        require(kernel_.accumulators[static_cast<size_t>(u.buffer)].type.dtype == u.type.dtype, "an accumulator is read in its own dtype");
        break;
      default: require(false, "parameters, tables and rare calls are for functions");
    }
  }

  void rules(const AccScan& s) {
    const auto is_declared = [&](int a) {
      return a >= 0 && static_cast<size_t>(a) < declared_.size() && declared_[static_cast<size_t>(a)] > 0;
    };
    const Accumulator& group = accumulator_of(s, s.accumulator);
    const bool is_whole = s.part == ScanPart::kWhole, has_total = is_whole || s.part == ScanPart::kBefore;
    require(!has_total || is_declared(s.total), "an accumulator is declared before it is updated");
    require(has_total == (s.value != nullptr) && has_total == (s.total >= 0) && is_whole == (s.quads < 0),
            "a part of a scan has all its operands");
    const Type type = is_whole ? group.type : Type{group.type.dtype, has_total ? s.value->type.lanes : uint16_t{1}};
    if (is_whole) {
      require(group.type.lanes == 1 && group.count >= kQuad && group.count <= kScannedGroup && (group.count & (group.count - 1)) == 0,
              "a scanned group has a power of two elements, 4 to 64");
    } else {
      require(is_declared(s.quads), "an accumulator is declared before it is updated");
      const Accumulator& quads = kernel_.accumulators[static_cast<size_t>(s.quads)];
      require(group.type.lanes == 1 && group.count % kScannedGroup == 0, "groups of a scan in parts are whole");
      require(quads.type.dtype == group.type.dtype && quads.count * quads.type.lanes * kQuad == group.count, "each quad has a total");
    }
    if (!has_total) return;
    require(s.value->type == type && kernel_.accumulators[static_cast<size_t>(s.total)].type == type && s.total != s.accumulator,
            "a scan starts and ends with a value of the group's dtype");
  }

  void alu(const UOp& u) const {
    require(is_elementwise(u.op) && static_cast<size_t>(info(u.op).arity) == u.sources.size(), "an operation has its sources");
    for (const UOp* s : u.sources) require(s->type.lanes == u.type.lanes, "sources have the lanes of the result");
    const DType operand = u.sources.back()->type.dtype;
    require(accepts(u.op, operand), "an operation gets a dtype it takes");
    require((!is_half(operand) && !is_half(u.type.dtype)) || u.op == Op::kWhere || u.op == Op::kBitcast, "halves are widened to compute");
    for (size_t i = u.op == Op::kWhere ? 1 : 0; i < u.sources.size(); ++i)
      require(u.sources[i]->type.dtype == operand, "operands agree in dtype");
    if (u.op == Op::kWhere) require(is_bool(u.sources[0]->type.dtype), "the condition of a where is bool");
    if (info(u.op).result == Result::kBool) require(is_bool(u.type.dtype), "a comparison is a bool");
    if (info(u.op).result == Result::kSame) require(u.type.dtype == operand, "a result has the dtype of its operands");
  }

  void body(const Body& statements) {
    std::vector<int> declared_here;
    const size_t known = stored_blocks_.size();
    for (const Stmt* s : statements)
      if (const Copy* block = stored_block(*s)) stored_blocks_.push_back(block->buffer);
    for (const Stmt* s : statements) {
      if (const auto* declare = as<AccDeclare>(s)) declared_here.push_back(declare->accumulator);
      if (const auto* fold = as<AccFold>(s))
        require(std::ranges::find(declared_here, fold->accumulator) != declared_here.end(),
                "an accumulator is folded in the block that declares it");
      statement(*s);
    }
    for (int a : declared_here) --declared_[static_cast<size_t>(a)];
    in_place(statements);
    std::vector<const Store*> run;
    for (const Stmt* s : statements) {
      const auto* store = as<Store>(s);
      if (store == nullptr)
        stores_together(std::exchange(run, {}));
      else
        run.push_back(store);
    }
    stores_together(run);
    stored_blocks_.resize(known);
  }

  /// Calls f for each load below these values, once each.
  template <class Visit>
  static void visit_loads(std::vector<const UOp*> values, Visit f) {
    for_each_uop(std::move(values), [&](const UOp* u) {
      if (u->kind == UKind::kLoad) f(*u);
    });
  }

  /// All loads of a run of consecutive stores come before the first store (ir/linearize.cpp). So no store may read elements that an earlier
  /// store of the run writes.
  void stores_together(std::span<const Store* const> run) {
    const auto is_whole = [](int lanes, Sym step) { return lanes == 1 || step.is_constant(1); };
    for (size_t i = 1; i < run.size(); ++i)
      visit_loads({run[i]->value}, [&](const UOp& load) {
        for (const Store* before : run.first(i)) {
          const int stored = before->value->type.lanes, loaded = load.type.lanes;
          const Sym ahead = load.index - before->index;
          if (before->buffer != load.buffer || !ahead.is_constant()) continue;
          if (!is_whole(stored, before->lane_step) || !is_whole(loaded, load.lane_step)) continue;
          require(ahead.constant() >= stored || -ahead.constant() >= loaded, "a store reads no element that the store before it writes");
        }
      });
  }

  DType copied_dtype(const Copy& s) {
    if (s.source >= 0) {
      require(s.inputs.empty() && s.source != s.accumulator, "a copy has one source, which differs from its target");
      require(static_cast<size_t>(s.source) < declared_.size() && declared_[static_cast<size_t>(s.source)] > 0,
              "the source of a copy is declared");
      const Accumulator& a = kernel_.accumulators[static_cast<size_t>(s.source)];
      require(a.is_row && a.type.lanes == 1, "a copy writes elements of a row");
      return a.type.dtype;
    }
    require(s.inputs.size() == 1 && s.inputs[0] >= 0 && static_cast<size_t>(s.inputs[0]) < kernel_.params.size(),
            "the source of a copy is a parameter");
    const DType dtype = kernel_.params[static_cast<size_t>(s.inputs[0])].dtype;
    buffer(s.inputs[0], dtype, false);
    const auto is_stored_later = [&](int written) { return std::ranges::find(stored_blocks_, written) != stored_blocks_.end(); };
    require(std::ranges::all_of(kernel_.params[static_cast<size_t>(s.inputs[0])].in_place, is_stored_later),
            "the source of a copy is not overwritten in place, unless by a whole block after all loads");
    return dtype;
  }

  /// The dtype of a parameter that a row of this dtype is copied to. A row holds bools and 16-bit floats as unsigned integers.
  DType stored_dtype(int parameter, DType row) const {
    if (parameter < 0 || static_cast<size_t>(parameter) >= kernel_.params.size()) return row;
    const DType array = kernel_.params[static_cast<size_t>(parameter)].dtype;
    return (is_bool(array) && row == DType::kU8) || (is_half(array) && row == DType::kU16) ? array : row;
  }

  /// Returns the statement if it copies a block to a parameter that may alias a read parameter; else null.
  const Copy* stored_block(const Stmt& s) const {
    const auto* copy = as<Copy>(&s);
    if (copy == nullptr || copy->accumulator >= 0) return nullptr;
    const auto is_in_its_place = [&](const Param& p) { return std::ranges::find(p.in_place, copy->buffer) != p.in_place.end(); };
    return std::ranges::any_of(kernel_.params, is_in_its_place) ? copy : nullptr;
  }

  /// In-place rule: an element that may be overwritten is loaded at the same index as a store in the same run of stores. The loads of a run
  /// come before its first store (linearize.cpp), and no other run stores that element. Alternatively, a block copy after all loads
  /// overwrites it.
  void in_place(const Body& statements) {
    const auto is_stored_block = [this](const Stmt* s) { return stored_block(*s) != nullptr; };
    const auto blocks = std::ranges::find_if(statements, is_stored_block);
    require(std::all_of(blocks, statements.end(), is_stored_block), "whole blocks are stored last");
    std::vector<const UOp*> roots;
    for (const Stmt* s : statements) for_each_value(*s, [&](const UOp* root) { roots.push_back(root); });
    visit_loads(std::move(roots), [&](const UOp& load) {
      for (int written : kernel_.params[static_cast<size_t>(load.buffer)].in_place) {
        const bool meets = std::ranges::any_of(statements, [&](const Stmt* s) {
          const auto* store = as<Store>(s);
          return store != nullptr && store->buffer == written && store->index == load.index &&
                 store->value->type.lanes == load.type.lanes && load.sources.empty() &&
                 (load.type.lanes == 1 || store->lane_step == load.lane_step);
        });
        require(meets || std::ranges::find(stored_blocks_, written) != stored_blocks_.end(),
                "an array that a store may overwrite is loaded at the stored position");
      }
    });
  }

  void rules(const Loop& s) {
    require(s.step >= 1, "a loop's step is positive");
    require(s.poll_interval >= 0, "poll_interval is not negative");
    require(s.poll_interval <= 1 || !s.overlap, "a loop with overlapping steps is not split into pieces");
    require(s.loop != LoopKind::kThread || !s.overlap, "a thread loop has no overlapping steps");
    require(!kernel_.is_scheduled || s.tags.empty(), "a scheduled loop has no tags");
    tags(s);
    if (s.loop == LoopKind::kThread)
      require(&s == thread_loop_ && !has_thread_loop_, "a kernel has one thread loop, and only loops around it");
    // the range of the thread loop is known before the kernel is called
    const auto around = s.loop == LoopKind::kThread ? std::exchange(open_, {}) : open_;
    for_each_position(s, [&](Sym e) { position(e); });
    open_ = around;
    in_thread_loop_ |= s.loop == LoopKind::kThread, has_thread_loop_ |= s.loop == LoopKind::kThread;
    if (!s.body.empty()) loop_ends_[s.body.back()] = &s;
    scope(s.variable, s.body);
    in_thread_loop_ &= s.loop != LoopKind::kThread;
  }
  /// Tests that apply_schedule may do what the tags of the loop say.
  void tags(const Loop& s) {
    if (const auto& nest = s.tags.nest) {
      const Loop* inner = &s;
      while (const Loop* next = only_loop_in(inner->body)) inner = next;
      require(inner->tags.vector.has_value(), "each loop of a nest contains only the next one, and the innermost one becomes vectors");
      require(!nest->is_block || inner != &s, "the loop over the blocks of a chain has a loop inside it");
    }
    require(!s.tags.ahead || s.tags.vector, "vector steps prefetch what they will load");
    require(!s.tags.ahead || (as_variable(s.tags.ahead->along) != nullptr && s.tags.ahead->distance > 0), "a prefetch is ahead of a loop");
    if (!s.tags.vector) return;
    const int lanes = s.tags.vector->lanes;
    require(lanes >= 1 && (lanes & (lanes - 1)) == 0, "the number of lanes is a power of two");
    require(s.tags.vector->together >= 1, "at least one vector is processed in a step");
    require(s.step == 1 && !s.overlap, "a loop that becomes vectors is scalar");
    independent(s);
  }
  /// Tests that no iteration of a loop that becomes vectors changes what another one uses: elements of accumulators are an iteration's own.
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
                  "each iteration of a loop that becomes vectors changes its own elements of an accumulator");
        else if constexpr (Is<decltype(of), AccFold, AccScan>)
          require(is_one || is_own(of.accumulator), "an iteration of a loop that becomes vectors folds only its own accumulators");
        else
          require(each->kind != StmtKind::kBreak, "a loop that becomes vectors has no early exit");
      });
  }
  void scope(Sym defined, const Body& statements) {
    const SymAtom* variable = as_variable(defined);
    require(variable != nullptr && variable->is_loop, "a scope has a variable");
    require(open_.insert(variable).second, "a scope has a variable of its own");
    body(statements);
    open_.erase(variable);
  }

  const Accumulator& accumulator_of(const Stmt& s, int number) const {
    require(number >= 0 && static_cast<size_t>(number) < declared_.size(), "an accumulator is one of the kernel's");
    require(s.kind == StmtKind::kAccDeclare || declared_[static_cast<size_t>(number)] > 0,
            "an accumulator is declared before it is updated");
    return kernel_.accumulators[static_cast<size_t>(number)];
  }

  void statement(const Stmt& s) {
    for_each_value(s, [&](const UOp* root) { value(root); });
    if (as<Loop>(&s) == nullptr) for_each_position(s, [&](Sym e) { position(e); });
    visit(s, [&](const auto& of) { rules(of); });
  }

  void rules(const StoreGroup& s) {
    for (const Stmt* store : s.body) require(as<Store>(store) != nullptr, "a block contains only stores");
    body(s.body);
  }
  void rules(const Define& s) {
    require(s.value != nullptr && s.value->type == Type{DType::kI64, 1}, "a position is defined by an i64");
    scope(s.variable, s.body);
  }
  void rules(Is<If, Retry> auto& s) {
    body(s.body);
    body(s.otherwise);
  }
  void rules(const Store& s) {
    require(s.value != nullptr, "a store has a value");
    buffer(s.buffer, s.value->type.dtype, true);
    require(s.mask == nullptr || (is_bool(s.mask->type.dtype) && s.mask->type.lanes == s.value->type.lanes),
            "a store's mask has its lanes");
  }
  void rules(const Prefetch& s) {
    require(s.buffer >= 0 && static_cast<size_t>(s.buffer) < kernel_.params.size(), "a buffer is a parameter");
  }
  void rules(const Scatter& s) {
    require(s.value != nullptr && s.position != nullptr, "a scatter has a value and a position");
    buffer(s.buffer, s.value->type.dtype, true);
    const DType dtype = s.value->type.dtype, at = s.position->type.dtype;
    require(!s.combine || (!is_bool(dtype) && info(dtype).computes_in == dtype),
            "a scatter combines numbers in the dtype they are computed in");
    require(at == DType::kI32 || at == DType::kI64, "a position is an i32 or i64");
    require(s.position->type.lanes == 1, "a scatter's position is one for all lanes");
    require(s.value->type.lanes == 1 || s.lane_step.is_constant(1), "lanes of a scatter are contiguous");
  }
  void rules(const AccDeclare& s) {
    const Accumulator& a = accumulator_of(s, s.accumulator);
    require(s.value == nullptr || (a.count == 1 && !a.is_row && s.value->type == a.type),
            "the initial value of an accumulator has its type");
    ++declared_[static_cast<size_t>(s.accumulator)];
  }
  void rules(const AccSet& s) { change(s, s.value); }
  void rules(const AccUpdate& s) {
    change(s, s.value);
    const Accumulator& a = accumulator_of(s, s.accumulator);
    require(s.factor == nullptr || (s.factor->type == s.value->type && is_float(a.type.dtype) && a.combine == Op::kAdd),
            "only float products are summed");
  }
  void change(Is<AccSet, AccUpdate> auto& s, const UOp* value) const {
    const Accumulator& a = accumulator_of(s, s.accumulator);
    require(value != nullptr && value->type.dtype == a.type.dtype, "an update has the accumulator's dtype");
    require(value->type.lanes == a.type.lanes || !s.lane_step.is_constant(0), "a vector updates one element a lane");
  }
  void rules(const AccFold& s) {
    const int64_t count = accumulator_of(s, s.accumulator).count;
    require((count & (count - 1)) == 0, "a folded accumulator has a power of two elements");
  }
  void rules(const Routine& s) {
    require((s.parts.size() == 4) == (s.routine == Op::kDft), "a transform has two parts in two operands, and others do not");
    require(s.routine == Op::kSort || !s.descending, "other routines have no direction");
    require(is_routine(s.routine) && s.inputs.size() == static_cast<size_t>(info(s.routine).arity), "a routine and its operands");
    const auto dtype_of = [&](int parameter) {
      require(parameter >= 0 && static_cast<size_t>(parameter) < kernel_.params.size(), "the operands of a routine are parameters");
      return kernel_.params[static_cast<size_t>(parameter)].dtype;
    };
    for (const int input : s.inputs) require(accepts(info(s.routine).operands, dtype_of(input)), "a routine takes this dtype");
    const DType result = info(s.routine).result == Result::kSame ? dtype_of(s.inputs[0]) : DType::kI64;
    buffer(s.buffer, result, true);
    require(s.threads >= 0 && s.threads <= kMaxThreads && (s.threads == 0 || s.accumulator < 0),
            "the threads of a block that execute a routine together use no array of one thread");
    if (s.threads > 0 && s.spare < 0) return;
    if (s.accumulator < 0) return buffer(s.spare, result, true);
    const Accumulator& a = accumulator_of(s, s.accumulator);
    require(a.is_row && a.type == Type{result, 1}, "an array that a routine overwrites has its dtype");
  }
  void rules(const Copy& s) {
    const DType dtype = copied_dtype(s);
    if (s.accumulator < 0) return buffer(s.buffer, s.source >= 0 ? stored_dtype(s.buffer, dtype) : dtype, true);
    require(!s.nontemporal, "an accumulator is not written by non-temporal stores");
    const Accumulator& a = accumulator_of(s, s.accumulator);
    require(a.is_row && a.type.lanes == 1 && size_of(a.type.dtype) == size_of(dtype),
            "the source and the target of a copy have elements of one size");
  }
  void rules(const Break& s) {
    const Accumulator& a = accumulator_of(s, s.accumulator);
    const auto loop = loop_ends_.find(&s);
    require(loop != loop_ends_.end(), "a break is the last statement of a loop");
    require(a.type == Type{DType::kI32, 1} && a.count == 1 && !a.is_row, "a loop ends where an i32 is not 0");
    const auto declares_it = [&](const Stmt* other) {
      const auto* declare = as<AccDeclare>(other);
      return declare != nullptr && declare->accumulator == s.accumulator;
    };
    require(std::ranges::none_of(loop->second->body, declares_it), "the accumulator that ends a loop is declared outside of it");
  }
  void rules(Is<Barrier, Comment> auto&) {}

  const Kernel& kernel_;
  int sites_;
  std::vector<int> declared_;
  std::vector<int> stored_blocks_;  // parameters that enclosing block copies store to
  std::unordered_set<const SymAtom*> open_;
  std::unordered_map<const Stmt*, const Loop*> loop_ends_;  // maps the last statement of a loop to the loop
  const Loop* thread_loop_;
  bool in_thread_loop_ = false, has_thread_loop_ = false;
};

}  // namespace

void verify(const Module& module) {
  for (const Kernel& k : module.kernels) {
    Verifier(k, module.sites).run();
    if (!has_groups(k)) continue;
    verify_groups(*module.arena, k);
    verify_shared(*module.arena, k);
  }
  for (const Generation& g : module.generations)
    HARP_ASSERT(g.launches.empty() || !g.launches.front().follows, "a launch that follows no launch of its generation");
  for (const Generation& g : module.generations)
    for (const Launch& l : g.launches) {
      HARP_ASSERT(l.kernel >= 0 && static_cast<size_t>(l.kernel) < module.kernels.size(), "a launch of kernel ", l.kernel);
      const Kernel& kernel = module.kernels[static_cast<size_t>(l.kernel)];
      HARP_ASSERT(l.arguments.size() == kernel.params.size(), "a launch has one buffer per parameter");
      for (size_t i = 0; i < kernel.params.size(); ++i) {
        const HostBuffer& argument = l.arguments[i];
        HARP_ASSERT(argument.space == Space::kWorkspace ||
                        (argument.space == Space::kScratch && argument.kind == HostBuffer::Kind::kTemporary && g.blocks > 0),
                    "a buffer in scratch memory is a temporary of a chain of kernels");
        HARP_ASSERT(kernel.params[i].space == argument.space, "a parameter is in the space of its argument");
      }
    }
  const auto is_known = [&](int address) { return address >= 0 && static_cast<size_t>(address) < module.natives.size(); };
  for (const Generation& g : module.generations)
    for (const NativeCall& call : g.calls) {
      HARP_ASSERT(is_known(call.function), "a call of native function ", call.function);
      for (const NativeCall::Argument& a : call.arguments)
        HARP_ASSERT(a.kind != NativeCall::Argument::kAddress || is_known(a.address), "a call with native address ", a.address);
    }
}

}  // namespace harp::ir
