// harp.hpp - harp for C++17 and later: header-only, over harp.h, which it needs to be linked with (pkg-config harp).
//
//   Graph, Node, Program        graphs built by hand, with symbolic sizes                          graph.hpp, node.hpp
//   Tensor                      lazy arrays: operations build, looking at elements computes        tensor.hpp
//   grad                        gradients of both                                                  gradient.hpp
//   custom_function, native     functions of your own as operations                                functions.hpp
//   jit                         a function of tensors that is traced once                          jit.hpp
//   Field                       expression templates: D = A * B + C is one loop over memory        field.hpp
//   Context, Buffer             what they live in, and arrays at the edge                          handles.hpp
//   add, exp, sum, conv2d ...   every operation of harp.h, on nodes, tensors and fields alike      operations.hpp
//
// Errors are harp::Error, thrown where the operation is written (error.hpp); without exceptions a handler is called and handles are empty.
// Everything is in the namespace harp. docs/cpp.md is the introduction.
#ifndef HARP_HPP
#define HARP_HPP

#include <harp/field.hpp>
#include <harp/functions.hpp>
#include <harp/gradient.hpp>
#include <harp/graph.hpp>
#include <harp/jit.hpp>
#include <harp/operators.hpp>
#include <harp/tensor.hpp>

#endif  // HARP_HPP
