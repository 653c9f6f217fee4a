#include "opt/passes.h"

#include "opt/compose_views.h"
#include "opt/fold_constants.h"
#include "opt/remove_dead_code.h"
#include "opt/simplify_algebra.h"

namespace harp::opt {
namespace {

constexpr Pass kPasses[] = {
    {"fold_constants", fold_constants, "what depends on constants only is computed now"},
    {"simplify_algebra", simplify_algebra, "identities that keep every bit"},
    {"compose_views", compose_views, "two movement nodes in a row become one"},
    {"remove_dead_code", remove_dead_code, "nodes that no output needs go"},
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

const Pass* find_pass(std::string_view name) {
  for (const Pass& pass : kPasses)
    if (pass.name == name) return &pass;
  return nullptr;
}

}  // namespace harp::opt
