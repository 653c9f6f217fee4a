// Lowers native calls. They are not kernels, but steps of the host code: each passes the addresses of whole arrays to a function of the
// host application.
#include <algorithm>

#include "lower/lower.h"

namespace harp::lower {
namespace {

/// Returns the index of an address in `addresses` (Module::natives); appends the address if it is not in the list.
int number_of(std::vector<void*>& addresses, void* address) {
  const auto found = std::find(addresses.begin(), addresses.end(), address);
  const auto number = static_cast<int>(found - addresses.begin());
  if (found == addresses.end()) addresses.push_back(address);
  return number;
}

Sym bytes_of(const Node& node) { return element_count(node.shape) * static_cast<int64_t>(size_of(node.dtype)); }

}  // namespace

ir::NativeCall lower_native(const Program& program, const KernelPlan& plan, ir::Module& module) {
  using Argument = ir::NativeCall::Argument;
  const Node& node = *plan.alone;
  const auto& native = node.as<NativeAttributes>();
  ir::NativeCall call{native.name,
                      number_of(module.natives, reinterpret_cast<void*>(native.function)),
                      native.returns_status,
                      {},
                      element_count(node.shape)};
  for (const NativeParameter& p : native.parameters) {
    Argument argument{Argument::kArray, p.dtype};
    switch (p.kind) {
      case NativeParameter::kInput:
        argument.dtype = real_dtype(p.dtype);
        argument.array = host_buffer(program, program.buffer_of.at(node.sources[static_cast<size_t>(p.input)]));
        argument.size = bytes_of(*node.sources[static_cast<size_t>(p.input)]);
        break;
      case NativeParameter::kOutput:
        argument.dtype = real_dtype(p.dtype);
        argument.written = true;
        argument.array = host_buffer(program, plan.stores[0].buffer);
        argument.size = bytes_of(node);
        break;
      case NativeParameter::kSize:
        argument.kind = Argument::kSize;
        argument.size = p.size;
        break;
      case NativeParameter::kNumber:
        argument.kind = Argument::kNumber;
        argument.number = p.number;
        break;
      case NativeParameter::kUser:
        argument.kind = Argument::kAddress;
        argument.address = number_of(module.natives, native.user);
        break;
    }
    call.arguments.push_back(std::move(argument));
  }
  return call;
}

}  // namespace harp::lower
