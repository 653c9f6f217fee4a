// Tests gradients on GPUs: first derivatives of expressions that contain every operation with a gradient. Their results must be
// bit-identical to the interpreter's, whose gradients grad_test.cpp compares with differences.
#include "grad/gradient_groups.h"

#include "cuda/checked_programs.h"

using namespace harp;
using namespace harp::cuda_test;

TEST_CASE("G19.every_op/cuda: the gradients of every operation have the interpreter's bits") {
  GpuPrograms programs;
  for (const gradient_test::Group& group : gradient_test::groups()) {
    gradient_test::Model model = gradient_test::gradient_model(gradient_test::maker_of(group), "seed");
    gradient_test::give_out(model);
    fuzz::Case test;
    test.graph = std::move(model.graph);
    test.sizes = {group.sizes};
    test.data_seed = programs.all.size() + 1;
    programs.add(group.inputs, std::move(test), false);
  }
  const std::vector<std::string> wrong = run_emulated(programs.all, Orders::kShuffled);
  for (size_t i = 0; i < wrong.size(); ++i) CHECK_MESSAGE(wrong[i].empty(), programs.all[i].label, ", ", wrong[i]);
}
