// Computes gradients of nodes and tensors. Part of harp.hpp.
#ifndef HARP_GRADIENT_HPP
#define HARP_GRADIENT_HPP

#include <harp/tensor.hpp>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

namespace op {

/// The gradient of y. Its operands are y, the xs, and the optional weights of y's elements (grad_output).
struct grad {
  uint32_t flags;
  static constexpr const char* name = "grad";
  size_t results(size_t count) const { return count - 2; }
  harp_status operator()(harp_node* const* x, size_t count, harp_node** out) const {
    return harp_grad_flags(x[0], static_cast<int32_t>(count) - 2, x + 1, x[count - 1], flags, out);
  }
  template <class F>
  void attributes(F&& f) const {
    f(flags);
  }
};

}  // namespace op

/// The derivatives of sum(y * grad_output) with respect to each of xs. An empty grad_output stands for 1, and y must then have one element.
/// flags: HARP_GRAD_ZERO_WHERE_INDEPENDENT or 0.
inline std::vector<Node> grad(const Node& y, const std::vector<Node>& xs, const Node& grad_output = {}, uint32_t flags = 0) {
  std::vector<harp_node*> x = {y.get()}, gradients(xs.size(), nullptr);
  for (const Node& one : xs) x.push_back(one.get());
  x.push_back(grad_output.get());
  const harp_status status = op::grad{flags}(x.data(), x.size(), gradients.data());
  if (status != HARP_OK) detail::raise_failure("grad", x.data(), x.size());
  return {gradients.begin(), gradients.end()};
}
inline bool depends(const Node& y, const Node& x) { return harp_depends(y.get(), x.get()) == 1; }

/// Gradients of tensors: as grad() of nodes above, but y must be pending, that is, not computed yet; the xs may be computed. Gradients stop
/// at computed arrays. An array on which realize() was called counts as a constant. Any other array was computed because its elements were
/// read (data, item, to_vector ...), because more than 10,000 operations were pending, or by jit. If y depends on such an array, and this
/// array was computed from one of xs, the gradient would miss that path, and the call fails with HARP_ERROR_NO_GRADIENT. Call grad before
/// reading elements, or compute everything, gradients included, in one jit function.
///
/// A computed array remembers at most 16 of the arrays from which it was computed. If there were more, grad assumes that it was also
/// computed from every older array; the age of an array counts from the moment at which any computed array recorded it first. The call may
/// then fail although the gradient would miss no path. Without exceptions, all results are empty after an error.
inline std::vector<Tensor> grad(const Tensor& y, const std::vector<Tensor>& xs, const Tensor& grad_output = {}, uint32_t flags = 0) {
  using namespace detail;
  std::vector<Tensor> gradients(xs.size());
  std::vector<Value*> x = {y.value()};
  for (const Tensor& one : xs) x.push_back(one.value());
  for (const Value* value : x) {
    if (value != nullptr && value->session == y.value()->session) continue;
    raise({HARP_ERROR_INVALID_ARGUMENT, "grad: expected tensors of one context, got an empty Tensor or a Tensor of another context"});
    return gradients;
  }
  x.push_back(grad_output.value());
  if (xs.empty()) return gradients;
  if (grad_output.defined() && grad_output.value()->session != y.value()->session) {
    raise({HARP_ERROR_INVALID_ARGUMENT, "grad: grad_output belongs to another context than y"});
    return gradients;
  }

  if (!check_origins(y.value(), x.data() + 1, xs.size())) return gradients;

  // Whether a gradient exists depends on all operations between xs and y. When operations that are connected in this way occur for the
  // first time, harp builds their graph and checks it.
  Session* session = y.value()->session;
  auto signature = std::make_unique<Signature>();
  Words key;
  key.add(word_of(op::grad::name)), key.add(flags), key.add(x.size());
  for (const Value* value : x) key.add(word_of(value != nullptr ? value->type : nullptr));
  const uint64_t hash = hash_words(key.data(), key.size());
  const Signature* known = Records<Signature>::find(key.data(), key.size(), hash);
  if (known == nullptr) {
    signature->name = op::grad::name;
    for (const Value* value : x) signature->symbolic = signature->symbolic || (value != nullptr && value->type->symbolic);
    signature->call = std::make_unique<Call<op::grad>>(op::grad{flags});
    for (const Tensor& one : xs) signature->results.push_back(one.value()->type);
    known = Records<Signature>::add(std::move(signature), key.data(), key.size(), hash);
  }
  for (Value* value : x)
    if (value != nullptr) Resource<Value>::retain(value);
  const bool single = xs.size() == 1;
  const Tensor group(new_pending(session, known, single ? known->results[0] : nullptr, x.data(), x.size()));
  std::vector<Value*> parts;
  for (size_t i = 0; i < xs.size(); ++i) {
    Resource<Value>::retain(group.value());
    gradients[i] = Tensor(single ? group.value() : new_part(group.value(), i));
    parts.push_back(gradients[i].value());
  }
  if (!check_structure(session, parts.data(), parts.size())) {
    gradients.assign(xs.size(), Tensor());
    return gradients;
  }
  note_gradients(Walk::of_thread(), x.data() + 1, xs.size(), std::move(parts));
  return gradients;
}

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_GRADIENT_HPP
