// einsum first takes a diagonal for each index that an operand repeats, then contracts two arrays at a time (contract.h). If every size is
// known, the pairs are chosen so that the number of multiplications is smallest; else they are taken from left to right.
#include <algorithm>
#include <bitset>
#include <map>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/einsum_spec.h"

namespace harp::build {
namespace {

// The best order of the contractions is searched for only if there are at most this many arrays. (The search for n arrays tries about 3^n /
// 2 splits.)
constexpr size_t kMaxPlanned = 12;

/// If a label occurs twice in an operand, replaces its two axes by their diagonal, which becomes the last axis.
Labelled without_repeats(NodeRef x, Labels labels) {
  for (size_t i = 0; i < labels.size(); ++i) {
    for (size_t j = i + 1; j < labels.size(); ++j) {
      if (labels[i] != labels[j]) continue;
      HARP_CHECK(x->shape[i] == x->shape[j], Code::kShape, "einsum: ", describe_label(labels[i]), " is ", to_string(x->shape[i]), " and ",
                 to_string(x->shape[j]), " in the same array (", label(x), " of shape ", to_string(x->shape), ")");
      x = diagonal("einsum", x, 0, static_cast<int>(i), static_cast<int>(j));
      const int repeated = labels[i];
      labels.erase(labels.begin() + static_cast<long>(j));
      labels.erase(labels.begin() + static_cast<long>(i));
      labels.push_back(repeated);
      return without_repeats(x, std::move(labels));
    }
  }
  return {x, std::move(labels)};
}

/// Returns the size of every label (an index such as i in "ij,jk->ik"). An array in which a label has size 1 may be broadcast, so the size
/// comes from the other arrays.
std::map<int, Dim> sizes_of(std::span<const Labelled> terms) {
  std::map<int, std::pair<Dim, NodeRef>> found;
  for (const Labelled& term : terms) {
    for (size_t axis = 0; axis < term.labels.size(); ++axis) {
      const Dim size = term.node->shape[axis];
      const auto [at, is_new] = found.try_emplace(term.labels[axis], size, term.node);
      auto& [known, node] = at->second;
      if (is_new || known == size || size.is_constant(1)) continue;
      HARP_CHECK(known.is_constant(1), Code::kShape, "einsum: ", describe_label(term.labels[axis]), " is ", to_string(known), " in ",
                 label(node), " and ", to_string(size), " in ", label(term.node));
      known = size;
      node = term.node;
    }
  }
  std::map<int, Dim> sizes;
  for (const auto& [label, entry] : found) sizes.emplace(label, entry.first);
  return sizes;
}

/// The pairs of arrays to contract, in this order. If there are n arrays, the numbers 0 to n - 1 denote these arrays, and number n + k
/// denotes the result of pair k.
using Plan = std::vector<std::pair<size_t, size_t>>;

Plan left_to_right(size_t count) {
  Plan plan;
  for (size_t i = 1; i < count; ++i) plan.push_back({i == 1 ? 0 : count + i - 2, i});
  return plan;
}

/// Finds the order of pairwise contractions, a binary tree, that has the fewest multiplications, by dynamic programming: for each set of
/// arrays, it tries every way to split the set in two. A set is a binary number whose lowest bit stands for array 0; sets are visited in
/// ascending order. Among equally good trees the first one is kept.
class Planner {
 public:
  Planner(std::span<const Labelled> terms, const Labels& result, const std::map<int, Dim>& sizes) : count_(terms.size()) {
    std::map<int, size_t> number;
    for (const auto& [label, size] : sizes) {
      number.emplace(label, sizes_.size());
      sizes_.push_back(static_cast<double>(size.constant()));
    }
    for (const Labelled& term : terms) {
      Indices indices;
      for (const int label : term.labels) indices.set(number.at(label));
      indices_.push_back(indices);
    }
    for (const int label : result) result_.set(number.at(label));
  }

  Plan run() {
    const size_t all = (size_t{1} << count_) - 1;
    std::vector<Indices> kept(all + 1);
    std::vector<double> cost(all + 1, 0);
    std::vector<size_t> part(all + 1, 0);
    for (size_t set = 1; set <= all; ++set) {
      kept[set] = indices_in(set) & (result_ | indices_in(all & ~set));
      for (size_t first = (0 - set) & set; first != set; first = (first - set) & set) {  // subsets in ascending order
        // Each split is tried once: `first` must be the part that contains the lowest array of the set.
        if ((first & (0 - set) & set) == 0) continue;
        const double total = cost[first] + cost[set & ~first] + volume(kept[first] | kept[set & ~first]);
        if (part[set] != 0 && !(total < cost[set])) continue;
        cost[set] = total;
        part[set] = first;
      }
    }
    Plan plan;
    unroll(all, part, plan);
    return plan;
  }

 private:
  using Indices = std::bitset<80>;  // a set of labels: 52 letters and the axes of an ellipsis

  Indices indices_in(size_t set) const {
    Indices result;
    for (size_t i = 0; i < count_; ++i)
      if (set >> i & 1) result |= indices_[i];
    return result;
  }
  double volume(const Indices& indices) const {
    double result = 1;
    for (size_t i = 0; i < sizes_.size(); ++i)
      if (indices[i]) result *= sizes_[i];
    return result;
  }
  /// Appends the pairs of the best tree for this set of arrays to the plan, and returns the index of the array that is the tree's result.
  /// Recursive, at most kMaxPlanned levels deep.
  size_t unroll(size_t set, const std::vector<size_t>& part, Plan& plan) const {
    if (part[set] == 0) {
      size_t array = 0;
      while ((set >> array & 1) == 0) ++array;
      return array;
    }
    const size_t first = unroll(part[set], part, plan), second = unroll(set & ~part[set], part, plan);
    plan.push_back({first, second});
    return count_ + plan.size() - 1;
  }

  size_t count_;
  std::vector<double> sizes_;
  std::vector<Indices> indices_;
  Indices result_;
};

Plan plan_for(std::span<const Labelled> terms, const Labels& result, const std::map<int, Dim>& sizes) {
  const bool all_known = std::all_of(sizes.begin(), sizes.end(), [](const auto& entry) { return entry.second.is_constant(); });
  if (!all_known || terms.size() < 3 || terms.size() > kMaxPlanned) return left_to_right(terms.size());
  return Planner(terms, result, sizes).run();
}

}  // namespace

NodeRef einsum(std::string_view spec, std::span<const NodeRef> operands) {
  HARP_CHECK(!operands.empty(), Code::kInvalidArgument, "einsum: \"", spec, "\" needs at least one array, got none");
  const DType dtype = common_dtype("einsum", Operands::kNumber, operands);
  EinsumSpec parsed = parse_einsum_spec(spec, operands);
  std::vector<Labelled> terms;
  for (size_t i = 0; i < operands.size(); ++i)
    terms.push_back(without_repeats(cast(operands[i], working_dtype(dtype)), std::move(parsed.operands[i])));
  const std::map<int, Dim> sizes = sizes_of(terms);
  if (terms.size() == 1) return cast(contract(terms[0], parsed.result), dtype);

  const Plan plan = plan_for(terms, parsed.result, sizes);
  std::vector<bool> is_used(operands.size() + plan.size(), false);
  for (const auto& [first, second] : plan) {
    is_used[first] = is_used[second] = true;
    const Labelled a = terms[first], b = terms[second];
    const bool is_last = terms.size() + 1 == operands.size() + plan.size();
    auto is_needed = [&](int label) {
      if (std::find(parsed.result.begin(), parsed.result.end(), label) != parsed.result.end()) return true;
      for (size_t i = 0; i < terms.size(); ++i)
        if (!is_used[i] && std::find(terms[i].labels.begin(), terms[i].labels.end(), label) != terms[i].labels.end()) return true;
      return false;
    };
    Labels kept;
    for (const Labels* labels : {&a.labels, &b.labels})
      for (const int label : *labels)
        if (std::find(kept.begin(), kept.end(), label) == kept.end() && is_needed(label)) kept.push_back(label);
    if (is_last) kept = parsed.result;
    const NodeRef node = contract("einsum", a, b, kept);
    terms.push_back({node, kept});
  }
  return cast(terms.back().node, dtype);
}

}  // namespace harp::build
