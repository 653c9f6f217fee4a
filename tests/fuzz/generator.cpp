#include "fuzz/generator.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "fuzz/arguments.h"
#include "fuzz/gradient_patterns.h"
#include "fuzz/op_pairs.h"
#include "fuzz/patterns.h"
#include "fuzz/workbench.h"
#include "graph/composites.h"
#include "run/binding.h"

namespace harp::fuzz {
namespace {

constexpr int64_t kMaxWork = 400'000;  // limit on the sum of the element counts of all nodes in one run

/// The operations that random graphs use, divided into groups. The generator first chooses a group and then an operation of it, because
/// otherwise most nodes would be elementwise functions.
struct Rows {
  std::vector<const Operation*> all, structural, arithmetic, leaves;
};

const Rows& rows() {
  static const Rows made = [] {
    Rows rows;
    for (const Operation& row : operations()) {
      if (row.name == name(Op::kNative)) continue;  // graphs are stored as text, which cannot contain native functions
      const auto op = op_from_name(row.name);
      const auto parameters = row.parameters();
      rows.all.push_back(&row);
      if (!takes_array(row)) rows.leaves.push_back(&row);
      const bool moves = std::any_of(parameters.begin(), parameters.end(), [](const Parameter& p) {
        return p.kind == ParameterKind::kIntegers || p.kind == ParameterKind::kSizes || p.kind == ParameterKind::kSections ||
               p.kind == ParameterKind::kNodes || p.name == "axis";
      });
      if (moves && takes_array(row)) rows.structural.push_back(&row);
      if (op && info(*op).family == Family::kElementwise && info(*op).arity >= 2 && info(*op).cost <= 3) rows.arithmetic.push_back(&row);
    }
    return rows;
  }();
  return made;
}

class Generator {
 public:
  Generator(uint64_t seed, WorkbenchOptions options) : seed_(seed), bench_(seed, options), random_(bench_.random()) {}

  std::unique_ptr<Graph> run() {
    const DType main_dtype = random_.chance(45) ? DType::kF32 : bench_.random_dtype();
    for (uint64_t i = 0, n = 1 + random_.below(3); i < n; ++i)
      bench_.new_input(random_.chance(70) ? main_dtype : bench_.random_dtype(), bench_.random_shape());
    if (bench_.options().large_constants)
      for (uint64_t i = 0, n = 1 + random_.below(2); i < n; ++i)
        bench_.new_large_constant(random_.chance(70) ? main_dtype : bench_.random_dtype());
    const uint64_t wanted = random_.chance(10) ? 20 + random_.below(25) : 2 + random_.below(12);
    for (uint64_t made = 0, attempts = 0; made < wanted && attempts < wanted * 12; ++attempts) made += add();
    // Whether there are gradients is drawn from a separate stream of random numbers, so that this draw does not change the other nodes of a
    // seed's graph.
    if (Random(seed_, "gradients").chance(20)) add_gradients(bench_);
    choose_outputs();
    return bench_.take();
  }

 private:
  bool add() {
    const uint64_t kind = random_.below(100);
    if (kind < 8) return add_formula(bench_);
    if (kind < 12) return bench_.keep_any(try_operation(bench_, *random_.pick(rows().leaves), nullptr));
    if (kind < 22) return add_again(bench_);
    if (kind < 46) {
      if (!add_pair(bench_, next_pair())) return false;
      of_pairs_.insert(bench_.nodes().back());
      return true;
    }
    const Operation& row = *random_.pick(kind < 66 ? rows().structural : kind < 80 ? rows().arithmetic : rows().all);
    if (!takes_array(row)) return bench_.keep_any(try_operation(bench_, row, nullptr));
    const bool scalar_too = random_.chance(10);
    NodeRef primary = bench_.find([&](NodeRef node) { return may_take(row, node->dtype) && (scalar_too || node->rank() > 0); });
    if (primary == nullptr || random_.chance(10)) {
      DType dtype = bench_.random_dtype();
      while (!may_take(row, dtype)) dtype = bench_.random_dtype();
      const bool can_cast = primary != nullptr && (is_complex(dtype) || !is_complex(primary->dtype));
      primary = can_cast && random_.chance(50) ? build::cast(primary, dtype) : bench_.new_array(dtype, bench_.random_shape());
    }
    return bench_.keep_any(try_operation(bench_, row, primary));
  }

  /// Returns the next pair to build, in a scattered order: many seeds together use all pairs equally often, and even a few seeds use pairs
  /// of different kinds. The two multipliers are primes larger than any factor of the number of pairs.
  const OpPair& next_pair() { return legal_pairs()[(seed_ * 1000003 + pairs_made_++ * 15485863) % legal_pairs().size()]; }

  /// Chooses the outputs of the graph: the nodes that patterns have requested, some of the nodes without consumers, and sometimes a node
  /// with consumers.
  void choose_outputs() {
    std::vector<bool> is_used(bench_.graph().nodes().size(), false);
    for (const NodeRef node : bench_.nodes())
      for (const NodeRef source : node->sources) is_used[source->id] = true;
    std::vector<NodeRef> ends, others;
    for (const NodeRef node : bench_.nodes())
      if (node->op != Op::kInput) (is_used[node->id] && !bench_.is_wanted(node) ? others : ends).push_back(node);
    // The consumers that add_pair() has built come first, so that they become outputs: harp does not compile nodes on which no output
    // depends.
    random_.shuffle(ends);
    std::stable_partition(ends.begin(), ends.end(), [this](NodeRef node) { return of_pairs_.contains(node); });
    const auto wanted_end = std::stable_partition(ends.begin(), ends.end(), [this](NodeRef node) { return bench_.is_wanted(node); });
    const size_t wanted = static_cast<size_t>(wanted_end - ends.begin()), most = wanted + (random_.chance(40)   ? 1
                                                                                           : random_.chance(50) ? 3
                                                                                                                : 8);
    if (ends.size() > most) ends.resize(most);
    if (!others.empty() && random_.chance(30)) ends.push_back(random_.pick(others));
    if (ends.empty()) ends.push_back(bench_.nodes()[0]);  // makes an input the only output
    if (random_.chance(3)) ends.push_back(ends[0]);       // makes the same node two outputs
    int number = 0;
    for (const NodeRef node : ends) bench_.graph().add_output(cat("y", number++), node);
  }

  uint64_t seed_;
  uint64_t pairs_made_ = 0;
  std::set<NodeRef> of_pairs_;
  Workbench bench_;
  Random& random_;
};

constexpr int64_t kValues[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 257, 300, 1025, 4097};

}  // namespace

bool is_runnable(const Graph& graph, const std::vector<int64_t>& sizes) {
  const std::vector<Sym> variables = graph.dims().variables();
  const auto value_of = [&](const SymAtom& atom) {
    for (size_t i = 0; i < variables.size(); ++i)
      if (variable_of(variables[i]) == &atom) return sizes[i];
    return int64_t{-1};
  };
  try {
    const Binding binding(std::make_shared<const Signature>(signature_of(graph)));
    binding.check_values(sizes);
    int64_t work = 0;
    const auto add = [&](const Node* node) {
      int64_t count = 1;
      for (const Dim dim : node->shape) {
        const int64_t size = evaluate(dim, value_of);
        if (size < 0 || __builtin_mul_overflow(count, size, &count) || count > kMaxWork) return false;
      }
      work += node->rank() == 0 ? 0 : count;
      return true;
    };
    for (const Node* input : graph.inputs())  // inputs count as work even if no output needs them, because their data is generated
      if (!add(input)) return false;
    for (const Node* node : graph.live_nodes())
      if (!add(node)) return false;
    return work <= kMaxWork;
  } catch (const Error& error) {
    if (error.code == Code::kInternal) throw;
    return false;
  }
}

std::vector<std::vector<int64_t>> runnable_sizes(const Graph& graph, uint64_t seed, size_t wanted) {
  const size_t variables = graph.dims().variables().size();
  std::vector<std::vector<int64_t>> found;
  if (variables == 0) {
    if (is_runnable(graph, {})) found.emplace_back();
    return found;
  }
  Random random(seed, "sizes");
  for (int attempt = 0; attempt < 40 && found.size() < wanted; ++attempt) {
    std::vector<int64_t> values;
    for (size_t i = 0; i < variables; ++i) {
      // Prefers sizes near the lower bound, because sizes 0, 1 and 2 cause the most errors.
      const SymRange bounds = range(graph.dims().variables()[i]);
      const int64_t value = random.chance(35) ? bounds.lo + random.between(0, 2) : random.pick(kValues);
      values.push_back(std::clamp(value, bounds.lo, bounds.hi));
    }
    if (std::find(found.begin(), found.end(), values) == found.end() && is_runnable(graph, values)) found.push_back(values);
  }
  return found;
}

Case random_case(uint64_t seed) {
  for (uint64_t attempt = 0;; ++attempt) {
    // each attempt draws another graph, until one is found that can be run at some list of sizes
    const uint64_t own = seed + attempt * 0x100000001;
    Random random(own, "case");
    WorkbenchOptions options;
    options.variables = random.chance(55) ? 0 : 1 + random.chance(35);
    options.broadcast = random.chance(35);
    options.large_axes = random.chance(14);
    options.empty_axes = random.chance(8);
    options.max_rank = random.chance(20) ? 5 : 3;
    // Drawn after the other options, so that an old seed still gives the same graph apart from these two options.
    options.promote_mixed = random.chance(15);
    options.large_constants = random.chance(12);
    Case test;
    test.graph = Generator(own, options).run();
    test.data_seed = own;
    test.sizes = runnable_sizes(*test.graph, own, 3);
    if (!test.sizes.empty()) return test;
    if (attempt > 100) fail(Code::kInternal, "no graph of seed ", seed, " can be run");
  }
}

std::array<bool, kTraitCount> traits_of(const Case& test) {
  std::array<bool, kTraitCount> traits{};
  traits[kMultiOutput] = test.graph->outputs().size() > 1;
  for (const Node* node : test.graph->live_nodes()) {
    traits[kReduces] |= is_reduce(node->op);
    traits[kViews] |= is_movement(node->op);
    for (const Dim dim : node->shape) {
      traits[kSymbolic] |= !dim.is_constant();
      traits[kEmpty] |= dim.is_constant(0);
    }
  }
  // A shape also counts as empty if it is empty at only one of the tested lists of sizes.
  const std::vector<Sym> variables = test.graph->dims().variables();
  for (const std::vector<int64_t>& sizes : test.sizes)
    for (const Node* node : test.graph->live_nodes())
      for (const Dim dim : node->shape)
        traits[kEmpty] |= evaluate(dim, [&](const SymAtom& atom) {
                            for (size_t i = 0; i < variables.size(); ++i)
                              if (variable_of(variables[i]) == &atom) return sizes[i];
                            return int64_t{-1};
                          }) == 0;
  return traits;
}

}  // namespace harp::fuzz
