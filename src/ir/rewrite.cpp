// Implements substitution, and the loop rewrites that need only a few lines. rewrite.h names the files of the other rewrites.
#include "ir/rewrite.h"

#include <utility>

#include "base/error.h"
#include "ir/depth_first.h"

namespace harp::ir {

namespace {

// Maximum number of interleaved vectors that unroll_and_jam() writes as separate statements. More vectors become a loop, which gcc unrolls.
// For 32 vectors the loop halves the compile time.
constexpr int kMaxStatements = 16;

}  // namespace

Sym Substituter::operator()(Sym e) { return symbols_.empty() ? e : substitute(e, symbols_); }

const UOp* Substituter::operator()(const UOp* root) {
  if (root == nullptr) return nullptr;
  return make_in_order(root, memo_, [&](const UOp* u) {
    std::vector<const UOp*> sources;
    for (const UOp* source : u->sources) sources.push_back(memo_[source]);
    return rebuild(*u, std::move(sources));
  });
}

const UOp* Substituter::rebuild(const UOp& u, std::vector<const UOp*> sources) {
  if (u.type.lanes == 1) {  // the builders of the arena simplify the result, but most of them make only values of one lane
    switch (u.kind) {
      case UKind::kIndex: return arena_.index((*this)(u.index));
      case UKind::kInRange: return arena_.in_range((*this)(u.index));
      case UKind::kLoad: return arena_.load(u.type.dtype, u.buffer, (*this)(u.index), sources.empty() ? nullptr : sources[0]);
      case UKind::kGather:
        return arena_.gather(u.type.dtype, u.buffer, (*this)(u.index), sources[0], (*this)(u.stride),
                             sources.size() > 1 ? sources[1] : nullptr);
      case UKind::kCheck:
        return arena_.check(u.buffer, (*this)(u.index), sources[0], sources[1], sources[2], sources.size() > 3 ? sources[3] : nullptr);
      case UKind::kAlu: return arena_.alu(u.op, u.type.dtype, std::move(sources));
      default: break;
    }
  }
  UOp copy = u;
  copy.index = (*this)(u.index);
  copy.lane_step = (*this)(u.lane_step);
  copy.stride = (*this)(u.stride);
  copy.sources = std::move(sources);
  return arena_.intern(std::move(copy));
}

Body Substituter::operator()(const Body& body) {
  Body copy_of_body;
  for (const Stmt* s : body) copy_of_body.push_back(copy(s));
  return copy_of_body;
}

Stmt* Substituter::copy(const Stmt* s) {
  return visit(*s, Overloaded{
                       [&](const Loop& loop) -> Stmt* { return copy_loop(loop); },
                       [&](const auto& other) -> Stmt* {
                         auto* result = arena_.statement(other);
                         for_each_position(*result, [&](Sym& e) { e = (*this)(e); });
                         for_each_value(*result, [&](const UOp*& u) { u = (*this)(u); });
                         for_each_body(*result, [&](Body& body) { body = (*this)(body); });
                         return result;
                       },
                   });
}

Loop* Substituter::copy_loop(const Loop& loop) {
  Loop* result = arena_.statement(loop);
  for_each_position(*result, [&](Sym& e) { e = (*this)(e); });
  if (result->begin == loop.begin && result->end == loop.end) {
    result->body = (*this)(loop.body);
    return result;
  }
  const SymAtom* old_variable = variable_of(loop.variable);
  result->variable = arena_.syms().loop(old_variable->name, result->begin, result->end);
  Substituter inner(arena_, symbols_);
  inner.symbols_[old_variable] = result->variable;
  result->body = inner(loop.body);
  return result;
}

Loop* new_loop(Arena& arena, std::string_view name, Sym begin, Sym end, LoopKind kind) {
  auto* loop = arena.statement<Loop>();
  loop->loop = kind;
  loop->begin = begin;
  loop->end = end;
  loop->variable = arena.syms().loop(name, begin, end);
  return loop;
}

If* new_if(Arena& arena, Sym condition, Body body, Body otherwise) {
  auto* branch = arena.statement<If>();
  branch->condition = condition;
  branch->body = std::move(body);
  branch->otherwise = std::move(otherwise);
  return branch;
}

Retry* new_retry(Arena& arena, Body body, Body otherwise) {
  auto* retry = arena.statement<Retry>();
  retry->body = std::move(body);
  retry->otherwise = std::move(otherwise);
  return retry;
}

std::vector<const Stmt*> statements_of(const Body& body) {
  std::vector<const Stmt*> all(body.begin(), body.end());
  for (size_t i = 0; i < all.size(); ++i)
    for_each_body(*all[i], [&](const Body& inside) { all.insert(all.end(), inside.begin(), inside.end()); });
  return all;
}

std::vector<const UOp*> uops_of(Arena& arena, const Body& body) {
  std::vector<const UOp*> order;
  const uint32_t mark = arena.new_mark();
  const auto enter = [mark](const UOp* u) { return std::exchange(u->mark, mark) != mark; };
  for (const Stmt* s : statements_of(body)) for_each_value(*s, [&](const UOp* u) { append_depth_first(u, enter, order); });
  return order;
}

Body unroll(Arena& arena, const Loop* loop) {
  const Sym length = loop->end - loop->begin;
  HARP_ASSERT(length.is_constant(), "a loop to be unrolled has a constant number of iterations, not ", to_string(length));
  Body result;
  for (int64_t i = 0; i < length.constant(); i += loop->step) {
    Substituter at(arena, {{variable_of(loop->variable), loop->begin + i}});
    for (Stmt* s : at(loop->body)) result.push_back(s);
  }
  return result;
}

Body unroll_and_jam(Arena& arena, const Body& loops, int together) {
  Body result;
  for (Stmt* s : loops) {
    if (auto* loop = as<Loop>(s); loop != nullptr && loop->step > 1) {
      const int64_t step = loop->step * together;
      const Sym whole = loop->begin + floor_div(loop->end - loop->begin, step) * step;
      if (!proven_at_most(whole, loop->begin)) {
        Loop* many = new_loop(arena, variable_of(loop->variable)->name, loop->begin, whole);
        many->step = step;
        const auto written_at = [&](Sym offset, Body& body) {
          Substituter at(arena, {{variable_of(loop->variable), many->variable + offset}});
          for (Stmt* written : at(loop->body)) body.push_back(written);
        };
        if (together > kMaxStatements) {
          Loop* one = new_loop(arena, "vector", 0, step, LoopKind::kUnroll);
          one->step = loop->step;
          written_at(one->variable, one->body);
          many->body.push_back(one);
        } else {
          for (int64_t i = 0; i < step; i += loop->step) written_at(i, many->body);
        }
        result.push_back(many);
        if (proven_at_most(loop->end, whole)) continue;
        loop->begin = whole;
      }
    }
    result.push_back(s);
  }
  return result;
}

}  // namespace harp::ir
