#include "fuzz/op_pairs.h"

#include "fuzz/workbench.h"

namespace harp::fuzz {
namespace {

/// True if the graph never contains a node of this op and dtype, because `op` is a scatter that combines values. harp computes such a
/// scatter in a wider dtype if the operand is a bool or a 16-bit float, and the node has that wider dtype.
bool is_scattered_in_another(Op op, DType dtype) { return is_scatter(op) && combination(op) && (is_bool(dtype) || is_narrow(dtype)); }

/// True if `op` can produce an array of this dtype.
bool may_produce(Op op, DType dtype) {
  const OpInfo& row = info(op);
  if (!is_in_graphs(op)) return false;
  if (op == Op::kArange) return dtype == DType::kI32;
  if (op == Op::kSize || op == Op::kArgSort || op == Op::kArgMax || op == Op::kArgMin) return dtype == DType::kI64;
  if (is_custom(op)) return !is_complex(dtype);
  if (is_scattered_in_another(op, dtype)) return false;
  // bitcast cannot produce a bool, because not every byte is a valid bool
  if (op == Op::kBitcast) return !is_bool(dtype) && !is_complex(dtype);
  if (op == Op::kCast) return !is_complex(dtype);
  if (op == Op::kReal || op == Op::kImag) return accepts(Operands::kPart, dtype);
  if (op == Op::kComplex) return is_complex(dtype);
  if (row.result == Result::kBool) return dtype == DType::kBool;
  return row.result == Result::kStated || has_nodes_of(op, dtype);
}

/// True if `op` can read an array of this dtype.
bool may_consume(Op op, DType dtype) {
  if (!is_in_graphs(op) || is_scattered_in_another(op, dtype)) return false;
  if (is_custom(op)) return !is_complex(dtype);
  return info(op).arity != 0 && (has_nodes_of(op, dtype) || (op == Op::kWhere && is_bool(dtype)));
}

/// Pairs that never occur in a graph, because the functions that build nodes rewrite them.
bool is_rewritten(Op producer, Op consumer) {
  if (producer == consumer && (producer == Op::kContiguous || producer == Op::kStopGradient)) return true;
  if (producer == Op::kPermute && is_reduce(consumer)) return true;  // sum(permute(x)) becomes permute(sum(x))
  // Constants and sizes are scalars, which have no axes; among the movement ops, only a reshape can be applied to a scalar.
  const bool is_scalar = producer == Op::kConstant || producer == Op::kSize;
  return is_scalar && (is_reduce(consumer) || is_scan(consumer) || (is_movement(consumer) && consumer != Op::kReshape) ||
                       consumer == Op::kConcat || consumer == Op::kGather || is_scatter(consumer) || is_routine(consumer));
}

}  // namespace

const std::vector<OpPair>& legal_pairs() {
  static const std::vector<OpPair> pairs = [] {
    std::vector<OpPair> legal;
    for (int producer = 0; producer < kOpCount; ++producer)
      for (int consumer = 0; consumer < kOpCount; ++consumer)
        for (const DType dtype : graph_dtypes()) {
          const OpPair pair{static_cast<Op>(producer), static_cast<Op>(consumer), dtype};
          if (may_produce(pair.producer, dtype) && may_consume(pair.consumer, dtype) && !is_rewritten(pair.producer, pair.consumer))
            legal.push_back(pair);
        }
    return legal;
  }();
  return pairs;
}

}  // namespace harp::fuzz
