// How it works: statements are visited in order with a stack of open blocks, each with the lines it has so far. A value a
// statement needs is appended to the innermost block that knows all its variables; lines of a closed block go to its parent
// after that, so what an inner loop needed first stands before the loop.
#include "ir/linearize.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"

namespace harp::ir {
namespace {

/// Operations written inside one expression before it gets a name.
constexpr int kLargestExpression = 4;

struct Block {
  const Stmt* loop = nullptr;  // null: the kernel itself, or a branch of an If
  const SymAtom* variable = nullptr;
  bool conditional = false;
  std::vector<Line> lines;
  struct Named {
    std::vector<std::vector<Sym>> guards;  // the value is right only where all of one of these lists are >= 0
    bool stale = false;       // an accumulator it is made from has changed
  };
  std::unordered_map<const UOp*, Named> values;
  std::unordered_set<const SymAtom*> offsets;
  std::vector<std::pair<int, Terms>> pointers;
};

/// Where a value that is about to be written goes.
struct Place {
  int level = 0;
  std::vector<Sym> guards;
  int size = 0;
  bool hoisted = false;
};

void visit_roots(const std::vector<Stmt*>& body, auto&& visit) {
  for (const Stmt* s : body) {
    for (const UOp* root : {s->value, s->mask, s->factor})
      if (root != nullptr) visit(root);
    visit_roots(s->body, visit);
    visit_roots(s->otherwise, visit);
  }
}

bool contains(const std::vector<Sym>& guards, Sym guard) { return std::find(guards.begin(), guards.end(), guard) != guards.end(); }

/// Lanes of the condition and the arguments of a rare call are taken one by one, so these need a name.
bool is_indexed(const UOp* user, const UOp* source) { return user->kind == UKind::kRarely && source != user->sources[1]; }

class Linearizer {
 public:
  explicit Linearizer(const Kernel* kernel) {
    blocks_.emplace_back();
    if (kernel == nullptr) return;
    parameters_ = parameter_names(*kernel);
    acc_level_.assign(kernel->accumulators.size(), 0);
    count_uses([&](auto&& visit) { visit_roots(kernel->body, visit); });
  }

  std::vector<Line> kernel(const Kernel& kernel) {
    statements(kernel.body);
    return std::move(blocks_[0].lines);
  }

  std::vector<Line> function(const Function& function) {
    count_uses([&](auto&& visit) { visit(function.body); });
    need({&function.body, 1});
    line({.kind = LineKind::kReturn, .value = function.body});
    return std::move(blocks_[0].lines);
  }

 private:
  int here() const { return static_cast<int>(blocks_.size()) - 1; }
  void line(Line l) { blocks_.back().lines.push_back(std::move(l)); }

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
      for (const UOp* s : u->sources) uses_[s] += u->kind == UKind::kSplat ? uses_[u] : 1;
  }

  // Levels: the innermost open block that defines one of the variables.
  int level_of(const SymAtom& atom) const {
    if (atom.kind == AtomKind::kVariable) {
      if (!atom.is_loop) return 0;
      for (int level = here(); level > 0; --level)
        if (blocks_[level].variable == &atom) return level;
      fail(Code::kInternal, "loop variable ", atom.name, " is used outside its loop");
    }
    int level = std::max(level_of(terms_of(atom.a)), level_of(terms_of(atom.b)));
    return atom.kind == AtomKind::kSelect ? std::max(level, level_of(terms_of(atom.c))) : level;
  }
  int level_of(const Terms& e) const {
    int level = 0;
    for (const SymTerm& t : e.terms)
      for (const SymAtom* f : t.factors) level = std::max(level, level_of(*f));
    return level;
  }
  int level_of(Sym e) const { return level_of(terms_of(e)); }

  const SymAtom* innermost_loop(int level) const {
    for (; level > 0; --level)
      if (blocks_[level].variable != nullptr) return blocks_[level].variable;
    return nullptr;
  }

  /// Condition for the body of an open block to run at least once; a constant where that is known.
  static Sym trip_guard(const Block& block) {
    if (block.loop == nullptr || block.loop->loop == LoopKind::kThread) return 0;
    const Sym guard = block.loop->end - block.loop->begin - 1;
    return proven_nonnegative(guard) ? Sym(0) : guard;
  }

  // Integer operations get a name each; their operands first.
  void define_offsets(const Terms& e) {
    for (const SymTerm& t : e.terms)
      for (const SymAtom* f : t.factors) define_offset(*f);
  }
  void define_offsets(Sym e) { define_offsets(terms_of(e)); }
  void define_offset(const SymAtom& atom) {
    if (atom.kind == AtomKind::kVariable) return;
    for (const Block& b : blocks_)
      if (b.offsets.contains(&atom)) return;
    define_offsets(atom.a);
    define_offsets(atom.b);
    if (atom.kind == AtomKind::kSelect) define_offsets(atom.c);
    Block& block = blocks_[level_of(atom)];
    block.offsets.insert(&atom);
    block.lines.push_back({.kind = LineKind::kOffset, .name = cat("oidx", offset_count_++), .atom = &atom});
  }

  /// What an access of `buffer` from a line on `level` refers to: its row pointer and the integer operations in its index.
  void define_address(int buffer, Sym index, int level) {
    const SplitIndex split = split_index(index, innermost_loop(level));
    define_offsets(split.rest);
    if (split.row.empty()) return;
    define_offsets(split.row);
    const int row_level = level_of(split.row);
    for (int l = 0; l <= here(); ++l)
      for (const auto& [known, row] : blocks_[l].pointers)
        if (known == buffer && same_row(row, split.row)) return;
    int& count = pointer_count_[buffer];
    std::string name = cat(parameters_[buffer], "_row");
    if (count++ > 0) append(name, count - 1);
    blocks_[row_level].pointers.emplace_back(buffer, split.row);
    blocks_[row_level].lines.push_back({.kind = LineKind::kPointer, .name = std::move(name), .buffer = buffer, .row = split.row});
  }

  /// What is known to be >= 0 here because the loops around run.
  std::vector<Sym> active_guards() const {
    std::vector<Sym> active;
    for (const Block& b : blocks_)
      if (const Sym guard = trip_guard(b); !guard.is_constant()) active.push_back(guard);
    return active;
  }
  /// The block that has a name for the value, right or not; -1: none.
  int level_named(const UOp* u) const {
    for (int level = here(); level >= 0; --level)
      if (blocks_[level].values.contains(u)) return level;
    return -1;
  }
  bool is_named(const UOp* u, const std::vector<Sym>& active) const {
    const int level = level_named(u);
    if (level < 0) return false;
    const Block::Named& named = blocks_[level].values.at(u);
    return !named.stale && guards_met(named, active) != nullptr;
  }
  /// The list of guards that holds here, or null.
  static const std::vector<Sym>* guards_met(const Block::Named& named, const std::vector<Sym>& active) {
    for (const std::vector<Sym>& guards : named.guards)
      if (std::all_of(guards.begin(), guards.end(), [&](Sym g) { return contains(active, g); })) return &guards;
    return nullptr;
  }

  /// The level a load may go to: not out of an If it stands in, and out of a loop that may run zero times only with a guard. That
  /// holds for loads with a mask too, since the loops and Ifs around them have taken parts of the mask away.
  void place_load(Place& place) {
    for (int level = here(); level > place.level; --level) {
      if (blocks_[level].conditional) place.level = level;
      if (const Sym guard = trip_guard(blocks_[level]); !guard.is_constant()) place.level = std::max(place.level, level_of(guard));
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
        level = level_named(s);
        const std::vector<Sym>* guards = guards_met(blocks_[level].values.at(s), active_guards());
        HARP_ASSERT(guards != nullptr, "a value is used where it was not computed");
        for (Sym g : *guards)
          if (!contains(place.guards, g)) place.guards.push_back(g);
      }
      place.level = std::max(place.level, level);
      for (int a : accumulators_of_[s])
        if (std::find(accumulators.begin(), accumulators.end(), a) == accumulators.end()) accumulators.push_back(a);
    }
    place.level = std::max({place.level, level_of(u->index), level_of(u->lane_step)});
    if (u->kind == UKind::kAcc) {
      accumulators.push_back(u->buffer);
      place.level = std::max(place.level, acc_level_[u->buffer]);
    }
    if (u->kind == UKind::kLoad) place_load(place);
    // A name farther out would be hidden by the one in sight, which then has to serve both (see widen).
    place.level = std::max(place.level, level_named(u));
    return place;
  }

  /// Values that have no name yet, sources first.
  std::vector<const UOp*> pending(std::span<const UOp* const> roots) const {
    std::vector<const UOp*> found, stack(roots.begin(), roots.end());
    std::unordered_set<const UOp*> seen;
    const std::vector<Sym> active = active_guards();
    while (!stack.empty()) {
      const UOp* u = stack.back();
      stack.pop_back();
      if (is_named(u, active) || !seen.insert(u).second) continue;
      found.push_back(u);
      for (const UOp* s : u->sources) stack.push_back(s);
    }
    std::sort(found.begin(), found.end(), [](const UOp* a, const UOp* b) { return a->id < b->id; });
    return found;
  }

  /// Names everything the roots need that deserves a name; with `name_roots` the roots too.
  void need(std::span<const UOp* const> roots, bool name_roots = false) {
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
    define_offsets(u->lane_step);
    if (u->kind == UKind::kLoad)
      define_address(u->buffer, u->index, place.level);
    else
      define_offsets(u->index);
    if (u->kind == UKind::kSplat || is_trivial(u)) {
      for (const UOp* s : u->sources)
        if (const auto p = planned.find(s); p != planned.end()) place.size += p->second.size;
      return;
    }
    place.size = u->kind == UKind::kCall || u->op == Op::kFma || u->op == Op::kWhere ? 2 : 1;
    for (const UOp* s : u->sources)
      if (const auto p = planned.find(s); p != planned.end()) place.size += p->second.size;
    // A name that is no longer right would still be in sight, so that value gets another.
    const bool named = uses_[u] > 1 || place.hoisted || (place.size > kLargestExpression && !is_root) || !place.guards.empty() ||
                       u->kind == UKind::kRarely || level_named(u) >= 0;
    if (!named) return;
    place.size = 0;
    if (widen(u, place)) return;
    for (Block& b : blocks_) b.values.erase(u);
    Block& block = blocks_[place.level];
    block.values[u] = {.guards = {place.guards}};
    // Only a load has to be kept from happening; what is computed from it may be computed from anything.
    block.lines.push_back({.kind = LineKind::kLet,
                           .name = cat("alu", value_count_++),
                           .value = u,
                           .guards = u->kind == UKind::kLoad ? place.guards : std::vector<Sym>{}});
  }

  /// A value that has a name in the block it belongs to, but for other loops than the one it is needed in now: the line that names it
  /// serves both. (A second name in the same block would be in front of both loops, and the first loop would use it.)
  bool widen(const UOp* u, const Place& place) {
    Block& block = blocks_[place.level];
    const auto found = block.values.find(u);
    if (found == block.values.end() || found->second.stale) return false;
    found->second.guards.push_back(place.guards);
    const auto line = std::find_if(block.lines.rbegin(), block.lines.rend(),
                                   [&](const Line& l) { return l.kind == LineKind::kLet && l.value == u; });
    HARP_ASSERT(line != block.lines.rend(), "a named value without a line");
    if (line->guards.empty()) return true;
    const auto all = [](const std::vector<Sym>& guards) {
      Sym condition = guards[0];
      for (Sym g : guards) condition = min(condition, g);
      return condition;
    };
    line->guards = place.guards.empty() ? std::vector<Sym>{} : std::vector<Sym>{max(all(line->guards), all(place.guards))};
    return true;
  }

  /// The accumulator changes: values made from it are no longer its values.
  void forget(int accumulator) {
    for (Block& b : blocks_)
      for (auto& [u, named] : b.values) {
        const std::vector<int>& used = accumulators_of_[u];
        named.stale |= std::find(used.begin(), used.end(), accumulator) != used.end();
      }
  }

  void statements(const std::vector<Stmt*>& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      // An output may take the place of an input (in-place elementwise): in a run of stores everything is read before the first.
      if (body[i]->kind == StmtKind::kStore && (i == 0 || body[i - 1]->kind != StmtKind::kStore))
        for (size_t next = i + 1; next < body.size() && body[next]->kind == StmtKind::kStore; ++next) name_loads(*body[next]);
      statement(*body[i]);
    }
  }

  void name_loads(const Stmt& store) {
    std::vector<const UOp*> roots{store.value}, loads;
    if (store.mask != nullptr) roots.push_back(store.mask);
    for (const UOp* u : pending(roots))
      if (u->kind == UKind::kLoad) loads.push_back(u);
    need(loads, true);
  }

  std::vector<Line> inside(const std::vector<Stmt*>& body, Block block) {
    blocks_.push_back(std::move(block));
    statements(body);
    std::vector<Line> lines = std::move(blocks_.back().lines);
    blocks_.pop_back();
    return lines;
  }
  void append_lines(std::vector<Line> lines) { std::move(lines.begin(), lines.end(), std::back_inserter(blocks_.back().lines)); }

  void loop(const Stmt& s) {
    define_offsets(s.begin);
    if (s.loop != LoopKind::kThread) define_offsets(s.end);  // the caller decides where a thread's iterations end
    Block block;
    block.loop = &s;
    block.variable = variable_of(s.variable);
    Line head{.kind = LineKind::kLoop, .name = cat("ridx", loop_count_++), .atom = block.variable, .statement = &s};
    std::vector<Line> body = inside(s.body, std::move(block));
    line(std::move(head));
    append_lines(std::move(body));
    line({.kind = LineKind::kEnd});
  }

  void branch(const Stmt& s) {
    define_offsets(s.condition);
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

  void statement(const Stmt& s) {
    std::vector<const UOp*> roots;
    for (const UOp* root : {s.value, s.mask, s.factor})
      if (root != nullptr) roots.push_back(root);
    need(roots);
    switch (s.kind) {
      case StmtKind::kBlock: statements(s.body); break;
      case StmtKind::kLoop: loop(s); break;
      case StmtKind::kIf: branch(s); break;
      case StmtKind::kStore:
        define_address(s.buffer, s.index, here());
        define_offsets(s.lane_step);
        line({.kind = LineKind::kStore, .statement = &s});
        break;
      case StmtKind::kAccDeclare:
        forget(s.accumulator);
        acc_level_[s.accumulator] = here();
        line({.kind = LineKind::kAccDeclare, .name = cat("acc", s.accumulator), .statement = &s});
        break;
      case StmtKind::kAccUpdate:
        forget(s.accumulator);
        define_offsets(s.index);
        define_offsets(s.lane_step);
        line({.kind = LineKind::kAccUpdate, .name = cat("acc", s.accumulator), .statement = &s});
        break;
      case StmtKind::kAccFold:
        forget(s.accumulator);
        line({.kind = LineKind::kAccFold, .name = cat("acc", s.accumulator, "_folded"), .statement = &s});
        break;
      case StmtKind::kComment: line({.kind = LineKind::kComment, .statement = &s}); break;
    }
  }

  std::vector<std::string> parameters_;
  std::vector<Block> blocks_;
  std::unordered_map<const UOp*, int> uses_;
  std::unordered_map<const UOp*, std::vector<int>> accumulators_of_;
  std::vector<int> acc_level_;
  std::unordered_map<int, int> pointer_count_;
  int value_count_ = 0, offset_count_ = 0, loop_count_ = 0;
};

}  // namespace

Terms terms_of(Sym e) {
  if (e.is_constant()) return {{}, e.constant()};
  return {e.node()->terms, e.node()->constant};
}

bool depends_on(const SymAtom& atom, const SymAtom* variable) {
  if (&atom == variable) return true;
  if (atom.kind == AtomKind::kVariable) return false;
  return harp::depends_on(atom.a, variable) || harp::depends_on(atom.b, variable) ||
         (atom.kind == AtomKind::kSelect && harp::depends_on(atom.c, variable));
}

SplitIndex split_index(Sym index, const SymAtom* innermost) {
  const Terms all = terms_of(index);
  if (innermost == nullptr) return {{}, all};
  SplitIndex split{{}, {{}, all.constant}};
  for (const SymTerm& t : all.terms) {
    const bool inner = std::any_of(t.factors.begin(), t.factors.end(), [&](const SymAtom* f) { return depends_on(*f, innermost); });
    (inner ? split.rest : split.row).terms.push_back(t);
  }
  return split;
}

bool same_row(const Terms& a, const Terms& b) {
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const SymTerm& x, const SymTerm& y) { return x.coefficient == y.coefficient && x.factors == y.factors; });
}

bool is_trivial(const UOp* u) {
  switch (u->kind) {
    case UKind::kConst:
    case UKind::kParam:
    case UKind::kAcc: return true;
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
