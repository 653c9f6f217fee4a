// Implements strip-mining: a long loop becomes a loop over chunks, which are distributed among threads, around a loop over the elements of
// a chunk.
#include <algorithm>

#include "ir/rewrite.h"

namespace harp::ir {

std::pair<Loop*, Loop*> strip_mine(Arena& arena, Loop* loop, int64_t chunk) {
  const Store& store = *as<Store>(loop->body[0]);
  const int64_t line = store.nontemporal ? std::max<int64_t>(1, kLineBytes / static_cast<int64_t>(size_of(store.value->type.dtype))) : 1;
  Loop* chunks = new_loop(arena, "chunk", 0, ceil_div(loop->end + (line - 1), chunk));
  Sym begin = chunks->variable * chunk, end = min(begin + chunk, loop->end);
  Define* define = nullptr;
  if (store.nontemporal) {
    define = arena.statement<Define>();
    define->value = arena.line_offset(store.buffer, substitute(store.index, {{variable_of(loop->variable), 0}}));
    define->variable = arena.syms().loop("before", 0, line);
    end = min(begin + chunk - define->variable, loop->end);
    // `before`, the number of elements from the start of the cache line to the first element, moves all chunks to the left. The last chunk
    // may therefore be empty, and its begin must not exceed the end of the loop.
    begin = min(max(begin - define->variable, 0), loop->end);
  }
  Loop* inner = new_loop(arena, "ridx0", begin, end);
  Substituter over(arena, {{variable_of(loop->variable), inner->variable}});
  inner->body = over(loop->body);
  inner->axis = loop->axis;
  inner->tags = loop->tags;
  (define != nullptr ? define->body : chunks->body) = {inner};
  if (define != nullptr) chunks->body = {define};
  return {chunks, inner};
}

}  // namespace harp::ir
