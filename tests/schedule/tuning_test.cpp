// Tests the constants of schedules that depend on properties of the machine (schedule/cpu/tuning.h). They are computed from cache sizes and
// similar numbers. For the machine rows (entries of harp's table of CPUs) they have the values that were found by measuring.
#include "schedule/cpu/tuning.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "base/text.h"
#include "schedule/fusion_limits.h"
#include "support/scheduled.h"

using namespace schedule_test;

namespace {

constexpr int64_t kKiB = 1 << 10, kMiB = 1 << 20;

Cpu with_caches(int64_t first, int64_t second, int64_t third) {
  Cpu cpu;
  cpu.caches = {first, second, third};
  return cpu;
}

/// Returns the schedules of the first kernel of a graph, as text, for the entry x86-64-v4 of harp's table of CPUs, with some of its
/// properties changed.
std::string schedules_with(std::string_view text, const std::function<void(Cpu&)>& change) {
  Machine target = testing::row(kRow);
  change(std::get<Cpu>(target.hardware));
  const Program program = schedule_graph(optimised(*parse_graph(text)), {target, 0, {}});
  verify(program);
  std::string all;
  for (const Variant& variant : program.kernels.at(0).variants)
    all += cat(print(variant.schedule), variant.guard ? cat(" where ", to_string(*variant.guard)) : std::string(), "\n");
  return all;
}
std::string schedules(std::string_view text) {
  return schedules_with(text, [](Cpu&) {});
}

}  // namespace

TEST_CASE("L5 L6 H3.machine_measured: with the numbers of every row, constants have the values that were measured") {
  for (const Machine& row : testing::all_rows()) {
    CAPTURE(row.name);
    const Cpu& cpu = row.cpu();
    CHECK(cpu.stream_bytes == 15 * kMiB);
    CHECK(near_scan_bytes(cpu) == 512 * kKiB);
    // CPUs that load one vector in a cycle do not use near_scan_row_bytes().
    CHECK((near_scan_row_bytes(cpu) == 16 * kKiB || cpu.vector_loads_a_cycle == 1));
    CHECK(packed_array_bytes(cpu) == kMiB);
    CHECK(rows_together(cpu) == 224);
    CHECK(near_columns_bytes(cpu) == kMiB);
    CHECK(shared_bytes(cpu) == 4 * kMiB);
    CHECK(elements_of_windows(cpu) == 1 << 16);
    for (const RowReads& reads : {kSums, kSumsOfOneLoad, kFlagged}) CHECK(reads.near_bytes(cpu.caches) == 1000 * kKiB);
    CHECK(kPiecesOfSums.near_bytes(cpu.caches) == kMiB);
    for (const RowReads& reads : {kProducts, kProductsOfOneLoad}) CHECK(reads.near_bytes(cpu.caches) == 16 * kMiB);
    CHECK(cpu.addition_latency * cpu.vector_additions_a_cycle == 8);
  }
}

TEST_CASE("L5 L6 H3.machine_measured: constants follow the caches of the machine") {
  const Cpu large = with_caches(96 * kKiB, 4 * kMiB, 96 * kMiB), small = with_caches(24 * kKiB, 256 * kKiB, 2 * kMiB);
  CHECK(near_scan_bytes(large) == 2 * kMiB);
  CHECK(near_scan_bytes(small) == 128 * kKiB);
  CHECK(near_scan_row_bytes(large) == 32 * kKiB);
  CHECK(near_scan_row_bytes(small) == 8 * kKiB);
  CHECK(packed_array_bytes(large) == 4 * kMiB);
  CHECK(packed_array_bytes(small) == 256 * kKiB);
  CHECK(near_columns_bytes(large) == 4 * kMiB);
  CHECK(near_columns_bytes(small) == 256 * kKiB);
  CHECK(shared_bytes(large) == 12 * kMiB);
  CHECK(shared_bytes(small) == 256 * kKiB);
  // With large caches, the limit is the size of a block of the summation, which docs/semantics.md defines.
  CHECK(kSums.near_bytes(large.caches) == 1000 * kKiB);
  CHECK(kSums.near_bytes(small.caches) == 256 * kKiB);
  CHECK(kPiecesOfSums.near_bytes(large.caches) == 4 * kMiB);
  CHECK(kProducts.near_bytes(large.caches) == 48 * kMiB);
  CHECK(kProducts.near_bytes(small.caches) == kMiB);
  // rows_together() is the number of rows of a cache block. A smaller cache makes it smaller, but a larger cache does not make it larger.
  CHECK(rows_together(large) == 224);
  CHECK(rows_together(small) == 56);
  CHECK(rows_together(with_caches(4096, 1, 1)) == 1);
  CHECK(elements_of_windows(large) == 1 << 16);
  CHECK(elements_of_windows(small) == 1 << 14);
  CHECK(fusion_limits(large).kept_bytes == 2 * kMiB);
  CHECK(fusion_limits(large).max_block_bytes == 12 * kMiB);
}

TEST_CASE("L5 L6 H3.machine_measured: each number of a machine changes a schedule") {
  const auto with = [](std::string_view text, const std::function<void(Cpu&)>& change) { return schedules_with(text, change); };
  const auto has = [](const std::string& text, std::string_view part) { return text.find(part) != text.npos; };

  const std::string_view stored = "graph g(x: f32[1000, 1024]) { return y = x * 2 }";  // 4 MB
  CHECK_FALSE(has(schedules(stored), "nontemporal"));
  CHECK(has(with(stored, [](Cpu& cpu) { cpu.stream_bytes = 4'000'000; }), "nontemporal"));
  CHECK_FALSE(has(with(stored, [](Cpu& cpu) { cpu.stream_bytes = 5'000'000; }), "nontemporal"));

  const std::string_view running = "graph g(x: f32[n, 2048]) { return y = cumsum(x, axis=0) }";
  CHECK(has(schedules(running), "where 131072 - 2048*n"));
  CHECK(has(with(running, [](Cpu& cpu) { cpu.caches.second = 2 * kMiB; }), "where 262144 - 2048*n"));
  CHECK(has(schedules(running), "tile=2048"));
  CHECK_FALSE(has(with(running, [](Cpu& cpu) { cpu.caches.first = 20 * kKiB; }), "tile=2048"));
  CHECK_FALSE(has(with(running, [](Cpu& cpu) { cpu.vector_loads_a_cycle = 1; }), "tile=2048"));

  const std::string_view pages = "graph g(x: f32[1024, 1024]) { return y = transpose(x) + 1 }";  // 4 MiB
  CHECK(has(schedules(pages), "pack"));
  CHECK_FALSE(has(with(pages, [](Cpu& cpu) { cpu.caches.second = 8 * kMiB; }), "pack"));

  const std::string_view product = "graph g(x: f32[k], w: f32[k, 1024]) { return y = x @ w }";
  CHECK(has(schedules(product), "where 4194304 - 1024*k"));
  CHECK(has(with(product, [](Cpu& cpu) { cpu.caches.third = 64 * kMiB; }), "where 8388608 - 1024*k"));

  const std::string_view function = "graph g(x: f32[n]) { return y = sin(x) }";
  CHECK(has(schedules(function), "unroll=2"));
  CHECK_FALSE(has(with(function, [](Cpu& cpu) { cpu.vector_multiply_adds_a_cycle = 1; }), "unroll=2"));

  // The graph has four independent chains of 70 operations. With the usual latency of additions, the vectors are interleaved.
  std::string text = "graph g(a: f32[n], b: f32[n], c: f32[n], d: f32[n]) {\n";
  std::string sum;
  for (const char* name : {"a", "b", "c", "d"}) {
    std::string last = name;
    for (int i = 0; i < 70; ++i) {
      const std::string next = cat(name, i);
      text += cat("  ", next, " = ", last, i % 2 == 0 ? " * 1.5" : " + 0.5", "\n");
      last = next;
    }
    sum += (sum.empty() ? "" : " + ") + last;
  }
  text += "  return y = " + sum + "\n}";
  CHECK(has(schedules(text), "unroll=2"));
  CHECK_FALSE(has(with(text, [](Cpu& cpu) { cpu.addition_latency = 1; }), "unroll=2"));
  CHECK_FALSE(has(with(text, [](Cpu& cpu) { cpu.vector_additions_a_cycle = 1, cpu.addition_latency = 3; }), "unroll=2"));
}
