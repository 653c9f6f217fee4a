// Declares the adjoint rules that need more than one expression, grouped by the file that defines them. The short rules are in the table of
// adjoint.cpp.
#pragma once

#include "grad/adjoint.h"

namespace harp::grad {

// reduce.cpp
NodeRef adjoint_of_sum(const Step& step);
NodeRef adjoint_of_prod(const Step& step);
NodeRef adjoint_of_extreme(const Step& step);  // adjoint of max and min

// scan.cpp
NodeRef adjoint_of_cumsum(const Step& step);
NodeRef adjoint_of_cumprod(const Step& step);
NodeRef adjoint_of_running_extreme(const Step& step);  // adjoint of cummax and cummin
NodeRef adjoint_of_logcumsumexp(const Step& step);

// movement.cpp
NodeRef adjoint_of_permute(const Step& step);
NodeRef adjoint_of_expand(const Step& step);
std::vector<int> stretched_axes(NodeRef expand);  // returns the axes, in ascending order, that an Expand enlarges; there is at least one
NodeRef adjoint_of_reshape(const Step& step);
NodeRef adjoint_of_slice(const Step& step);
NodeRef adjoint_of_pad(const Step& step);
NodeRef adjoint_of_concat(const Step& step);

// scatter.cpp: for each kind of scatter, a rule for the array and a rule for the updates
NodeRef scattered_to(const Step& step);
NodeRef scattered_update(const Step& step);
NodeRef added_update(const Step& step);  // rule of scatter_add for the updates; the rule for the array, in adjoint.cpp, returns g itself
NodeRef multiplied(const Step& step);
NodeRef multiplied_update(const Step& step);
NodeRef extreme_of_updates(const Step& step);  // scatter_max and scatter_min
NodeRef extreme_update(const Step& step);

// unfold.cpp
NodeRef adjoint_of_unfold(const Step& step);

}  // namespace harp::grad
