#include "render/cuda/fourier_functions.h"

#include "base/text.h"
#include "ops/grid_routines.h"
#include "render/cuda/fourier_text.h"

namespace harp::render {

TransformFunctions::TransformFunctions(Unit& unit, DType dtype, const std::string& cosine, const std::string& sine)
    : unit_(unit),
      bytes_(size_of(dtype)),
      suffix_(harp::name(dtype)),
      values_{{"T", std::string(unit.dialect.memory_type(dtype))},
              {"F", suffix_},
              {"FMA", dtype == DType::kF32 ? "__fmaf_rn" : "__fma_rn"},
              {"COS", cosine},
              {"SIN", sine},
              {"THREADS", cat(kRoutineThreads)},
              {"TILE", cat(transform_tile(bytes_))},
              {"INLINED", std::string(unit.dialect.inlined)},
              {"CALLED", std::string(unit.dialect.called)}} {}

std::string TransformFunctions::define(std::string_view name, std::string_view text, Filling values) {
  values.insert(values_.begin(), values_.end());
  std::string known = filled(name, values);
  values.try_emplace("NAME", known);
  unit_.definitions.once(known, [&] { return filled(text, values); });
  return known;
}

void TransformFunctions::define_type(std::string_view name, std::string_view text, Filling values) {
  values.insert(values_.begin(), values_.end());
  unit_.definitions.type_once(filled(name, values), filled(text, values));
}

std::string TransformFunctions::root() {
  define_type("number_$F", kGridNumber);
  return define("root_$F", kGridRoot);
}

void TransformFunctions::turn() { define("dft_turn_$F", kGridTurn); }

std::string TransformFunctions::elements(int64_t factor) {
  if (factor == 8) elements(4);
  return define("dft_$P_elements_$F",
                factor == 8   ? kGridEight
                : factor == 4 ? kGridFour
                : factor == 2 ? kGridTwo
                              : kGridOdd,
                {{"P", cat(factor)}, {"HALF", cat(factor / 2)}});
}

}  // namespace harp::render
