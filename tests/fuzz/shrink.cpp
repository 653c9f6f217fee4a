#include "fuzz/shrink.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/error.h"
#include "fuzz/isolated.h"
#include "fuzz/rebuild.h"
#include "graph/text.h"

namespace harp::fuzz {
namespace {

size_t weight(const Job& job) {
  size_t weight = job.test.sizes.size() + job.variants.size() + job.test.graph->outputs().size();
  for (const Node* node : job.test.graph->live_nodes()) weight += 10 + static_cast<size_t>(node->rank());
  for (const std::vector<int64_t>& sizes : job.test.sizes)
    for (const int64_t size : sizes) weight += static_cast<size_t>(size > 0) + static_cast<size_t>(size > 2);
  for (const char c : print_graph(*job.test.graph)) weight += std::isdigit(static_cast<unsigned char>(c)) != 0;
  return weight;
}

/// Adds the graph of this text as a candidate, with those lists of sizes that are valid for it. The parser creates new size expressions, so
/// the candidate does not depend on the original graph.
void propose(std::vector<Job>& candidates, const Job& job, const std::string& text) {
  try {
    Job candidate = job;
    candidate.test.graph = parse_graph(text);
    candidate.test.sizes.clear();
    // Shape variables may have disappeared, so values are matched by name.
    const std::vector<Sym> before = job.test.graph->dims().variables(), after = candidate.test.graph->dims().variables();
    for (const std::vector<int64_t>& sizes : job.test.sizes) {
      std::vector<int64_t> kept;
      for (const Sym& variable : after)
        for (size_t i = 0; i < before.size(); ++i)
          if (variable_of(before[i])->name == variable_of(variable)->name) kept.push_back(sizes[i]);
      if (kept.size() == after.size() && is_runnable(*candidate.test.graph, kept)) candidate.test.sizes.push_back(kept);
    }
    if (!candidate.test.sizes.empty()) candidates.push_back(std::move(candidate));
  } catch (const Error&) {  // the text is no valid graph, so it is no candidate
  }
}
void propose(std::vector<Job>& candidates, const Job& job, const std::shared_ptr<Graph>& graph) {
  if (graph != nullptr) propose(candidates, job, print_graph(*graph));
}

// Kinds of simplification

std::vector<Job> fewer_runs(const Job& job) {
  std::vector<Job> candidates;
  for (const BuildVariant& variant : job.variants) {
    if (job.variants.size() == 1) break;
    Job candidate = job;
    candidate.variants = {variant};
    candidates.push_back(std::move(candidate));
  }
  for (const std::vector<int64_t>& sizes : job.test.sizes) {
    if (job.test.sizes.size() == 1) break;
    Job candidate = job;
    candidate.test.sizes = {sizes};
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

std::vector<Job> simpler_variants(const Job& job) {
  std::vector<Job> candidates;
  for (size_t i = 0; i < job.variants.size(); ++i) {
    const auto with = [&](auto change) {
      Job candidate = job;
      change(candidate.variants[i]);
      if (to_string(candidate.variants[i]) != to_string(job.variants[i])) candidates.push_back(std::move(candidate));
    };
    with([](BuildVariant& v) { v = BuildVariant(); });
    with([](BuildVariant& v) { v.pool = false; });
    with([](BuildVariant& v) { v.workers = 0, v.pool = false; });
    with([](BuildVariant& v) { v.in_place = false; });
    with([](BuildVariant& v) { v.partition = v.overlap = true; });
    with([](BuildVariant& v) { v.disabled_rules.clear(); });
    with([](BuildVariant& v) { v.simd_width = 0; });
    with([](BuildVariant& v) { v.compiler.target.clear(); });
    with([](BuildVariant& v) { v.compiler.vectors_written = false; });
    with([](BuildVariant& v) { v.compiler.optimisation = 1; });
    with([](BuildVariant& v) { v.plain_text = false; });
  }
  return candidates;
}

std::vector<Job> fewer_outputs(const Job& job) {
  std::vector<Job> candidates;
  const auto outputs = job.test.graph->outputs();
  for (const GraphOutput& output : outputs) {
    if (outputs.size() == 1) break;
    propose(candidates, job, Rebuild(*job.test.graph).with_outputs({output}));
    std::vector<GraphOutput> others;
    for (const GraphOutput& other : outputs)
      if (other.name != output.name) others.push_back(other);
    propose(candidates, job, Rebuild(*job.test.graph).with_outputs(others));
  }
  return candidates;
}

/// Proposes graphs whose only output is an intermediate result of the original graph.
std::vector<Job> earlier_outputs(const Job& job) {
  std::vector<Job> candidates;
  for (const Node* node : job.test.graph->live_nodes())
    if (node->op != Op::kInput && node->op != Op::kConstant) propose(candidates, job, Rebuild(*job.test.graph).with_outputs({{"y", node}}));
  return candidates;
}

std::vector<Job> fewer_nodes(const Job& job) {
  std::vector<Job> candidates;
  const std::vector<GraphOutput> outputs(job.test.graph->outputs().begin(), job.test.graph->outputs().end());
  for (const Node* node : job.test.graph->live_nodes()) {
    if (node->op == Op::kConstant) continue;
    if (node->op != Op::kInput) {
      Rebuild rebuild(*job.test.graph);
      rebuild.replace_by_input(node);
      propose(candidates, job, rebuild.with_outputs(outputs));
    }
    Rebuild constant(*job.test.graph);
    constant.replace_by_constant(node);
    propose(candidates, job, constant.with_outputs(outputs));
    for (size_t i = 0; i < node->sources.size(); ++i) {
      if (node->sources[i]->dtype != node->dtype || node->sources[i]->shape != node->shape) continue;
      Rebuild bypass(*job.test.graph);
      bypass.replace_by_source(node, i);
      propose(candidates, job, bypass.with_outputs(outputs));
    }
  }
  return candidates;
}

std::vector<Job> smaller_variables(const Job& job) {
  std::vector<Job> candidates;
  for (size_t run = 0; run < job.test.sizes.size(); ++run)
    for (size_t i = 0; i < job.test.sizes[run].size(); ++i)
      for (const int64_t divisor : {4, 2, 0})
        if (const int64_t size = job.test.sizes[run][i]; size > 0) {
          Job candidate = job;
          candidate.test.sizes[run][i] = divisor == 0 ? size - 1 : size / divisor;
          if (is_runnable(*candidate.test.graph, candidate.test.sizes[run])) candidates.push_back(std::move(candidate));
        }
  return candidates;
}

/// For each integer in the text, proposes graphs in which all occurrences of that integer are replaced by the same smaller one, so that
/// sizes that must be equal stay equal. Also proposes graphs in which a shape variable is replaced by its value.
std::vector<Job> smaller_numbers(const Job& job) {
  const std::string text = print_graph(*job.test.graph);
  const size_t begin = text.find("graph");
  std::set<int64_t> numbers;
  const auto is_part = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '"'; };
  const auto each_number = [&](auto visit) {
    std::string out = text.substr(0, begin);
    for (size_t i = begin; i < text.size();) {
      size_t end = i;
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
      if (end == i || is_part(text[i - 1]) || (end < text.size() && is_part(text[end])) || end - i > 9) {
        const size_t next = std::max(end, i + 1);
        out += text.substr(i, next - i);
        i = next;
        continue;
      }
      out += cat(visit(std::stoll(text.substr(i, end - i))));
      i = end;
    }
    return out;
  };
  each_number([&](int64_t value) { return numbers.insert(value), value; });
  std::vector<Job> candidates;
  for (const int64_t number : numbers)
    for (const int64_t smaller : {int64_t{1}, int64_t{2}, number / 2, number - 1})
      if (smaller > 0 && smaller < number) propose(candidates, job, each_number([&](int64_t v) { return v == number ? smaller : v; }));
  // proposes a graph in which this shape variable is replaced by its value
  for (const Sym& variable : job.test.graph->dims().variables()) {
    const std::string& name = variable_of(variable)->name;
    if (job.test.sizes.size() != 1) break;
    const auto variables = job.test.graph->dims().variables();
    const auto at = static_cast<size_t>(std::find(variables.begin(), variables.end(), variable) - variables.begin());
    std::string fixed;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool is_name = text.compare(i, name.size(), name) == 0 && (i == 0 || !is_part(text[i - 1])) &&
                           (i + name.size() == text.size() || !is_part(text[i + name.size()]));
      if (!is_name) {
        fixed += text[i];
        continue;
      }
      append(fixed, job.test.sizes[0][at]);
      i += name.size() - 1;
      // skips the bounds in the declaration of the variable
      if (text.compare(i + 1, 4, " in ") == 0) i = text.find_first_of(",]\n", i + 1) - 1;
    }
    propose(candidates, job, fixed);
  }
  return candidates;
}

}  // namespace

Shrunk shrink(Job job, Outcome result, int most_candidates) {
  Shrunk best{std::move(job), std::move(result), 0};
  using Kind = std::vector<Job> (*)(const Job&);
  constexpr Kind kKinds[] = {fewer_runs, fewer_outputs, earlier_outputs, fewer_nodes, smaller_variables, smaller_numbers, simpler_variants};
  IsolationOptions options;
  options.batch_timeout = std::chrono::seconds(best.outcome.verdict == Verdict::kTimeout ? 15 : 60);
  for (bool improved = true; improved && best.tried < most_candidates;) {
    improved = false;
    for (const Kind kind : kKinds) {
      for (bool again = true; again && best.tried < most_candidates;) {
        again = false;
        std::vector<Job> candidates = kind(best.job);
        std::stable_sort(candidates.begin(), candidates.end(), [](const Job& a, const Job& b) { return weight(a) < weight(b); });
        const size_t now = weight(best.job);
        const bool may_weigh_as_much = kind == simpler_variants;
        std::erase_if(candidates, [&](const Job& c) { return may_weigh_as_much ? weight(c) > now : weight(c) >= now; });
        if (candidates.size() > 60) candidates.resize(60);
        best.tried += static_cast<int>(candidates.size());
        const std::vector<Outcome> results = check_isolated(candidates, options);
        for (size_t i = 0; i < candidates.size() && !again; ++i)
          if (results[i].verdict == best.outcome.verdict) {
            best.job = candidates[i];
            best.outcome = results[i];
            improved = again = true;
          }
      }
    }
  }
  return best;
}

}  // namespace harp::fuzz
