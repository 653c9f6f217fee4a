#include "render/cuda/tables.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "ir/depth_first.h"
#include "ops/math_coefficients.h"
#include "render/kernel/scalar_functions.h"

namespace harp::render {

namespace {

using Tables = std::vector<const ir::Table*>;

/// Returns those constant tables of the function that have not been joined to an array yet, grouped by dtype and size, in the order of
/// their names.
std::map<std::pair<DType, size_t>, Tables> tables_of(const Unit& unit, const ir::Function& function) {
  std::vector<const ir::UOp*> all;
  std::unordered_set<const ir::UOp*> seen;
  ir::append_depth_first(
      function.body, [&](const ir::UOp* u) { return seen.insert(u).second; }, all);
  std::map<std::pair<DType, size_t>, Tables> found;
  std::unordered_set<const ir::Table*> met;
  for (const ir::UOp* u : all)
    if (u->kind == ir::UKind::kTable && !unit.joined_tables.contains(u->table->name) && met.insert(u->table).second)
      found[{u->table->dtype, u->table->values.size()}].push_back(u->table);
  for (auto& [form, tables] : found) std::ranges::sort(tables, {}, &ir::Table::name);
  return found;
}

}  // namespace

void join_tables(Unit& unit, const ir::Function& function) {
  for (const auto& [form, tables] : tables_of(unit, function)) {
    if (tables.size() < 2) continue;
    const DType dtype = form.first;
    const size_t size = form.second, count = tables.size();
    const std::string name = cat(function.name, "_tables", size == kPermutedTable ? std::string() : cat("_", size),
                                 dtype == function.result ? std::string() : cat("_", harp::name(dtype)));
    std::string rows;
    for (size_t i = 0; i < tables.size(); ++i) {
      append(rows, cat("    {", table_values(unit, *tables[i]), "}", i + 1 < tables.size() ? "," : "", " /* ", tables[i]->name, " */\n"));
      unit.joined_tables[tables[i]->name] = cat(name, "[", i, "]");
    }
    unit.definitions.once(name, [&] {
      return cat(unit.dialect.table, unit.dialect.memory_type(dtype), " ", name, "[", count, "][", size, "] = {\n", rows, "};\n");
    });
  }
}

}  // namespace harp::render
