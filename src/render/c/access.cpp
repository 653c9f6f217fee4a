// Vector loads and stores that no single move instruction performs: strided, reversed, gathered from a vector of positions, or masked.
#include "render/c/access.h"

#include <algorithm>

#include "base/text.h"

namespace harp::render {

namespace {

/// How a masked load or store of AVX-512 is written as a builtin of the compiler: the builtins are called __builtin_ia32_load`kind`_mask
/// and
/// __builtin_ia32_store`kind`_mask.
struct MaskedBuiltin {
  std::string kind;
  std::string vector;  // the vector type that the builtin takes
};
MaskedBuiltin masked_builtin(Unit& unit, DType dtype, int lanes) {
  const int bits = static_cast<int>(size_of(dtype)) * 8;
  const std::string all_bits = cat(bits * lanes);
  if (dtype == DType::kF32 || dtype == DType::kF64) return {cat(bits == 32 ? "ups" : "upd", all_bits), memory_vector(unit, dtype, lanes)};
  // The builtin for integers takes a vector of signed integers: its element type is long long for 64 bits, char for 8 bits, and otherwise
  // the signed dtype of the same size.
  if (bits == 8) return {cat("dquqi", all_bits), declare_vector(unit, cat("charx", lanes), "char", 1, lanes)};
  if (bits == 64) return {cat("dqudi", all_bits), declare_vector(unit, cat("longx", lanes), "long long", 8, lanes)};
  return {cat(bits == 16 ? "dquhi" : "dqusi", all_bits), memory_vector(unit, signed_of(bits), lanes)};
}

/// How the masked load or store of AVX is written: the builtins are called __builtin_ia32_maskload`kind` and
/// __builtin_ia32_maskstore`kind`. They move floats; integers of the same size are cast.
struct MaskedMove {
  std::string kind, vector, mask;  // the vector types of the value and of the mask
  std::string is_any;              // an expression that is 0 if the mask m is false in all lanes
};
MaskedMove masked_move(Unit& unit, DType dtype, int lanes) {
  const bool is_wide = size_of(dtype) == 8, is_long = size_of(dtype) * static_cast<size_t>(lanes) == 32;
  const std::string suffix = cat(is_wide ? "pd" : "ps", is_long ? "256" : "");
  MaskedMove move{suffix,
                  memory_vector(unit, is_wide ? DType::kF64 : DType::kF32, lanes),
                  is_wide ? declare_vector(unit, cat("longx", lanes), "long long", 8, lanes) : memory_vector(unit, DType::kI32, lanes),
                  {}};
  move.is_any = cat("__builtin_ia32_movmsk", suffix, "((", move.vector, ")m)");
  return move;
}

}  // namespace

std::string load_function(Unit& unit, DType dtype, int lanes, bool strided, bool masked) {
  const std::string name = cat("load", strided ? "_strided" : "", masked ? "_masked" : "", "_", vector_name(dtype, lanes));
  unit.definitions.once(name, [&] {
    const std::string v = memory_vector(unit, dtype, lanes), element(memory_type(dtype));
    // The generated load lists all elements in one initialiser. If it were a loop over the lanes, gcc 12 would either assemble parts of the
    // vector on the stack or emit one masked broadcast for each lane. Either code is 1.6 to 3 times slower.
    if (strided && !masked) {
      std::vector<std::string> elements = {"p[0]", "p[step]"};
      for (int i = 2; i < lanes; ++i) elements.push_back(cat("p[", i, " * step]"));
      return cat("static inline ", v, " ", name, "(const ", element, "* p, int64_t step) { return (", v, "){", join(elements, ", "),
                 "}; }\n");
    }
    if (masked && !strided && has_masked_access(unit.options, dtype, lanes)) {
      const MaskedBuiltin builtin = masked_builtin(unit, dtype, lanes);
      // The generated function returns early if the mask is all zero. With such a mask the instruction loads nothing, but at an unmapped
      // address it still causes an internal fault, which takes a microsecond.
      return cat("static inline ", v, " ", name, "(const ", element, "* p, ", mask_type(unit, kOneBitALane, lanes),
                 " m) {\n  if (m == 0) return (", v, "){0}; /* no load: the address may be invalid */\n  return (", v,
                 ")__builtin_ia32_load", builtin.kind, "_mask((const void*)p, (", builtin.vector, "){0}, m);\n}\n");
    }
    if (masked && !strided && has_masked_moves(unit.options, dtype, lanes)) {
      const MaskedMove move = masked_move(unit, dtype, lanes);
      return cat("static inline ", v, " ", name, "(const ", element, "* p, ", mask_type(unit, bits_of_dtype(dtype), lanes), " m) {\n  if (",
                 move.is_any, " == 0) return (", v, "){0}; /* no load: the address may be invalid */\n  return (", v,
                 ")__builtin_ia32_maskload", move.kind, "((const void*)p, (", move.mask, ")m);\n}\n");
    }
    const std::string_view at = strided ? "p[lane * step]" : "p[lane]";
    return cat("static inline ", v, " ", name, "(const ", element, "* p", strided ? ", int64_t step" : "",
               masked ? cat(", ", mask_type(unit, bits_of_dtype(dtype), lanes), " m") : std::string(), ") {\n  ", v, " r = {0};\n",
               loop_over_lanes(cat(masked ? "if (m[lane]) " : "", "r[lane] = ", at, ";"), lanes), "  return r;\n}\n");
  });
  return name;
}

std::string gather_function(Unit& unit, const GatherForm& form, int lanes) {
  const std::string name = cat("gather", form.strided ? "_strided" : "", form.steps ? "_steps" : "", form.masked ? "_masked" : "", "_",
                               vector_name(form.dtype, lanes), "_", harp::name(form.position));
  unit.definitions.once(name, [&] {
    const std::string v = memory_vector(unit, form.dtype, lanes), element(memory_type(form.dtype));
    const auto at = [&](std::string_view lane) {
      const std::string position = form.strided ? cat("(int64_t)at[", lane, "] * stride") : cat("at[", lane, "]");
      return cat("p[", position, form.steps ? cat(" + ", lane, " * step") : std::string(), "]");
    };
    const std::string head = cat("static inline ", v, " ", name, "(const ", element, "* p, ", value_type(unit, form.position, lanes), " at",
                                 form.strided ? ", int64_t stride" : "", form.steps ? ", int64_t step" : "",
                                 form.masked ? cat(", ", mask_type(unit, bits_of_dtype(form.dtype), lanes), " m") : std::string(), ") ");
    if (form.masked)
      return cat(head, "{\n  ", v, " r = {0};\n", loop_over_lanes(cat("if (m[lane]) r[lane] = ", at("lane"), ";"), lanes),
                 "  return r;\n}\n");
    // The vector is written as one initialiser with all elements, which is faster than a loop over the lanes.
    std::vector<std::string> elements;
    for (int i = 0; i < lanes; ++i) elements.push_back(at(cat(i)));
    return cat(head, "{ return (", v, "){", join(elements, ", "), "}; }\n");
  });
  return name;
}

std::string load_reversed_function(Unit& unit, DType dtype, int lanes) {
  const std::string name = cat("load_reversed_", vector_name(dtype, lanes));
  unit.definitions.once(name, [&] {
    const std::string v = memory_vector(unit, dtype, lanes);
    return cat("static inline ", v, " ", name, "(const ", memory_type(dtype), "* p) {\n  const ", v, " r = *(const ", v, "*)(p - ",
               lanes - 1, ");\n  return __builtin_shufflevector(r, r, ", lane_numbers(lanes - 1, lanes, -1), ");\n}\n");
  });
  return name;
}

bool loads_whole_vectors(DType dtype, int lanes, Sym step) {
  if (step.is_constant(2)) return true;
  constexpr int kMostStep = 4;
  // Least element size in bytes: for smaller elements some machines need several instructions for a shuffle.
  constexpr size_t kLeastBytes = 4;
  return step.is_constant() && step.constant() > 2 && step.constant() <= kMostStep && lanes >= 2 * step.constant() &&
         size_of(dtype) >= kLeastBytes;
}

/// Returns the name of a generated function that loads every `step`-th element: it loads `step` vectors and shuffles them. Vector i begins
/// at element i * (lanes - 1). So the last vector ends exactly at the last element that is needed, and nothing beyond it is read.
std::string load_every_function(Unit& unit, DType dtype, int lanes, int step) {
  constexpr std::string_view kOrdinals[] = {"second", "third", "fourth"};
  const std::string name = cat("load_every_", kOrdinals[step - 2], "_", vector_name(dtype, lanes));
  unit.definitions.once(name, [&] {
    const std::string v = memory_vector(unit, dtype, lanes);
    const auto vector = [&](int i) {
      if (i == 0) return cat("*(const ", v, "*)p");
      return cat("*(const ", v, "*)(p + ", i * (lanes - 1), ")");
    };
    std::string text = vector(0);
    for (int i = 1; i < step; ++i) {
      // Lane numbers for a shuffle of two vectors. The first vector has the lanes found so far, the second one is vector i.
      std::vector<int> numbers;
      for (int lane = 0; lane < lanes; ++lane) {
        const int at = lane * step - i * (lanes - 1), before = i == 1 ? lane * step : lane;
        numbers.push_back(lane * step < i * (lanes - 1) + 1 ? before : std::min(lanes + at, 2 * lanes - 1));
      }
      text = cat("__builtin_shufflevector(", text, ", ", vector(i), ", ", join(numbers, ", "), ")");
    }
    return cat("static inline ", v, " ", name, "(const ", memory_type(dtype), "* p) {\n  return ", text, ";\n}\n");
  });
  return name;
}

std::string store_function(Unit& unit, DType dtype, int lanes, bool strided, bool masked) {
  const std::string name = cat("store", strided ? "_strided" : "", masked ? "_masked" : "", "_", vector_name(dtype, lanes));
  unit.definitions.once(name, [&] {
    const std::string v = memory_vector(unit, dtype, lanes), element(memory_type(dtype));
    if (masked && !strided && has_masked_access(unit.options, dtype, lanes)) {
      const MaskedBuiltin builtin = masked_builtin(unit, dtype, lanes);
      return cat("static inline void ", name, "(", element, "* p, ", v, " x, ", mask_type(unit, kOneBitALane, lanes),
                 " m) {\n  if (m != 0) __builtin_ia32_store", builtin.kind, "_mask((void*)p, (", builtin.vector, ")x, m);\n}\n");
    }
    if (masked && !strided && has_masked_moves(unit.options, dtype, lanes)) {
      const MaskedMove move = masked_move(unit, dtype, lanes);
      return cat("static inline void ", name, "(", element, "* p, ", v, " x, ", mask_type(unit, bits_of_dtype(dtype), lanes),
                 " m) {\n  if (", move.is_any, " != 0) __builtin_ia32_maskstore", move.kind, "((void*)p, (", move.mask, ")m, (",
                 move.vector, ")x);\n}\n");
    }
    return cat("static inline void ", name, "(", element, "* p", strided ? ", int64_t step" : "", ", ", v, " x",
               masked ? cat(", ", mask_type(unit, bits_of_dtype(dtype), lanes), " m") : std::string(), ") {\n",
               loop_over_lanes(cat(masked ? "if (m[lane]) " : "", strided ? "p[lane * step]" : "p[lane]", " = x[lane];"), lanes), "}\n");
  });
  return name;
}

}  // namespace harp::render
