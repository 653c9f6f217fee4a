// Checks the rules for the values of a kernel, one UOp at a time.
#include "ir/verify_values.h"

#include "ir/interleaved_accesses.h"
#include "ir/walk.h"

namespace harp::ir {

void ValueRules::accumulator(const Accumulator& a, size_t number) const {
  require(a.count >= 1, "an accumulator has at least one element, but acc", number, " has ", a.count);
  require(a.space != Space::kWorkspace, "an accumulator is not in the workspace, but acc", number, " is");
  require(a.space != Space::kScratch || a.count >= 64, "an accumulator in scratch memory has at least 64 elements, but acc", number,
          " has ", a.count);
  const int64_t of_thread = a.spread > 0 ? a.spread : a.count;
  require(a.space != Space::kRegister || of_thread <= kMaxRegisterElements, "an accumulator in registers has at most ",
          kMaxRegisterElements, " elements for each thread, but acc", number, " has ", of_thread);
  require(a.combine == Op::kAdd || a.combine == Op::kMul || a.combine == Op::kMax || a.combine == Op::kMin || a.combine == Op::kLogAddExp,
          "an accumulator combines by add, mul, maximum, minimum or logaddexp, but acc", number, " by ", name(a.combine));
  require(!is_half(a.type.dtype) && a.init.dtype == a.type.dtype,
          "an accumulator is not of a 16-bit float and starts with a value of its dtype, but acc", number, " is of ", name(a.type.dtype),
          " and starts with ", name(a.init.dtype));
  require(!is_bool(a.type.dtype) || (a.type.lanes == 1 && !a.is_row && !in_worker_memory(a) && a.init.bits[0] == 0),
          "an accumulator of bools is one of a single thread, in registers or on the stack, with elements of one lane that start as "
          "false, but acc",
          number, " is not");
}

void ValueRules::position(Sym e) const {
  for (const SymAtom* v : variables_of(e))
    if (v->is_loop && !open_.contains(v))
      fail(Code::kInternal, "IR of ", kernel_.name, ": variable ", v->name, " is used outside its loop");
}

void ValueRules::buffer(int number, DType dtype) const {
  require(number >= 0 && static_cast<size_t>(number) < kernel_.params.size(), "a buffer is one of ", kernel_.params.size(),
          " parameters, not number ", number);
  const Param& p = kernel_.params[static_cast<size_t>(number)];
  require(p.dtype == dtype, "loads and stores of ", p.name, " have its dtype ", name(p.dtype), ", not ", name(dtype));
}

void ValueRules::value(const UOp* root) const {
  // A value is checked again for each statement that uses it, because other variables and accumulators may be valid there. That is cheap,
  // because a statement uses few values.
  for_each_uop({root}, [&](const UOp* u) { node(*u); });
}

void ValueRules::node(const UOp& u) const {
  const uint16_t lanes = u.type.lanes;
  require_of(u, lanes >= 1 && (lanes & (lanes - 1)) == 0, "the number of lanes is a power of two");
  for (const UOp* s : u.sources) require_of(u, s->id < u.id, "sources are created before their users");
  position(u.index);
  position(u.lane_step);
  switch (u.kind) {
    case UKind::kConst: require_of(u, lanes == 1 && u.value.dtype == u.type.dtype, "a constant is one lane of its dtype"); break;
    case UKind::kIndex: require_of(u, u.type.dtype == DType::kI64, "an index is an i64"); break;
    case UKind::kInRange: require_of(u, is_bool(u.type.dtype), "in_range is a bool"); break;
    case UKind::kLoad:
      buffer(u.buffer, u.type.dtype);
      require_of(u, u.sources.size() <= 1, "a load has at most a mask");
      require_of(u, part_of(&u) < 0 || (u.sources.empty() && u.lane_step.is_constant() && part_of(&u) < u.lane_step.constant()),
                 "a part is one of as many vector loads without a mask as there are elements between two lanes");
      for (const UOp* mask : u.sources)
        require_of(u, is_bool(mask->type.dtype) && mask->type.lanes == lanes, "a load's mask is bool and has its lanes");
      break;
    case UKind::kGather:
      buffer(u.buffer, u.type.dtype);
      position(u.stride);
      require_of(u, u.sources.size() == 1 || u.sources.size() == 2, "a gather has a position and at most a mask");
      require_of(u, u.sources[0]->type.dtype == DType::kI32 || u.sources[0]->type.dtype == DType::kI64,
                 "a gather's position is an i32 or i64");
      require_of(u, u.sources[0]->type.lanes == 1 || u.sources[0]->type.lanes == lanes,
                 "a gather has one position for all lanes, or one for each");
      if (const UOp* mask = mask_of(&u))
        require_of(u, is_bool(mask->type.dtype) && mask->type.lanes == lanes, "a gather's mask is bool and has its lanes");
      require_of(u, kernel_.params[static_cast<size_t>(u.buffer)].in_place.empty(), "a gathered array is not overwritten in place");
      break;
    case UKind::kCheck:
      require_of(u, u.buffer >= 0 && u.buffer < sites_, "a check has one of the module's check sites");
      require_of(u, u.sources.size() == 3 || u.sources.size() == 4, "a check has an index, two bounds and at most a mask");
      for (size_t i = 0; i < u.sources.size(); ++i) {
        require_of(u, u.sources[i]->type.lanes == lanes, "the sources of a check have its lanes");
        require_of(u, u.sources[i]->type.dtype == (i < 3 ? DType::kI64 : DType::kBool),
                   "the index and the bounds of a check are i64, and its mask is bool");
      }
      break;
    case UKind::kLineOffset:
      require_of(u, u.buffer >= 0 && static_cast<size_t>(u.buffer) < kernel_.params.size(),
                 "a position within a cache line is that of a parameter's element");
      require_of(u, u.type == Type{DType::kI64, 1} && u.sources.empty(), "a position within a cache line is one i64 without sources");
      break;
    case UKind::kAlu: alu(u); break;
    case UKind::kCall:
      require_of(u, u.function->parameters.size() == u.sources.size() && u.function->result == u.type.dtype,
                 "a call has the parameters and the result of its function");
      for (size_t i = 0; i < u.sources.size(); ++i)
        require_of(u, u.sources[i]->type.dtype == u.function->parameters[i] && u.sources[i]->type.lanes == lanes,
                   "an argument has the dtype of its parameter and the lanes of the call");
      break;
    case UKind::kSplat:
      require_of(u, u.sources.size() == 1 && u.sources[0]->type.lanes == 1 && u.sources[0]->type.dtype == u.type.dtype,
                 "a splat has one source, of one lane and its dtype");
      break;
    case UKind::kAcc:
      require_of(u, u.buffer >= 0 && static_cast<size_t>(u.buffer) < declared_.size() && declared_[static_cast<size_t>(u.buffer)] > 0,
                 "an accumulator is declared before it is read");
      require_of(u, kernel_.accumulators[static_cast<size_t>(u.buffer)].type.dtype == u.type.dtype,
                 "an accumulator is read in its own dtype");
      require_of(u, !is_bool(u.type.dtype) || lanes == 1 || u.lane_step.is_constant(1), "bools of an accumulator are read side by side");
      break;
    default: require_of(u, false, "parameters, tables and rare calls are in functions, not in kernels");
  }
}

void ValueRules::alu(const UOp& u) const {
  require_of(u, is_elementwise(u.op) && static_cast<size_t>(info(u.op).arity) == u.sources.size(),
             "an operation is elementwise and has as many sources as it takes");
  for (const UOp* s : u.sources) require_of(u, s->type.lanes == u.type.lanes, "the sources of an operation have the lanes of its result");
  const DType operand = u.sources.back()->type.dtype;
  require_of(u, accepts(u.op, operand), "an operation accepts the dtype of its sources");
  require_of(u, (!is_half(operand) && !is_half(u.type.dtype)) || u.op == Op::kWhere || u.op == Op::kBitcast,
             "16-bit floats are widened before they are computed with");
  for (size_t i = u.op == Op::kWhere ? 1 : 0; i < u.sources.size(); ++i)
    require_of(u, u.sources[i]->type.dtype == operand, "the operands of an operation have one dtype");
  if (u.op == Op::kWhere) require_of(u, is_bool(u.sources[0]->type.dtype), "the condition of a where is bool");
  if (info(u.op).result == Result::kBool) require_of(u, is_bool(u.type.dtype), "a comparison is a bool");
  if (info(u.op).result == Result::kSame) require_of(u, u.type.dtype == operand, "a result has the dtype of its operands");
}

}  // namespace harp::ir
