package harp

// #include "shim.h"
import "C"

// Grad makes nodes that compute the derivative of y, which must have one element, with respect to each of xs. If y does not depend on one
// of them, all results have the error ErrNoGradient: no gradient is silently zero.
func (y Node) Grad(xs ...Node) []Node { return y.grad(Node{}, 0, xs) }

// GradOf is Grad of the sum of y * gradOutput: y may have any shape, and gradOutput has the same shape or is a scalar.
func (y Node) GradOf(gradOutput Node, xs ...Node) []Node { return y.grad(gradOutput, 0, xs) }

// GradOrZero is Grad, but returns zeros for nodes that y does not depend on, or only through integers and bools.
func (y Node) GradOrZero(xs ...Node) []Node {
	return y.grad(Node{}, C.HARP_GRAD_ZERO_WHERE_INDEPENDENT, xs)
}

func (y Node) grad(gradOutput Node, flags C.uint32_t, xs []Node) []Node {
	g, err := enter("grad", append([]Node{y}, xs...), gradOutput)
	if err != nil {
		return failedList(err, len(xs))
	}
	defer g.leave()
	if len(xs) == 0 {
		return nil
	}
	made := make([]*C.harp_node, len(xs))
	return g.madeList(C.harp_grad_flags(y.p, C.int32_t(len(xs)), handles(xs), gradOutput.p, flags, &made[0]), made)
}

// DependsOn reports whether y depends on x, directly or through other nodes.
func (y Node) DependsOn(x Node) bool {
	g, err := enter("depends", []Node{y, x})
	if err != nil {
		return false
	}
	defer g.leave()
	return C.harp_depends(y.p, x.p) != 0
}
