// A sort is an array taken by its own order (graph/sorting.cpp): an argsort of integers made of it, and a gather. Where nothing else reads
// the order, the rows are put in order themselves, without places that would have to come along and keys that would have to be stored.
// It comes before rules that know the integers' arithmetic, since it finds an order by making it.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> sort_values(const Graph& graph);
/// Is it a node that the pass may replace?
bool may_sort_values(const Node& node);

}  // namespace harp::opt
