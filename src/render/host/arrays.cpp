#include "render/host/arrays.h"

#include <cstring>

#include "base/error.h"
#include "render/c/types.h"
#include "render/text/words.h"

namespace harp::render {
namespace {

std::string constant_array(const ir::ConstantArray& array, const std::string& name) {
  const size_t size = size_of(array.dtype), count = array.data->size() / size;
  if (count == 0) return cat("static const ", memory_type(array.dtype), "* const ", name, " = 0;\n");
  std::string text = cat("static const ", memory_type(array.dtype), " ", name, "[", count, "] = {");
  for (size_t e = 0; e < count; ++e) {
    Scalar value{array.dtype, {0, 0}};
    std::memcpy(value.bits, array.data->data() + e * size, size);
    if (is_bool(array.dtype)) value.bits[0] = value.bits[0] != 0;
    append(text, cat(e == 0 ? "" : e % 16 == 0 ? ",\n    " : ", ", c_literal(value).text));
  }
  return cat(text, "};\n");
}

}  // namespace

HostArrays::HostArrays(const ir::Module& module, Unit& unit)
    : module_(module),
      hidden_(module),
      names_of_sizes_([this](const SymAtom* v) { return shape_name(v); }, false),
      sizes_(unit, names_, names_of_sizes_) {
  for (size_t i = 0; i < module.shape_vars.size(); ++i) shape_names_[variable_of(module.shape_vars[i])->name] = cat("shape", i);
}

std::string HostArrays::shape_name(const SymAtom* v) const {
  const auto found = shape_names_.find(v->name);
  HARP_ASSERT(found != shape_names_.end(), "the shape variable ", v->name, " is not one of the module's");
  return found->second;
}

std::string HostArrays::address(const ir::HostBuffer& buffer, const ir::Param& parameter) {
  using Kind = ir::HostBuffer::Kind;
  const std::string_view type = memory_type(parameter.dtype);
  if (buffer.kind == Kind::kTemporary) {
    const auto [variable, is_new] =
        names_of_temporaries_.emplace(std::pair{to_string(buffer.offset), parameter.dtype}, cat("tmp", names_of_temporaries_.size()));
    if (is_new)
      append(temporaries_,
             cat("  ", type, "* const ", variable->second, " = (", type, "*)(workspace + ", bracket(sizes_(buffer.offset), kSum), ");\n"));
    return variable->second;
  }
  const std::string_view base = buffer.kind == Kind::kInput ? "input" : buffer.kind == Kind::kOutput ? "output" : "constant";
  const Sym elements = floor_div(buffer.offset, static_cast<int64_t>(size_of(parameter.dtype)));
  return elements.is_constant(0) ? cat(base, buffer.index) : cat(base, buffer.index, " + ", bracket(sizes_(elements), kSum));
}

std::string HostArrays::constants(std::string_view text) const {
  std::string all;
  for (size_t i = 0; i < module_.constants.size(); ++i) {
    const std::string name = cat("constant", i);
    if (!hidden_.position(i) && mentions(text, name)) append(all, cat(constant_array(module_.constants[i], name), "\n"));
  }
  return all;
}

bool HostArrays::uses_workspace() const {
  return !module_.workspace.is_constant(0) || !module_.scratch.is_constant(0) || !temporaries_.empty();
}

}  // namespace harp::render
