//! Options of a compilation. None of them changes a bit of the results.
use crate::error::{c_text, Result};
use harp_sys as sys;
use std::ffi::CString;
use std::os::raw::c_char;
use std::ptr;
use std::sync::atomic::AtomicI32;

/// The configuration of a program. The default is the one that the tuner found for this structure and machine, otherwise harp's default.
///
/// ```
/// # fn main() -> harp::Result<()> {
/// use harp::{Configuration, Tensor};
/// let x = Tensor::from_vec(vec![1.0f32, 2.0], [2]);
/// let plain = Configuration { simd_width: 1, disabled_passes: vec!["all".into()], ..Configuration::default() };
/// assert_eq!((&x + 1.0).realize_with_config(&plain)?.as_slice::<f32>()?, [2.0, 3.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// A configuration in lines, as `harp_compile_options.schedule` in `include/harp.h` describes it, such as schedules of kernels; "":
    /// none.
    pub schedule: String,
    /// Names of optimiser passes to skip ("fold_constants"); "all": every pass.
    pub disabled_passes: Vec<String>,
    /// Flags for the C compiler, after harp's own.
    pub compiler_flags: Vec<String>,
    /// The command of a C compiler to use instead of the context's.
    pub compiler: Option<String>,
    /// Number of elements of a vector: 1, 2, 4, 8 or 16; 0: as many as the processor supports.
    pub simd_width: i32,
    /// Whether an index out of range fails the run.
    pub check_indices: bool,
    /// Whether to ignore a configuration that the tuner found before.
    pub ignore_tuning: bool,
}

/// Options of [`BuiltGraph::compile_with_options`](crate::BuiltGraph::compile_with_options).
#[derive(Clone, Debug, Default)]
pub struct CompileOptions<'a> {
    /// How the program is made.
    pub configuration: Configuration,
    /// Another thread cancels the compilation by storing a nonzero number: [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled). The C
    /// compiler and the processes that it has started are stopped within a few milliseconds.
    pub cancel: Option<&'a AtomicI32>,
}

/// The options in the form of the C library, and the texts that they point to.
pub(crate) struct RawOptions {
    pub(crate) c: sys::harp_compile_options,
    _texts: Vec<CString>,
    _lists: Vec<Vec<*const c_char>>,
}

impl RawOptions {
    pub(crate) fn new(configuration: &Configuration, backend: Option<&str>) -> Result<RawOptions> {
        let mut made = RawOptions { c: sys::harp_compile_options::init(), _texts: Vec::new(), _lists: Vec::new() };
        made.c.backend = made.text(backend)?;
        made.c.compiler = made.text(configuration.compiler.as_deref())?;
        made.c.schedule = made.text(Some(&*configuration.schedule).filter(|text| !text.is_empty()))?;
        made.c.n_flags = configuration.compiler_flags.len();
        made.c.flags = made.list(&configuration.compiler_flags)?;
        made.c.n_disabled_passes = configuration.disabled_passes.len();
        made.c.disabled_passes = made.list(&configuration.disabled_passes)?;
        made.c.simd_width = configuration.simd_width;
        made.c.check_indices = i32::from(configuration.check_indices);
        made.c.tuning = if configuration.ignore_tuning { sys::HARP_TUNING_OFF } else { sys::HARP_TUNING_ON };
        Ok(made)
    }

    fn text(&mut self, text: Option<&str>) -> Result<*const c_char> {
        match text {
            None => Ok(ptr::null()),
            Some(text) => {
                self._texts.push(c_text(text)?);
                Ok(self._texts[self._texts.len() - 1].as_ptr())
            }
        }
    }

    fn list(&mut self, texts: &[String]) -> Result<*const *const c_char> {
        let pointers = texts.iter().map(|text| self.text(Some(text))).collect::<Result<Vec<_>>>()?;
        self._lists.push(pointers);
        Ok(self._lists[self._lists.len() - 1].as_ptr())
    }
}
