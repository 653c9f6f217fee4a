#include "render/c/dialect.h"

#include "render/c/compiler_bugs.h"
#include "render/c/fold.h"
#include "render/c/function.h"
#include "render/c/indexed_loops.h"
#include "render/c/interleave.h"
#include "render/c/vector_functions.h"
#include "render/c/vector_statements.h"
#include "render/c/vector_value.h"
#include "render/routines/routines.h"

namespace harp::render {

const Dialect kC = {
    .name = "C",

    .index = "int64_t",
    .memory_type = memory_type,
    .value_type = value_type,
    .literal = c_literal,
    .aligned = " __attribute__((aligned($BYTES)))",
    .table = "static const ",
    .fault_type = "harp_fault*",
    .alignment = stack_alignment,

    .emulation = emulated_definition,

    .inlined = "static inline ",
    .always_inlined = "static inline __attribute__((always_inline)) ",
    .called = "static __attribute__((noinline)) ",
    .rarely_called = "static __attribute__((noinline, cold)) ",
    .kernel_head = "static $MARK__attribute__((noinline)) void $NAME($PARAMETERS) ",
    .kernel_mark = [](const ir::Kernel& kernel) { return reads_backwards(kernel) ? kBackwardsMark : std::string_view(); },

    .loop = "for ($TYPE $VARIABLE = $BEGIN; $VARIABLE < $END; $ADVANCE) {",
    .unroll = "#pragma GCC unroll $COUNT",
    .loop_mark = [](const Scope&, const ir::Line& loop,
                    std::span<const ir::Line> rest) { return wraps_positions(loop, rest) ? kWrapsMark : indexed_loop_mark(loop); },
    .barrier = "/* barrier */",
    .prefetch = "__builtin_prefetch($POINTER, $WRITES, $LOCALITY);",
    .cancelled = "harp_is_set(cancel)",
    .store_fence = "__builtin_ia32_sfence();",
    .detects_invalid = detects_invalid,
    .clear_invalid = "harp_clear_invalid();",
    .met_invalid = "harp_met_invalid()",

    .elementwise = elementwise_function,
    .function = function_of,
    .report = report_function,
    .fold = fold_function,
    .fold_two = fold_two_function,
    .scan = scan_function,
    .scan_part = scan_part_function,
    .routine = routine_call,
    .copy = copy_call,
    .copy_async = copy_async_call,

    .vectors = {.computation = vector_computation,
                .splatted = splatted_value,
                .mask_bits = natural_mask_bits,
                .mask_bits_of_result = mask_bits_of,
                .mask = [](const Scope& scope, const ir::UOp* u, int bits) { return mask_text(scope, u, bits, 0); },
                .mask_type = mask_type,
                .mask_bits_of_accumulator = mask_bits_of_accumulator,
                .any = any_element,
                .memory_type = memory_vector,
                .splat = splat_function,
                .stored = stored_vector,
                .store = vector_store,
                .interleaves = interleaves,
                .store_interleaved = store_interleaved_function,
                .rare_lanes = recomputed_lanes,
                .function_of_two = function_of_two},
};

}  // namespace harp::render
