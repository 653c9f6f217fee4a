//! Lazy arrays: operations are recorded, and computed when values are needed.
use crate::buffer::Buffer;
use crate::config::Configuration;
use crate::element::Element;
use crate::error::{expect, pair, Error, Result};
use crate::expr::{Dims, Expr};
use crate::generated::codes::{DType, ErrorKind};
use crate::generated::ops;
use crate::graph::GraphNode;
use crate::origins::Why;
use crate::registry::{self, Backend};
use crate::trace::{Home, Node};
use crate::{grad, plan};
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

/// A lazy array with elements of the type `T`. A clone refers to the same array.
///
/// Operations are only recorded; [`realize`](Tensor::realize) compiles and runs them. Compiled programs are looked up by structure: for the
/// same operations on arrays of the same sizes, with any values, only a look-up and a call are needed. Numbers that are operands count as
/// values, too.
///
/// ```
/// # fn main() -> harp::Result<()> {
/// use harp::Tensor;
/// let a = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], [2, 2]);
/// let b = Tensor::from_vec(vec![10.0f32, 20.0], [2]); // shapes broadcast, as ndarray's do
/// let c = &a * &b + 1.0;
/// assert_eq!(c.to_vec()?, [11.0, 41.0, 31.0, 81.0]);
/// assert_eq!((2.0 - c.sum(.., false)).item()?, -162.0);
/// # Ok(())
/// # }
/// ```
///
/// Tensors belong to the thread that made them, and to a backend:
///
/// ```compile_fail,E0277
/// let x = harp::Tensor::from(1.0f32);
/// std::thread::spawn(move || x.item());
/// ```
///
/// Element types are not converted implicitly; use [`cast`](Tensor::cast):
///
/// ```compile_fail,E0277
/// let x = harp::Tensor::from_vec(vec![1.0f32], [1]) + harp::Tensor::from_vec(vec![1.0f64], [1]);
/// ```
///
/// A trace with more than 10,000 operations computes a part of itself, and so does a trace that keeps more than half a GiB of arrays to
/// which nothing else refers. Products that a sum may read later are not computed, since that would round them. [`grad`](Tensor::grad) says
/// what that means for gradients.
pub struct Tensor<T>(pub(crate) Node, PhantomData<T>);

impl<T> Clone for Tensor<T> {
    fn clone(&self) -> Self {
        Tensor(self.0.clone(), PhantomData)
    }
}

impl<T: Element> Tensor<T> {
    /// Makes a tensor of a recorded operation. A tensor without operands may be used with every backend. Fails with
    /// [`ErrorKind::InvalidArgument`] if a size is symbolic.
    pub(crate) fn made(mut node: Node) -> Result<Self> {
        if node.info().is_symbolic() {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!(
                    "expected a tensor whose sizes are numbers, got {}: only Graph and Jit have symbolic sizes",
                    node.info().shape_text()
                ),
            ));
        }
        if matches!(node.0.home, Home::Anywhere) {
            if let Some(inner) = Rc::get_mut(&mut node.0) {
                inner.home = Home::AnyBackend;
            }
        }
        Ok(Tensor(node, PhantomData))
    }

    /// The two results of an operation that gives values and indices.
    pub(crate) fn made_pair<U: Element>(nodes: Vec<Node>) -> Result<(Self, Tensor<U>)> {
        let (first, second) = pair(nodes, Tensor::made, Tensor::made);
        Ok((first?, second?))
    }

    /// Makes a tensor of these sizes from elements in row-major order, without a copy (except for complex numbers).
    ///
    /// # Panics
    /// If the sizes do not match the number of elements; [`try_from_vec`](Tensor::try_from_vec) returns the error instead.
    #[track_caller]
    pub fn from_vec(elements: Vec<T>, dims: impl Into<Dims>) -> Self {
        expect(Tensor::try_from_vec(elements, dims))
    }

    /// Like [`from_vec`](Tensor::from_vec), but returns the error instead of panicking.
    pub fn try_from_vec(elements: Vec<T>, dims: impl Into<Dims>) -> Result<Self> {
        Tensor::on(&registry::default_backend()?, elements, dims)
    }

    /// Like [`try_from_vec`](Tensor::try_from_vec), for a backend that is not this thread's default.
    pub fn on(backend: &Rc<Backend>, elements: Vec<T>, dims: impl Into<Dims>) -> Result<Self> {
        let buffer = Buffer::from_vec(elements, dims)?;
        Ok(Tensor(Node::array(buffer, backend.clone()), PhantomData))
    }

    /// An array with values as a tensor, without a copy. Fails with [`ErrorKind::Dtype`] if its elements have another type.
    pub fn from_buffer(buffer: &Buffer) -> Result<Self> {
        Tensor::from_buffer_on(&registry::default_backend()?, buffer)
    }

    /// Like [`from_buffer`](Tensor::from_buffer), for a backend that is not this thread's default.
    pub fn from_buffer_on(backend: &Rc<Backend>, buffer: &Buffer) -> Result<Self> {
        if buffer.dtype() != T::DTYPE {
            return Err(Error::new(ErrorKind::Dtype, format!("expected elements of {}, but the array has {}", T::DTYPE, buffer.dtype())));
        }
        Ok(Tensor(Node::array(buffer.clone(), backend.clone()), PhantomData))
    }

    /// An array of these sizes in which every element is the number.
    #[track_caller]
    pub fn full(value: T, dims: impl Into<Dims>) -> Self {
        expect(ops::full(&Tensor::from(value).0, dims.into()).and_then(Tensor::made))
    }

    /// An array of zeros (false).
    #[track_caller]
    pub fn zeros(dims: impl Into<Dims>) -> Self {
        expect(Tensor::constant(0.0, dims.into()))
    }

    /// An array of ones (true).
    #[track_caller]
    pub fn ones(dims: impl Into<Dims>) -> Self {
        expect(Tensor::constant(1.0, dims.into()))
    }

    /// An array in which every element is `value`, which is 0 or 1: every element type can represent these.
    fn constant(value: f64, dims: Dims) -> Result<Self> {
        ops::full(&GraphNode::constant_of(T::DTYPE, value)?.0, dims).and_then(Tensor::made)
    }

    /// 0, 1, ..., excluding `stop`.
    #[track_caller]
    pub fn arange(stop: impl Into<Expr>) -> Self {
        expect(Tensor::arange_from(0, stop, 1))
    }

    /// start, start + step, ... before `stop` (after it if step < 0).
    pub fn arange_from(start: impl Into<Expr>, stop: impl Into<Expr>, step: i64) -> Result<Self> {
        ops::arange(T::DTYPE, start.into(), stop.into(), step).and_then(Tensor::made)
    }

    /// Arrays joined along an axis.
    #[track_caller]
    pub fn concat(tensors: &[&Tensor<T>], axis: i32) -> Self {
        expect(Tensor::try_concat(tensors, axis))
    }
    /// Like [`concat`](Tensor::concat), but returns the error instead of panicking.
    pub fn try_concat(tensors: &[&Tensor<T>], axis: i32) -> Result<Self> {
        ops::concat(&nodes(tensors), axis).and_then(Tensor::made)
    }
    /// Joins arrays of the same shape along a new axis, which has this position in the result.
    #[track_caller]
    pub fn stack(tensors: &[&Tensor<T>], axis: i32) -> Self {
        expect(Tensor::try_stack(tensors, axis))
    }
    /// Like [`stack`](Tensor::stack), but returns the error instead of panicking.
    pub fn try_stack(tensors: &[&Tensor<T>], axis: i32) -> Result<Self> {
        ops::stack(&nodes(tensors), axis).and_then(Tensor::made)
    }
    /// NumPy's einsum: "ij,jk->ik".
    ///
    /// ```
    /// # fn main() -> harp::Result<()> {
    /// let a = harp::Tensor::from_vec(vec![1.0f64, 2.0, 3.0, 4.0], [2, 2]);
    /// assert_eq!(harp::Tensor::einsum("ij,jk->ik", &[&a, &a])?.to_vec()?, [7.0, 10.0, 15.0, 22.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn einsum(spec: &str, tensors: &[&Tensor<T>]) -> Result<Self> {
        ops::einsum(spec, &nodes(tensors)).and_then(Tensor::made)
    }
    /// NumPy's meshgrid: broadcasts arrays of one axis to the grid that they span. `indexing` is "ij", or "xy" (also None).
    pub fn meshgrid(tensors: &[&Tensor<T>], indexing: Option<&str>) -> Result<Vec<Self>> {
        ops::meshgrid(&nodes(tensors), indexing)?.into_iter().map(Tensor::made).collect()
    }
    /// A custom elementwise operation. The expression refers to the arrays as x0, x1 ...: "where(x0 > 0, x0*x1, exp(x1) - 1)".
    pub fn custom_elementwise(tensors: &[&Tensor<T>], expression: &str) -> Result<Self> {
        ops::custom_elementwise(&nodes(tensors), expression).and_then(Tensor::made)
    }

    /// Its sizes.
    pub fn shape(&self) -> Vec<usize> {
        self.0.info().sizes().iter().map(|&size| size as usize).collect()
    }
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.0.info().sizes().len()
    }
    /// The dtype of its elements in harp.
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }
    /// Reports whether it already has values.
    pub fn is_realized(&self) -> bool {
        self.0.buffer().is_some()
    }

    /// The values: compiles the recorded operations, unless that was done for the same structure before, and runs the program. The tensor
    /// keeps the values, and drops its trace. From now on it is a constant for gradients (PyTorch's `detach`), even if
    /// [`to_vec`](Tensor::to_vec) had computed it before.
    pub fn realize(&self) -> Result<Buffer> {
        self.compute(None, Why::Constant)
    }

    /// Like [`realize`](Tensor::realize), by a program with this configuration. No configuration changes a bit of the values.
    pub fn realize_with_config(&self, configuration: &Configuration) -> Result<Buffer> {
        self.compute(Some(configuration).filter(|&given| *given != Configuration::default()), Why::Constant)
    }

    /// The values, computed because the program reads them. The tensor's sources stay recorded, so that gradients through it fail.
    pub(crate) fn values(&self) -> Result<Buffer> {
        self.compute(None, Why::Values)
    }

    fn compute(&self, configuration: Option<&Configuration>, why: Why) -> Result<Buffer> {
        plan::realize(&[&self.0], configuration, why)?;
        self.0.buffer().ok_or_else(|| Error::new(ErrorKind::Internal, "a realised array has no values"))
    }

    /// Realises several tensors by one program, which computes common parts once. As with [`realize`](Tensor::realize), they are constants
    /// for gradients from now on.
    pub fn realize_all(tensors: &[&Tensor<T>]) -> Result<()> {
        plan::realize(&nodes(tensors), None, Why::Constant)
    }

    /// A copy of the values in row-major order. A tensor that is not computed yet is computed, and keeps the values. It still counts as
    /// computed from its sources, so that [`grad`](Tensor::grad) through it fails instead of leaving something out.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.values()?.into_vec()
    }

    /// The value of an array with one element. Fails with [`ErrorKind::Shape`] if it has another number of elements.
    pub fn item(&self) -> Result<T> {
        if self.0.info().element_count() != Some(1) {
            return Err(Error::new(ErrorKind::Shape, format!("expected one element, but the shape is {}", self.0.info().shape_text())));
        }
        Ok(self.to_vec()?[0])
    }

    /// Gradients of this array, which must have one element, with respect to others; see [`harp_grad`].
    ///
    /// Fails with [`ErrorKind::NoGradient`] if this array does not depend on one of them, or depends on one through an array that was
    /// computed in between: because its values were read ([`to_vec`](Tensor::to_vec), [`item`](Tensor::item), printing), because the trace
    /// had become too large (see [`Tensor`]), or by a [`Jit`](crate::Jit). No gradient silently leaves a part out. Compute gradients before
    /// you read values, or [`realize`](Tensor::realize) what is meant as a constant. Gradients are lazy, too: if values are read after this
    /// call but before the gradients are computed, their computation fails.
    ///
    /// ```
    /// # fn main() -> harp::Result<()> {
    /// let x = harp::Tensor::from_vec(vec![1.0f32, 2.0, 3.0], [3]);
    /// let loss = (&x * &x).sum(.., false);
    /// assert_eq!(loss.grad(&[&x])?[0].to_vec()?, [2.0, 4.0, 6.0]);
    ///
    /// let square = &x * &x;
    /// println!("{}", square); // computes it
    /// let loss = (&square * &x).sum(.., false);
    /// assert_eq!(loss.grad(&[&x]).unwrap_err().kind(), harp::ErrorKind::NoGradient);
    /// square.realize()?; // a constant
    /// assert_eq!(loss.grad(&[&x])?[0].to_vec()?, [1.0, 4.0, 9.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`harp_grad`]: harp_sys
    pub fn grad(&self, with_respect_to: &[&Tensor<T>]) -> Result<Vec<Tensor<T>>> {
        self.grad_with(with_respect_to, None, false)
    }

    /// [`grad`](Tensor::grad) of sum(self * grad_output); with `zero_where_independent` zeros for tensors that this array does not depend
    /// on.
    pub fn grad_with(
        &self,
        with_respect_to: &[&Tensor<T>],
        grad_output: Option<&Tensor<T>>,
        zero_where_independent: bool,
    ) -> Result<Vec<Tensor<T>>> {
        let made = grad::grad(&self.0, &nodes(with_respect_to), grad_output.map(|given| &given.0), zero_where_independent)?;
        made.into_iter().map(Tensor::made).collect()
    }
}

fn nodes<'a, T>(tensors: &[&'a Tensor<T>]) -> Vec<&'a Node> {
    tensors.iter().map(|tensor| &tensor.0).collect()
}

/// A number as a tensor of rank 0.
impl<T: Element> From<T> for Tensor<T> {
    fn from(number: T) -> Self {
        let stored = number.to_stored();
        let mut bytes = [0u64; 2];
        debug_assert!(
            std::mem::size_of::<T::Stored>() <= std::mem::size_of_val(&bytes)
                && std::mem::align_of::<T::Stored>() <= std::mem::align_of_val(&bytes)
        );
        // Safety: an element has at most 16 bytes, none of them padding.
        unsafe {
            std::ptr::copy_nonoverlapping(
                (&stored as *const T::Stored).cast::<u8>(),
                bytes.as_mut_ptr().cast(),
                std::mem::size_of::<T::Stored>(),
            )
        }
        Tensor(Node::number(T::DTYPE, bytes), PhantomData)
    }
}

impl<T> From<&Tensor<T>> for Tensor<T> {
    fn from(tensor: &Tensor<T>) -> Self {
        tensor.clone()
    }
}

/// An array of one axis.
impl<T: Element, const N: usize> From<[T; N]> for Tensor<T> {
    #[track_caller]
    fn from(elements: [T; N]) -> Self {
        Tensor::from(Vec::from(elements))
    }
}

/// A copy, as an array of one axis.
impl<T: Element> From<&[T]> for Tensor<T> {
    #[track_caller]
    fn from(elements: &[T]) -> Self {
        Tensor::from(elements.to_vec())
    }
}

/// An array of one axis.
impl<T: Element> From<Vec<T>> for Tensor<T> {
    #[track_caller]
    fn from(elements: Vec<T>) -> Self {
        let length = elements.len();
        Tensor::from_vec(elements, [length])
    }
}

impl<T: Element> fmt::Debug for Tensor<T> {
    /// Type and sizes; nothing is computed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.is_realized() { "" } else { ", lazy" };
        write!(f, "Tensor<{}>({}{})", T::DTYPE, self.0.info().shape_text(), state)
    }
}

impl<T: Element> fmt::Display for Tensor<T> {
    /// The values, as nested lists; computes them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T: Element>(f: &mut fmt::Formatter<'_>, dims: &[usize], values: &[T]) -> fmt::Result {
            let rows = match dims {
                [] => return write!(f, "{:?}", values[0]),
                [rows, ..] => *rows,
            };
            f.write_str("[")?;
            for row in 0..rows {
                let size = values.len() / rows;
                f.write_str(if row == 0 { "" } else { ", " })?;
                list(f, &dims[1..], &values[row * size..(row + 1) * size])?;
            }
            f.write_str("]")
        }
        match self.to_vec() {
            Ok(values) => list(f, &self.shape(), &values),
            Err(error) => write!(f, "<{}>", error),
        }
    }
}
