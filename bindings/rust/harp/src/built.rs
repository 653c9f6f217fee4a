//! Finished graphs, in the form of the C library.
use crate::config::{CompileOptions, Configuration, RawOptions};
use crate::context::Context;
use crate::error::{c_text, make, make_text, Result};
use crate::native_call::{check_outside, Uses};
use crate::program::Program;
use crate::registry;
use harp_sys as sys;
use std::sync::atomic::AtomicI32;

/// A graph that does not change any more: built from a [`Graph`](crate::Graph), or read from a text. Threads may share it, and compile it
/// at the same time.
///
/// ```
/// # fn main() -> harp::Result<()> {
/// use harp::{BuiltGraph, Configuration};
/// let text = "harp 1\ngraph double(x: f32[n]) {\n  return y = x * 2\n}\n";
/// let graph = BuiltGraph::parse(text)?;
/// assert!(graph.print()?.contains("graph double(x: f32[n])"));
/// let program = graph.compile("interp", &Configuration::default())?;
/// assert_eq!(program.signature()?, "double(x: f32[n]) -> y: f32[n] (in place of x) where n in 0..2147483647");
/// # Ok(())
/// # }
/// ```
pub struct BuiltGraph {
    raw: *mut sys::harp_graph,
    uses: Uses,
}

// Safety: harp.h, "Threads": any number of threads may compile a graph that nobody changes, and nothing here changes it.
unsafe impl Send for BuiltGraph {}
unsafe impl Sync for BuiltGraph {}

impl BuiltGraph {
    /// # Safety
    /// The caller must own the handle, and `uses` must contain everything that the graph's native functions point to.
    pub(crate) unsafe fn from_raw(raw: *mut sys::harp_graph, uses: Uses) -> BuiltGraph {
        BuiltGraph { raw, uses }
    }

    /// Reads a graph in harp's text format, in this thread's context. An [`ErrorKind::Parse`](crate::ErrorKind::Parse) contains line and
    /// column.
    pub fn parse(text: &str) -> Result<BuiltGraph> {
        BuiltGraph::parse_in(&registry::context()?, text)
    }

    /// Like [`parse`](BuiltGraph::parse), in another context.
    pub fn parse_in(context: &Context, text: &str) -> Result<BuiltGraph> {
        check_outside()?;
        // Safety: a live handle, and a text of this length. (The same holds below.)
        let raw = make(|error| unsafe { sys::harp_graph_parse(context.raw(), text.len(), text.as_ptr().cast(), error) })?;
        Ok(BuiltGraph { raw, uses: None }) // a graph that was read from a text cannot call native functions
    }

    /// Compiles a program for the backend "c" or "interp".
    pub fn compile(&self, backend: &str, configuration: &Configuration) -> Result<Program> {
        self.compile_until(backend, configuration, None)
    }

    /// [`compile`](BuiltGraph::compile) with options: another thread can cancel the compilation; afterwards the same graph can be compiled
    /// again.
    ///
    /// ```
    /// # fn main() -> harp::Result<()> {
    /// use harp::{BuiltGraph, CompileOptions, ErrorKind};
    /// use std::sync::atomic::{AtomicI32, Ordering};
    /// let graph = BuiltGraph::parse("harp 1\ngraph double(x: f32[n]) {\n  return y = x * 2\n}\n")?;
    /// let cancel = AtomicI32::new(0);
    /// let compile = || graph.compile_with_options("c", CompileOptions { cancel: Some(&cancel), ..CompileOptions::default() });
    /// cancel.store(1, Ordering::Relaxed); // what another thread does, here or while it compiles
    /// assert_eq!(compile().unwrap_err().kind(), ErrorKind::Cancelled);
    /// cancel.store(0, Ordering::Relaxed);
    /// compile()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn compile_with_options(&self, backend: &str, options: CompileOptions) -> Result<Program> {
        self.compile_until(backend, &options.configuration, options.cancel)
    }

    fn compile_until(&self, backend: &str, configuration: &Configuration, cancel: Option<&AtomicI32>) -> Result<Program> {
        check_outside()?;
        let mut options = RawOptions::new(configuration, Some(backend))?;
        if let Some(cancel) = cancel {
            options.c.cancel = (cancel as *const AtomicI32).cast();
        }
        // Safety: a live handle; the options and the flag live until the call returns.
        let program = make(|error| unsafe { sys::harp_compile(self.raw, &options.c, error) })?;
        // Safety: the caller owns the program, which was made from this graph.
        Ok(unsafe { Program::from_raw(program, self.uses.clone()) })
    }

    /// The graph in harp's text format.
    pub fn print(&self) -> Result<String> {
        make_text(|error| unsafe { sys::harp_graph_print(self.raw, error) })
    }

    /// The graph in the language of Graphviz, for drawing.
    pub fn dot(&self) -> Result<String> {
        make_text(|error| unsafe { sys::harp_graph_dot(self.raw, error) })
    }

    /// The text of one stage of a compilation: "graph", "opt", "schedule", "ir", "ir-opt", "linear", "c" or "dot".
    pub fn emit(&self, stage: &str, configuration: &Configuration) -> Result<String> {
        let options = RawOptions::new(configuration, None)?;
        let stage = c_text(stage)?;
        make_text(|error| unsafe { sys::harp_graph_emit(self.raw, &options.c, stage.as_ptr(), error) })
    }

    pub(crate) fn raw(&self) -> *mut sys::harp_graph {
        self.raw
    }
}

impl Clone for BuiltGraph {
    fn clone(&self) -> BuiltGraph {
        // Safety: a live handle.
        BuiltGraph { raw: unsafe { sys::harp_graph_retain(self.raw) }, uses: self.uses.clone() }
    }
}

impl Drop for BuiltGraph {
    fn drop(&mut self) {
        // Safety: this value owns the reference.
        unsafe { sys::harp_graph_release(self.raw) }
    }
}

impl std::fmt::Debug for BuiltGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.print().unwrap_or_default())
    }
}
