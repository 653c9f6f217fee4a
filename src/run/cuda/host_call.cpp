#include "run/cuda/host_call.h"

#include "graph/native_call.h"

namespace harp::cuda {

void call_host_function(const Plan& plan, const HostCall& call, std::span<const int64_t> values,
                        const std::function<void*(size_t i)>& array) {
  std::vector<NativeArgument> arguments;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const HostCall::Argument& argument = call.arguments[i];
    switch (argument.kind) {
      case HostCall::Argument::kArray: arguments.push_back(native_pointer(array(i))); break;
      case HostCall::Argument::kSize:
        arguments.push_back({argument.dtype, scalar_from_int(argument.dtype, argument.size.evaluate(values))});
        break;
      case HostCall::Argument::kNumber: arguments.push_back({argument.dtype, argument.number}); break;
      case HostCall::Argument::kAddress: arguments.push_back(native_pointer(plan.addresses[static_cast<size_t>(argument.address)])); break;
    }
  }
  const auto function = reinterpret_cast<NativeFunction>(plan.addresses[static_cast<size_t>(call.function)]);
  call_native(call.name, function, call.returns_status, std::move(arguments));
}

}  // namespace harp::cuda
