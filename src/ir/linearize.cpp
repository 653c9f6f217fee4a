// How it works: statements are visited in order with a stack of open blocks (open_blocks.h), each with the lines it has so far. A value a
// statement needs is appended to the innermost block that knows all its variables; lines of a closed block go to its parent
// after that, so what an inner loop needed first stands before the loop.
#include "ir/linearize.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/open_blocks.h"
#include "ir/rewrite.h"

namespace harp::ir {
namespace {

/// Operations written inside one expression before it gets a name.
constexpr int kLargestExpression = 4;
/// Accesses of a row in memory that differ by constants only, before what they have in common gets a name: a C compiler takes each of them
/// apart by itself (a fifth of its time for a convolution).
constexpr int kFewestOfPlace = 3;

/// Where a value that is about to be written goes.
struct Place {
  int level = 0;
  std::vector<Sym> guards;
  int size = 0;
  bool hoisted = false;
};

void visit_roots(const Body& body, auto&& f) {
  for (const Stmt* s : body) {
    for_each_value(*s, [&](const UOp* root) { f(root); });
    for_each_body(*s, [&](const Body& inside) { visit_roots(inside, f); });
  }
}

/// The accumulators that statements set, update, fold or scan.
std::vector<int> changed_accumulators(const Body& body) {
  std::vector<int> changed;
  for (const Stmt* s : statements_of(body)) for_each_changed_accumulator(*s, [&](int accumulator) { changed.push_back(accumulator); });
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

bool contains(const std::vector<Sym>& guards, Sym guard) { return std::find(guards.begin(), guards.end(), guard) != guards.end(); }

/// Lanes of the condition and the arguments of a rare call are taken one by one, so these need a name.
bool is_indexed(const UOp* user, const UOp* source) { return user->kind == UKind::kRarely && source != user->sources[1]; }

class Linearizer {
 public:
  explicit Linearizer(const Kernel* kernel) {
    if (kernel == nullptr) return;
    params_ = kernel->params;
    accumulators_ = kernel->accumulators;
    parameters_ = parameter_names(*kernel);
    acc_level_.assign(kernel->accumulators.size(), 0);
    declared_level_ = acc_level_;
    count_uses([&](auto&& visit) { visit_roots(kernel->body, visit); });
    for (const Stmt* s : statements_of(kernel->body))
      visit(*s, Overloaded{[&](Is<AccSet, AccUpdate> auto& of) { count_place(of.accumulator, of.index); }, [](const Stmt&) {}});
  }

  std::vector<Line> kernel(const Kernel& kernel) {
    statements(kernel.body);
    return blocks_.close();
  }

  std::vector<Line> function(const Function& function) {
    count_uses([&](auto&& visit) { visit(function.body); });
    need({&function.body, 1});
    line({.kind = LineKind::kReturn, .value = function.body, .names = blocks_.mentioned({&function.body, 1})});
    return blocks_.close();
  }

 private:
  int here() const { return blocks_.innermost(); }
  void line(Line l) { blocks_.line(std::move(l)); }

  // Uses of every value in the whole kernel. Splats are looked through: each use of a splat is a use of its source.
  void count_uses(auto&& for_each_root) {
    std::vector<const UOp*> all, stack;
    std::unordered_set<const UOp*> seen;
    for_each_root([&](const UOp* root) {
      ++uses_[root];
      stack.push_back(root);
      while (!stack.empty()) {
        const UOp* u = stack.back();
        stack.pop_back();
        if (!seen.insert(u).second) continue;
        all.push_back(u);
        for (const UOp* s : u->sources) stack.push_back(s);
      }
    });
    std::sort(all.begin(), all.end(), [](const UOp* a, const UOp* b) { return a->id > b->id; });
    for (const UOp* u : all)
      if (u->kind == UKind::kAcc) count_place(u->buffer, u->index);
    for (const UOp* u : all)
      for (const UOp* s : u->sources) uses_[s] += u->kind == UKind::kSplat ? uses_[u] : 1;
  }

  /// Of an index of a row in memory, what does not depend on which access of several it is; null: nothing that would deserve a name.
  const SymNode* place_of(int accumulator, Sym index) const {
    if (!accumulators_[static_cast<size_t>(accumulator)].is_row || index.is_constant()) return nullptr;
    const std::vector<SymTerm>& terms = index.node()->terms;
    const bool is_variable = terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1;
    return is_variable ? nullptr : (index - index.node()->constant).node();
  }
  void count_place(int accumulator, Sym index) {
    if (const SymNode* place = place_of(accumulator, index)) ++places_[{accumulator, place->id}];
  }

  /// What an access of `buffer` from a line on `level` refers to: its row pointer and the integer operations in its index.
  void define_address(int buffer, Sym index, int level) {
    const SplitIndex split = split_index(index, blocks_.innermost_loop(level));
    blocks_.define_offsets(split.rest);
    if (split.row.empty()) return;
    blocks_.define_offsets(split.row);
    blocks_.define_pointer(buffer, split.row, blocks_.level_of(split.row), cat(parameters_[buffer], "_row"));
  }
  /// The same for an element of an accumulator, if it is one of a row in memory.
  void define_place(int accumulator, Sym index) {
    blocks_.define_offsets(index);
    const SymNode* place = place_of(accumulator, index);
    if (place == nullptr || places_[{accumulator, place->id}] < kFewestOfPlace) return;
    const Terms terms{place->terms};
    blocks_.define_pointer(static_cast<int>(params_.size()) + accumulator, terms,
                           std::max(blocks_.level_of(terms), declared_level_[accumulator]), cat("row", accumulator, "_at"));
  }
  /// The level a load, or a check, may go to: not out of an If it stands in, and out of a loop that may run zero times only with a guard.
  /// That holds for loads with a mask too, since the loops and Ifs around them have taken parts of the mask away.
  void place_load(Place& place) {
    for (int level = here(); level > place.level; --level) {
      if (blocks_[level].conditional) place.level = level;
      if (const Sym guard = trip_guard(blocks_[level]); !guard.is_constant()) place.level = std::max(place.level, blocks_.level_of(guard));
    }
    for (int level = here(); level > place.level; --level)
      if (const Sym guard = trip_guard(blocks_[level]); !guard.is_constant() && !contains(place.guards, guard))
        place.guards.push_back(guard);
  }

  Place place_of(const UOp* u, const std::unordered_map<const UOp*, Place>& planned) {
    Place place;
    std::vector<int>& accumulators = accumulators_of_[u];
    accumulators.clear();
    for (const UOp* s : u->sources) {
      int level = 0;
      if (const auto found = planned.find(s); found != planned.end()) {
        level = found->second.level;
        for (Sym g : found->second.guards)
          if (!contains(place.guards, g)) place.guards.push_back(g);
      } else {
        const OpenBlocks::Found named = blocks_.find_named(s);
        HARP_ASSERT(named.named != nullptr, "a value is used where it was not computed");
        level = named.level;
        for (Sym g : *named.guards)
          if (!contains(place.guards, g)) place.guards.push_back(g);
      }
      place.level = std::max(place.level, level);
      for (int a : accumulators_of_[s])
        if (std::find(accumulators.begin(), accumulators.end(), a) == accumulators.end()) accumulators.push_back(a);
    }
    place.level = std::max({place.level, blocks_.level_of(u->index), blocks_.level_of(u->lane_step), blocks_.level_of(u->stride)});
    if (u->kind == UKind::kAcc) {
      accumulators.push_back(u->buffer);
      place.level = std::max(place.level, acc_level_[u->buffer]);
      for (int level = here(); level > place.level; --level)  // an If may change it
        if (blocks_[level].conditional) place.level = level;
    }
    if (is_read(u) || u->kind == UKind::kCheck) place_load(place);
    return place;
  }

  /// Values that have no name yet, sources first.
  std::vector<const UOp*> pending(std::span<const UOp* const> roots) const {
    std::vector<const UOp*> found, stack(roots.begin(), roots.end());
    std::unordered_set<const UOp*> seen;
    while (!stack.empty()) {
      const UOp* u = stack.back();
      stack.pop_back();
      if (blocks_.is_named(u) || !seen.insert(u).second) continue;
      found.push_back(u);
      for (const UOp* s : u->sources) stack.push_back(s);
    }
    std::sort(found.begin(), found.end(), [](const UOp* a, const UOp* b) { return a->id < b->id; });
    return found;
  }

  /// Names everything the roots need that deserves a name; with `name_roots` the roots too.
  void need(std::span<const UOp* const> roots, bool name_roots = false) {
    blocks_.hold_guards();
    const std::vector<const UOp*> values = pending(roots);
    std::unordered_map<const UOp*, Place> planned;
    for (const UOp* u : values) planned[u] = place_of(u, planned);
    for (const UOp* root : roots)
      if (const auto p = planned.find(root); p != planned.end()) p->second.hoisted |= name_roots || p->second.level < here();
    for (auto u = values.rbegin(); u != values.rend(); ++u) {  // users first: a splat hands on what its users want
      const Place& user = planned[*u];
      for (const UOp* s : (*u)->sources)
        if (const auto p = planned.find(s); p != planned.end())
          p->second.hoisted |= p->second.level < user.level || (is_trivial(*u) && user.hoisted) || is_indexed(*u, s);
    }
    for (const UOp* u : values) emit(u, planned, std::find(roots.begin(), roots.end(), u) != roots.end());
  }

  void emit(const UOp* u, std::unordered_map<const UOp*, Place>& planned, bool is_root) {
    Place& place = planned[u];
    blocks_.define_offsets(u->lane_step);
    blocks_.define_offsets(u->stride);
    if (is_read(u))
      define_address(u->buffer, u->index, place.level);
    else if (u->kind == UKind::kAcc)
      define_place(u->buffer, u->index);
    else
      blocks_.define_offsets(u->index);
    const bool is_in_memory = u->kind == UKind::kAcc && accumulators_[static_cast<size_t>(u->buffer)].is_row;
    if (u->kind == UKind::kSplat || (is_trivial(u) && !is_in_memory)) {
      for (const UOp* s : u->sources)
        if (const auto p = planned.find(s); p != planned.end()) place.size += p->second.size;
      return;
    }
    place.size = u->kind == UKind::kCall || u->kind == UKind::kGather || u->op == Op::kFma || u->op == Op::kWhere ? 2 : 1;
    for (const UOp* s : u->sources)
      if (const auto p = planned.find(s); p != planned.end()) place.size += p->second.size;
    const bool is_in_turn = in_block_ && u->kind == UKind::kCall && !is_small(*u->function);
    const bool named = uses_[u] > 1 || place.hoisted || (place.size > kLargestExpression && !is_root) || !place.guards.empty() ||
                       u->kind == UKind::kRarely || is_in_turn;
    if (!named) return;
    place.size = 0;
    // Only a load or a check has to be kept from happening; what is computed from it may be computed from anything.
    Line let{.kind = LineKind::kLet, .value = u, .names = blocks_.mentioned(u->sources)};
    if (is_read(u) || u->kind == UKind::kCheck) let.guards = place.guards;
    const std::vector<Line>& before = blocks_[place.level].lines;
    let.is_alike = is_in_turn && !before.empty() && are_alike(before.back(), let);
    blocks_.name_value(place.level, std::move(let), place.guards);
  }

  /// Do both lines call one function, and does the second one not need the first?
  static bool are_alike(const Line& first, const Line& second) {
    if (first.kind != LineKind::kLet || first.value->kind != UKind::kCall) return false;
    const auto is_first = [&](const auto& named) { return named.first == first.value; };
    return first.value->function == second.value->function && first.value->type == second.value->type &&
           std::none_of(second.names.begin(), second.names.end(), is_first);
  }

  /// The accumulator changes: values made from it are no longer its values.
  void forget(int accumulator) {
    blocks_.forget([&](const UOp* u) {
      const std::vector<int>& used = accumulators_of_[u];
      return std::find(used.begin(), used.end(), accumulator) != used.end();
    });
  }

  void statements(const Body& body) {
    const auto store_at = [&](size_t i) { return i < body.size() ? harp::ir::as<Store>(body[i]) : nullptr; };
    for (size_t i = 0; i < body.size(); ++i) {
      // An output may take the place of an input (in-place elementwise): in a run of stores everything is read before the first.
      if (store_at(i) != nullptr && (i == 0 || store_at(i - 1) == nullptr))
        for (size_t next = i + 1; store_at(next) != nullptr; ++next) name_loads(*store_at(next));
      statement(*body[i]);
    }
  }

  std::vector<const UOp*> values_of(const Stmt& s) const {
    std::vector<const UOp*> values;
    for_each_value(s, [&](const UOp* u) { values.push_back(u); });
    return values;
  }

  void line_of(const StoreGroup& s) {
    std::vector<const UOp*> roots;
    for (const Stmt* store : s.body) {
      name_loads(*store);
      for_each_value(*store, [&](const UOp* u) { roots.push_back(u); });
    }
    in_block_ = true;
    need(roots);
    in_block_ = false;
    for (const Stmt* store : s.body) statement(*store);
  }

  void name_loads(const Stmt& store) {
    std::vector<const UOp*> loads;
    for (const UOp* u : pending(values_of(store)))
      if (u->kind == UKind::kLoad) loads.push_back(u);
    need(loads, true);
  }

  std::vector<Line> inside(const Body& body, Block block) {
    blocks_.open(std::move(block));
    statements(body);
    return blocks_.close();
  }
  void append_lines(std::vector<Line> lines) {
    for (Line& l : lines) line(std::move(l));
  }

  /// What is made from an accumulator that these change stays inside: of a loop it is made again in every iteration.
  std::vector<Line> inside_changing(const Body& statements, Block block) {
    const std::vector<int> outside = acc_level_, changed = changed_accumulators(statements);
    for (int a : changed) {
      forget(a);
      acc_level_[a] = here() + 1;
    }
    std::vector<Line> lines = inside(statements, std::move(block));
    for (int a : changed) acc_level_[a] = outside[a];
    return lines;
  }

  void line_of(const Loop& s) {
    // One that never runs has no lines, and no loads in front of it: there may be nothing to load.
    if (s.loop != LoopKind::kThread && proven_at_most(s.end, s.begin)) return;
    blocks_.define_offsets(s.begin);
    if (s.loop != LoopKind::kThread) blocks_.define_offsets(s.end);  // the caller decides where a thread's iterations end
    Block block;
    block.loop = &s;
    block.variable = variable_of(s.variable);
    Line head{.kind = LineKind::kLoop, .name = cat("ridx", loop_count_++), .atom = block.variable, .statement = &s};
    std::vector<Line> body = inside_changing(s.body, std::move(block));
    const std::vector<const UOp*> kept = s.overlap ? in_place_loads(s.body) : std::vector<const UOp*>{};
    if (!kept.empty()) blocks_.define_offsets(mod(s.end - s.begin, s.step));
    for (const UOp* u : kept) line({.kind = LineKind::kKeep, .name = cat("kept", keep_count_++), .value = u, .statement = &s});
    line(std::move(head));
    append_lines(std::move(body));
    line({.kind = LineKind::kEnd});
  }

  /// What the statements load of parameters that they may overwrite.
  std::vector<const UOp*> in_place_loads(const Body& body) const {
    std::vector<const UOp*> loads, stack;
    std::unordered_set<const UOp*> seen;
    visit_roots(body, [&](const UOp* root) { stack.push_back(root); });
    while (!stack.empty()) {
      const UOp* u = stack.back();
      stack.pop_back();
      if (!seen.insert(u).second) continue;
      if (u->kind == UKind::kLoad && !params_[static_cast<size_t>(u->buffer)].in_place.empty()) loads.push_back(u);
      stack.insert(stack.end(), u->sources.begin(), u->sources.end());
    }
    std::sort(loads.begin(), loads.end(), [](const UOp* a, const UOp* b) { return a->id < b->id; });
    return loads;
  }

  void line_of(const Define& s) {
    Block block;
    block.variable = variable_of(s.variable);
    Line head{.kind = LineKind::kDefine,
              .name = cat(block.variable->name, define_count_++),
              .value = s.value,
              .names = blocks_.mentioned({&s.value, 1}),
              .atom = block.variable,
              .statement = &s};
    std::vector<Line> body = inside_changing(s.body, std::move(block));
    line(std::move(head));
    append_lines(std::move(body));
  }

  void line_of(const If& s) {
    blocks_.define_offsets(s.condition);
    Block block;
    block.conditional = true;
    std::vector<Line> then = inside(s.body, block);
    std::vector<Line> otherwise = inside(s.otherwise, block);
    line({.kind = LineKind::kIf, .statement = &s});
    append_lines(std::move(then));
    if (!otherwise.empty()) line({.kind = LineKind::kElse});
    append_lines(std::move(otherwise));
    line({.kind = LineKind::kEnd});
  }

  void line_of(const Retry& s) {
    Block block;
    block.conditional = true;  // nothing leaves it, so that all of it is watched
    std::vector<Line> body = inside(s.body, block);
    std::vector<Line> otherwise = inside(s.otherwise, block);
    line({.kind = LineKind::kTry});
    append_lines(std::move(body));
    line({.kind = LineKind::kRetry});
    append_lines(std::move(otherwise));
    line({.kind = LineKind::kEnd});
  }

  void statement(const Stmt& s) {
    const std::vector<const UOp*> values = values_of(s);
    need(values);
    names_ = blocks_.mentioned(values);  // before the statement changes what they are made from
    visit(s, [&](const auto& of) { line_of(of); });
  }

  void line_of(LineKind kind, const Stmt& s, std::string name = {}) {
    line({.kind = kind, .name = std::move(name), .names = std::move(names_), .statement = &s});
  }
  void define_positions(const Stmt& s) {
    for_each_position(s, [&](Sym e) { blocks_.define_offsets(e); });
  }

  void line_of(const Store& s) {
    define_address(s.buffer, s.index, here());
    blocks_.define_offsets(s.lane_step);
    line_of(LineKind::kStore, s);
  }
  void line_of(const Prefetch& s) {
    define_address(s.buffer, s.index, here());
    blocks_.define_offsets(s.stride);
    line_of(LineKind::kPrefetch, s);
  }
  void line_of(const Scatter& s) {
    define_address(s.buffer, s.index, here());
    blocks_.define_offsets(s.stride);
    line_of(LineKind::kScatter, s);
  }
  void line_of(const AccDeclare& s) {
    forget(s.accumulator);
    acc_level_[s.accumulator] = declared_level_[s.accumulator] = here();
    line_of(LineKind::kAccDeclare, s, cat("acc", s.accumulator));
  }
  void line_of(Is<AccSet, AccUpdate> auto& s) {
    forget(s.accumulator);
    define_place(s.accumulator, s.index);
    blocks_.define_offsets(s.lane_step);
    line_of(s.kind == StmtKind::kAccSet ? LineKind::kAccSet : LineKind::kAccUpdate, s, cat("acc", s.accumulator));
  }
  void line_of(const AccFold& s) {
    forget(s.accumulator);
    define_positions(s);
    line_of(LineKind::kAccFold, s, cat("acc", s.accumulator, "_folded"));
  }
  void line_of(Is<AccScan, Routine, Copy> auto& s) {
    for_each_changed_accumulator(s, [&](int accumulator) { forget(accumulator); });
    define_positions(s);
    if constexpr (Is<decltype(s), AccScan>)
      line_of(LineKind::kAccScan, s, cat("acc", s.accumulator));
    else
      line_of(Is<decltype(s), Copy> ? LineKind::kCopy : LineKind::kRoutine, s);
  }
  void line_of(const Break& s) { line_of(LineKind::kBreak, s); }
  void line_of(const Comment& s) { line_of(LineKind::kComment, s); }

  std::span<const Param> params_;
  std::span<const Accumulator> accumulators_;
  std::vector<std::string> parameters_;
  OpenBlocks blocks_;
  std::unordered_map<const UOp*, int> uses_;
  std::unordered_map<const UOp*, std::vector<int>> accumulators_of_;
  std::vector<std::pair<const UOp*, std::string>> names_;  // of the values of the statement that becomes a line
  bool in_block_ = false;
  std::vector<int> acc_level_, declared_level_;
  std::map<std::pair<int, uint32_t>, int> places_;  // accesses by accumulator and place
  int loop_count_ = 0, define_count_ = 0, keep_count_ = 0;
};

}  // namespace

bool is_trivial(const UOp* u) {
  switch (u->kind) {
    case UKind::kConst:
    case UKind::kParam:
    case UKind::kAcc:
    case UKind::kLineOffset: return true;
    case UKind::kIndex: return u->type.lanes == 1;
    case UKind::kSplat: return true;
    default: return false;
  }
}

std::vector<std::string> parameter_names(const Kernel& kernel) {
  std::vector<std::string> names;
  int inputs = 0, outputs = 0;
  for (const Param& p : kernel.params) names.push_back(p.written ? cat("output", outputs++) : cat("input", inputs++));
  return names;
}

std::vector<Line> linearize(const Kernel& kernel) { return Linearizer(&kernel).kernel(kernel); }
std::vector<Line> linearize(const Function& function) { return Linearizer(nullptr).function(function); }

}  // namespace harp::ir
