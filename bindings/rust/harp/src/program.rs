//! Compiled programs, and the arrays on which they run.
use crate::buffer::{Buffer, Memory};
use crate::element::Plain;
use crate::error::{c_text, check, make_text, text, Error, Result};
use crate::expr::Expr;
use crate::generated::codes::{DType, ErrorKind};
use crate::info::Info;
use crate::native_call::{self, check_outside, Uses};
use harp_sys as sys;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::atomic::AtomicI32;
use std::sync::Arc;

/// A compiled graph. A clone refers to the same program. Threads may share one, and run it at the same time.
///
/// ```
/// fn shared_by_threads<T: Send + Sync>() {}
/// shared_by_threads::<harp::Program>();
/// ```
pub struct Program {
    raw: *mut sys::harp_program,
    uses: Uses,
}

// Safety: harp.h, "Threads": programs may be used by several threads at once.
unsafe impl Send for Program {}
unsafe impl Sync for Program {}

/// An array that a program reads: the elements of a slice, in row-major order.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Array<'a>(sys::harp_const_array, PhantomData<&'a ()>);

/// An array that a program writes.
///
/// The elements are borrowed until the program has run:
///
/// ```compile_fail,E0506
/// let mut y = vec![0.0f32; 3];
/// let out = harp::ArrayMut::new(&mut y, &[3]).unwrap();
/// y[0] = 1.0; // error: out still has it
/// drop(out);
/// ```
#[repr(transparent)]
#[derive(Debug)]
pub struct ArrayMut<'a>(sys::harp_array, PhantomData<&'a mut ()>);

// Safety: borrowed slices of plain elements.
unsafe impl Send for Array<'_> {}
unsafe impl Sync for Array<'_> {}
unsafe impl Send for ArrayMut<'_> {}

/// Fails with [`ErrorKind::Shape`] if there are more axes than an array of harp may have.
pub(crate) fn check_rank(rank: usize) -> Result<()> {
    if rank <= sys::HARP_MAX_RANK as usize {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Shape, format!("expected a shape of at most {} axes, got {}", sys::HARP_MAX_RANK, rank)))
}

fn count_of(dims: &[i64], length: usize) -> Result<i32> {
    let count = dims.iter().try_fold(1usize, |count, &size| count.checked_mul(usize::try_from(size).ok()?));
    check_rank(dims.len())?;
    if count == Some(length) {
        return Ok(dims.len() as i32);
    }
    Err(Error::new(ErrorKind::Shape, format!("expected a shape of {} elements, got {:?}", length, dims)))
}

impl<'a> Array<'a> {
    /// Makes an array of these sizes from a slice. Fails with [`ErrorKind::Shape`] if the sizes do not match the number of elements.
    pub fn new<T: Plain>(elements: &'a [T], dims: &'a [i64]) -> Result<Array<'a>> {
        let rank = count_of(dims, elements.len())?;
        Ok(Array(sys::harp_const_array { data: elements.as_ptr().cast(), dims: dims.as_ptr(), dtype: T::DTYPE as i32, rank }, PhantomData))
    }
}

impl<'a> From<&'a Buffer> for Array<'a> {
    fn from(buffer: &'a Buffer) -> Array<'a> {
        Array(const_array(buffer.info(), buffer.data()), PhantomData)
    }
}

impl<'a> ArrayMut<'a> {
    /// Makes an array of these sizes from a slice. Fails with [`ErrorKind::Shape`] if the sizes do not match the number of elements.
    pub fn new<T: Plain>(elements: &'a mut [T], dims: &'a [i64]) -> Result<ArrayMut<'a>> {
        let rank = count_of(dims, elements.len())?;
        Ok(ArrayMut(sys::harp_array { data: elements.as_mut_ptr().cast(), dims: dims.as_ptr(), dtype: T::DTYPE as i32, rank }, PhantomData))
    }
}

pub(crate) fn const_array(info: &Info, data: *const u8) -> sys::harp_const_array {
    let sizes = info.sizes();
    sys::harp_const_array { data: data.cast(), dims: sizes.as_ptr(), dtype: info.dtype() as i32, rank: sizes.len() as i32 }
}

/// Options of a run.
#[derive(Debug, Default)]
pub struct RunOptions<'a> {
    /// Values of shape variables by name: needed for those that no axis of an input determines.
    pub shape_vars: &'a [(&'a str, i64)],
    /// Memory for intermediate arrays, aligned to 64 bytes; [`Program::workspace_size`] returns the necessary size. With it a run of the
    /// backend "c" allocates nothing.
    pub workspace: Option<&'a mut [MaybeUninit<u8>]>,
    /// Another thread cancels the run by storing a nonzero number: [`ErrorKind::Cancelled`].
    pub cancel: Option<&'a AtomicI32>,
}

/// An input or output of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArrayInfo {
    pub name: String,
    pub dtype: DType,
    /// "[n, 64]"
    pub shape: String,
    /// -1 where the size is symbolic.
    pub dims: Vec<i64>,
    /// For an output: the indices of the inputs with which it may share its array.
    pub in_place: Vec<usize>,
}

/// Facts about a compilation and its result.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ProgramStats {
    pub pipeline_ms: f64,
    pub compile_ms: f64,
    pub kernels: i32,
    pub generations: i32,
    /// Whether the program was found in a cache.
    pub is_cached: bool,
    /// Whether it was compiled with a configuration that the tuner found.
    pub is_tuned: bool,
    pub source_bytes: u64,
    pub artifact_bytes: u64,
}

impl Program {
    /// # Safety
    /// The caller must own the handle, and `uses` must contain everything that the graph's native functions point to.
    pub(crate) unsafe fn from_raw(raw: *mut sys::harp_program, uses: Uses) -> Program {
        Program { raw, uses }
    }

    /// Runs the program. `options` is NULL, or a struct of the C library.
    ///
    /// # Safety
    /// The arrays must stay valid until this returns; meanwhile nothing else may write them, and nothing may read the outputs.
    pub(crate) unsafe fn run_raw(
        &self,
        inputs: &[sys::harp_const_array],
        outputs: &[sys::harp_array],
        options: *const sys::harp_run_options,
    ) -> Result<()> {
        check_outside()?;
        if self.uses.is_some() {
            native_call::begin();
        }
        let outcome =
            check(|error| sys::harp_program_call(self.raw, inputs.len(), inputs.as_ptr(), outputs.len(), outputs.as_ptr(), options, error));
        match outcome {
            Err(error) if self.uses.is_some() && error.kind() == ErrorKind::Native => Err(native_call::explain(error)),
            other => other,
        }
    }

    /// Runs the program on existing arrays, inputs and outputs in the program's order; dtypes and sizes must be those of the program.
    /// Nothing is copied.
    ///
    /// ```
    /// # fn main() -> harp::Result<()> {
    /// use harp::{Array, ArrayMut, DType, Expr, Graph};
    /// let mut graph = Graph::new();
    /// let x = graph.input("x").with_dtype(DType::F32).with_shape([Expr::var("n", 1..=1000)]).build();
    /// graph.output("y", &(&x * &x));
    /// let square = graph.compile()?;
    /// let (x, mut y) = ([1.0f32, 2.0, 3.0], [0.0f32; 3]);
    /// square.call(&[Array::new(&x, &[3])?], &mut [ArrayMut::new(&mut y, &[3])?])?;
    /// assert_eq!(y, [1.0, 4.0, 9.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call(&self, inputs: &[Array], outputs: &mut [ArrayMut]) -> Result<()> {
        // Safety: the arrays are slices that are borrowed for this call, outputs exclusively.
        unsafe { self.run_raw(raw_inputs(inputs), raw_outputs(outputs), std::ptr::null()) }
    }

    /// [`call`](Program::call) with options.
    pub fn call_with_options(&self, inputs: &[Array], outputs: &mut [ArrayMut], options: RunOptions) -> Result<()> {
        let mut c = sys::harp_run_options::init();
        let names = options.shape_vars.iter().map(|(name, _)| c_text(name)).collect::<Result<Vec<_>>>()?;
        let names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let values: Vec<i64> = options.shape_vars.iter().map(|(_, value)| *value).collect();
        c.n_shape_vars = names.len();
        c.shape_var_names = names.as_ptr();
        c.shape_var_values = values.as_ptr();
        if let Some(workspace) = options.workspace {
            c.workspace = workspace.as_mut_ptr().cast();
            c.workspace_size = workspace.len();
        }
        if let Some(cancel) = options.cancel {
            c.cancel = (cancel as *const AtomicI32).cast();
        }
        // Safety: as in `call`; the parts of the options live until the call returns.
        unsafe { self.run_raw(raw_inputs(inputs), raw_outputs(outputs), &c) }
    }

    /// Runs the program and returns its outputs as new arrays. An axis of an input must determine every shape variable.
    pub fn run(&self, inputs: &[&Buffer]) -> Result<Vec<Buffer>> {
        let arrays: Vec<Array> = inputs.iter().map(|&buffer| Array::from(buffer)).collect();
        let infos = self
            .shape_vars(inputs)
            .and_then(|variables| (0..self.output_count()).map(|index| self.output_info(index, &variables)).collect::<Result<Vec<_>>>());
        let infos = infos.map_err(|error| self.mistake_of_inputs(&arrays, error))?;
        let mut made = Vec::new();
        for info in infos.into_iter().map(Arc::new) {
            made.push((Memory::new(&info)?, info));
        }
        let mut outputs: Vec<ArrayMut> = made.iter().map(|(memory, info)| ArrayMut(array(info, memory), PhantomData)).collect();
        self.call(&arrays, &mut outputs)?;
        // Safety: the run has written every element.
        Ok(made.into_iter().map(|(memory, info)| unsafe { Buffer::of_memory(memory, info) }).collect())
    }

    /// Returns the error to report when the sizes of the outputs cannot be computed. If the reason is an input that does not fit, a run
    /// without outputs says which one, because a run checks the inputs first.
    fn mistake_of_inputs(&self, inputs: &[Array], found: Error) -> Error {
        match self.call(inputs, &mut []) {
            Err(error) if error.kind() == found.kind() => error,
            _ => found,
        }
    }

    /// The values of the program's shape variables for these inputs, in its order.
    fn shape_vars(&self, inputs: &[&Buffer]) -> Result<Vec<i64>> {
        // Safety: a live handle; the size of the struct is set. (The same holds below.)
        let count = unsafe { sys::harp_program_shape_var_count(self.raw) };
        let mut values = Vec::with_capacity(count);
        for index in 0..count {
            let mut info = sys::harp_shape_var_info::init();
            check(|error| unsafe { sys::harp_program_shape_var(self.raw, index, &mut info, error) })?;
            let given = match usize::try_from(info.input) {
                Ok(input) => inputs.get(input).ok_or_else(|| {
                    let text = format!("the program has {} inputs, but got {}", self.input_count(), inputs.len());
                    Error::new(ErrorKind::InvalidArgument, text)
                })?,
                Err(_) => {
                    let name = unsafe { text(info.name) };
                    let text = format!("no input determines the shape variable {:?}: pass it to call_with_options", name);
                    return Err(Error::new(ErrorKind::InvalidArgument, text));
                }
            };
            let sizes = given.info().sizes();
            let size = *sizes.get(info.axis as usize).ok_or_else(|| {
                let text = format!("input {}: expected an axis {}, but got an array of {} axes", info.input, info.axis, sizes.len());
                Error::new(ErrorKind::Shape, text)
            })?;
            values.push(if info.factor == 0 { size } else { size.wrapping_sub(info.offset).wrapping_div(info.factor) });
        }
        Ok(values)
    }

    fn output_info(&self, index: usize, variables: &[i64]) -> Result<Info> {
        let mut info = sys::harp_array_info::init();
        check(|error| unsafe { sys::harp_program_output(self.raw, index, &mut info, error) })?;
        let mut dims = vec![0; info.rank as usize];
        check(|error| unsafe {
            sys::harp_program_output_dims(self.raw, index, variables.len(), variables.as_ptr(), info.rank, dims.as_mut_ptr(), error)
        })?;
        Ok(Info::new(DType::from_code(info.dtype), dims.into_iter().map(Expr::Const).collect()))
    }

    /// "softmax(x: f32[n, 1024]) -> y: f32[n, 1024] where n in 1..4096"
    pub fn signature(&self) -> Result<String> {
        make_text(|error| unsafe { sys::harp_program_signature(self.raw, error) })
    }

    pub fn input_count(&self) -> usize {
        unsafe { sys::harp_program_input_count(self.raw) }
    }
    pub fn output_count(&self) -> usize {
        unsafe { sys::harp_program_output_count(self.raw) }
    }
    /// Fails with [`ErrorKind::InvalidArgument`] if there is no such input.
    pub fn input(&self, index: usize) -> Result<ArrayInfo> {
        let mut info = sys::harp_array_info::init();
        check(|error| unsafe { sys::harp_program_input(self.raw, index, &mut info, error) })?;
        Ok(unsafe { array_info(&info) })
    }
    /// Fails with [`ErrorKind::InvalidArgument`] if there is no such output.
    pub fn output(&self, index: usize) -> Result<ArrayInfo> {
        let mut info = sys::harp_array_info::init();
        check(|error| unsafe { sys::harp_program_output(self.raw, index, &mut info, error) })?;
        Ok(unsafe { array_info(&info) })
    }

    /// Bytes of workspace that a run needs for these values of all shape variables and this number of threads.
    pub fn workspace_size(&self, shape_vars: &[i64], threads: usize) -> Result<usize> {
        let mut size = 0;
        check(|error| unsafe {
            sys::harp_program_workspace_size(self.raw, shape_vars.len(), shape_vars.as_ptr(), threads, &mut size, error)
        })?;
        Ok(size)
    }

    /// The generated C source; "" for the backend "interp".
    pub fn source(&self) -> Result<String> {
        make_text(|error| unsafe { sys::harp_program_source(self.raw, error) })
    }

    /// Facts about the compilation.
    pub fn stats(&self) -> Result<ProgramStats> {
        let mut c = sys::harp_program_stats_info::init();
        check(|error| unsafe { sys::harp_program_stats(self.raw, &mut c, error) })?;
        Ok(ProgramStats {
            pipeline_ms: c.pipeline_ms,
            compile_ms: c.compile_ms,
            kernels: c.kernels,
            generations: c.generations,
            is_cached: c.cache != sys::HARP_CACHE_NONE,
            is_tuned: c.tuned == 1,
            source_bytes: c.source_bytes,
            artifact_bytes: c.artifact_bytes,
        })
    }

    /// The C library's handle, borrowed, for functions that this crate lacks. Closures that the program calls ([`Native`](crate::Native))
    /// live as long as this value and its clones.
    pub fn as_raw(&self) -> *mut sys::harp_program {
        self.raw
    }
}

fn raw_inputs<'a>(arrays: &'a [Array<'_>]) -> &'a [sys::harp_const_array] {
    // Safety: an Array consists of this struct only (repr(transparent)).
    unsafe { std::slice::from_raw_parts(arrays.as_ptr().cast(), arrays.len()) }
}

fn raw_outputs<'a>(arrays: &'a mut [ArrayMut<'_>]) -> &'a [sys::harp_array] {
    // Safety: as above.
    unsafe { std::slice::from_raw_parts(arrays.as_ptr().cast(), arrays.len()) }
}

pub(crate) fn array(info: &Info, memory: &Memory) -> sys::harp_array {
    let sizes = info.sizes();
    sys::harp_array { data: memory.data.cast(), dims: sizes.as_ptr(), dtype: info.dtype() as i32, rank: sizes.len() as i32 }
}

/// # Safety
/// The C library must have filled the struct.
unsafe fn array_info(c: &sys::harp_array_info) -> ArrayInfo {
    let list = |data: *const i64, length| if length == 0 { Vec::new() } else { std::slice::from_raw_parts(data, length).to_vec() };
    let in_place = if c.n_in_place == 0 { Vec::new() } else { std::slice::from_raw_parts(c.in_place, c.n_in_place).to_vec() };
    ArrayInfo { name: text(c.name), dtype: DType::from_code(c.dtype), shape: text(c.shape), dims: list(c.dims, c.rank as usize), in_place }
}

impl Clone for Program {
    fn clone(&self) -> Program {
        // Safety: a live handle.
        Program { raw: unsafe { sys::harp_program_retain(self.raw) }, uses: self.uses.clone() }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Safety: this value owns the reference.
        unsafe { sys::harp_program_release(self.raw) }
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Program({})", self.signature().unwrap_or_default())
    }
}
