#include "interp/native.h"

#include "base/error.h"
#include "graph/native_call.h"

namespace harp::interp {
namespace {

NativeArgument argument_of(const NativeParameter& parameter, std::span<const Array> sources, const Array& result, void* user,
                           const Sizes& sizes) {
  switch (parameter.kind) {
    case NativeParameter::kInput: return native_pointer(sources[static_cast<size_t>(parameter.input)].data);
    case NativeParameter::kOutput: return native_pointer(result.data);
    case NativeParameter::kSize: return {parameter.dtype, scalar_from_int(parameter.dtype, sizes.value(parameter.size))};
    case NativeParameter::kNumber: return {parameter.dtype, parameter.number};
    case NativeParameter::kUser: return native_pointer(user);
  }
  return {};
}

}  // namespace

Array evaluate_native(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const auto& native = node.as<NativeAttributes>();
  HARP_ASSERT(native.function != nullptr, node.graph->describe(&node), " has no function");
  const Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  if (result.count() == 0) return result;
  std::vector<Array> dense;
  for (const Array& source : sources) dense.push_back(as_contiguous(source, sizes));

  std::vector<NativeArgument> arguments;
  for (const NativeParameter& parameter : native.parameters) arguments.push_back(argument_of(parameter, dense, result, native.user, sizes));
  call_native(native.name, native.function, native.returns_status, std::move(arguments));
  // The function may write any nonzero byte for true, but the interpreter requires 1.
  if (is_bool(node.dtype))
    for (int64_t i = 0; i < result.count(); ++i) result.data[i] = std::byte{result.data[i] != std::byte{0}};
  return result;
}

}  // namespace harp::interp
