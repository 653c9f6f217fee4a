#include "interp/evaluate_node.h"

#include <cstring>

#include "base/error.h"
#include "interp/arg_extreme.h"
#include "interp/custom.h"
#include "interp/dft.h"
#include "interp/elementwise.h"
#include "interp/gather.h"
#include "interp/movement.h"
#include "interp/native.h"
#include "interp/reduce.h"
#include "interp/scan.h"
#include "interp/sort.h"

namespace harp::interp {
namespace {

Array evaluate_constant(const Node& node, std::span<const Array>, const Sizes&) {
  return Array::scalar(node.as<ConstantAttributes>().value);
}

Array evaluate_constant_array(const Node& node, std::span<const Array>, const Sizes& sizes) {
  const auto& data = node.as<ArrayAttributes>().data;
  Array result = Array::borrow(node.dtype, sizes.values(node.shape), data->data());
  HARP_ASSERT(data->size() == static_cast<size_t>(result.count()) * size_of(node.dtype), "a constant array of ", result.count(), " ",
              name(node.dtype), " has ", data->size(), " bytes");
  return result;
}

Array evaluate_arange(const Node& node, std::span<const Array>, const Sizes& sizes) {
  Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  HARP_ASSERT(node.dtype == DType::kI32 && result.rank() == 1, "arange makes i32 along one axis, not ", name(node.dtype), " along ",
              result.rank());
  int32_t* const out = reinterpret_cast<int32_t*>(result.data);
  CancelChecks checks(sizes);
  for (int64_t i = 0; i < result.shape[0]; ++i) {
    checks.count();
    out[i] = static_cast<int32_t>(i);
  }
  return result;
}

Array evaluate_size(const Node& node, std::span<const Array>, const Sizes& sizes) {
  return Array::scalar(Scalar::of(DType::kI64, sizes.value(node.as<SizeAttributes>().value)));
}

/// Returns a view of the real or imaginary parts of a complex array: every second float of the same memory.
Array part_of(const Array& source, int part) {
  Array result = source;
  result.dtype = real_dtype(source.dtype);
  result.data += part * static_cast<int64_t>(size_of(result.dtype));
  for (int64_t& stride : result.strides) stride *= 2;
  return result;
}
Array evaluate_real(const Node&, std::span<const Array> sources, const Sizes&) { return part_of(sources[0], 0); }
Array evaluate_imag(const Node&, std::span<const Array> sources, const Sizes&) { return part_of(sources[0], 1); }
Array evaluate_complex(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  copy_elements(sources[0], part_of(result, 0), sizes);
  copy_elements(sources[1], part_of(result, 1), sizes);
  return result;
}

struct Row {
  Op op;
  Evaluator evaluator;
};
/// The evaluators of single ops. For an op without a row, the family of the op determines the evaluator.
constexpr Row kRows[] = {
    {Op::kConstant, evaluate_constant},
    {Op::kConstantArray, evaluate_constant_array},
    {Op::kArange, evaluate_arange},
    {Op::kSize, evaluate_size},
    {Op::kCast, evaluate_cast},
    {Op::kBitcast, evaluate_bitcast},
    {Op::kPermute, evaluate_permute},
    {Op::kExpand, evaluate_expand},
    {Op::kReshape, evaluate_reshape},
    {Op::kSlice, evaluate_slice},
    {Op::kPad, evaluate_pad},
    {Op::kUnfold, evaluate_unfold},
    {Op::kConcat, evaluate_concat},
    {Op::kContiguous, evaluate_contiguous},
    {Op::kGather, evaluate_gather},
    {Op::kArgSort, evaluate_argsort},
    {Op::kDft, evaluate_dft},
    {Op::kReal, evaluate_real},
    {Op::kImag, evaluate_imag},
    {Op::kComplex, evaluate_complex},
    {Op::kNative, evaluate_native},
    {Op::kCustom, evaluate_custom},
    {Op::kCheckIndex, evaluate_check_index},
    {Op::kSort, evaluate_sort},
    {Op::kArgMax, evaluate_arg_extreme},
    {Op::kArgMin, evaluate_arg_extreme},
    {Op::kStopGradient, evaluate_contiguous},
};

consteval std::array<Evaluator, kOpCount> make_evaluators() {
  std::array<Evaluator, kOpCount> evaluators{};
  std::array<bool, kOpCount> has_one{};  // has_one[i]: evaluators[i] is set; comparing evaluators[i] with null is not constexpr under UBSan
  const auto set = [&](int op, Evaluator evaluator) {
    evaluators[op] = evaluator;
    has_one[op] = true;
  };
  for (int i = 0; i < kOpCount; ++i) {
    if (kOps[i].family == Family::kElementwise) set(i, evaluate_elementwise);
    if (kOps[i].family == Family::kReduce) set(i, evaluate_reduce);
    if (kOps[i].family == Family::kScan) set(i, evaluate_scan);
    if (kOps[i].family == Family::kScatter) set(i, evaluate_scatter);
  }
  for (const Row& row : kRows) set(static_cast<int>(row.op), row.evaluator);
  for (int i = 0; i < kOpCount; ++i)
    if (!has_one[i] && static_cast<Op>(i) != Op::kInput) throw "an op of ops.def has no evaluator";
  return evaluators;
}
constexpr std::array<Evaluator, kOpCount> kEvaluators = make_evaluators();

}  // namespace

std::span<const Node* const> operands_of(const Node& node) { return is_reduce(node.op) ? reduce_operands(node) : node.sources; }

Array evaluate(const Node& node, std::span<const Array> operands, const Sizes& sizes) {
  const Evaluator evaluator = kEvaluators[static_cast<int>(node.op)];
  HARP_ASSERT(evaluator != nullptr, name(node.op), " nodes have no value of their own");
  return evaluator(node, operands, sizes);
}

}  // namespace harp::interp
