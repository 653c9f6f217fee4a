// harp.hpp - the C++17 interface of harp: header-only, built on harp.h. Programs link with libharp (pkg-config harp).
//
//   Graph, Node, Program        explicit graphs with symbolic sizes                                graph.hpp, node.hpp
//   Tensor                      lazy arrays: operations build a graph, reading elements runs it    tensor.hpp
//   grad                        gradients of nodes and tensors                                     gradient.hpp
//   jit                         a function of tensors that is traced once                          jit.hpp
//   Field                       expression templates: D = A * B + C is one loop over memory        field.hpp
//                               in CUDA sources: one kernel, which nvcc compiles                   assignment.hpp
//   Context, Buffer             the context to which all objects belong; input and output arrays   handles.hpp
//   add, exp, sum, conv2d ...   every operation of harp.h, on nodes and tensors; on fields, too,   operations.hpp
//                               unless it takes a list of arrays or has several results
//
// Errors are harp::Error, thrown by the operation that fails (error.hpp). If exceptions are disabled, a handler is called instead, and the
// operation returns an empty handle. Everything is in the namespace harp. docs/cpp.md is the introduction.
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
