//! Contexts, which own what programs share.
use crate::error::{c_text, check, make, make_text, Result};
use harp_sys as sys;
use std::ptr;

/// The compile cache, the threads, and the compilers that were found. A clone refers to the same context. Threads may share one.
pub struct Context(*mut sys::harp_context);

// Safety: harp.h, "Threads": contexts may be used by several threads at once.
unsafe impl Send for Context {}
unsafe impl Sync for Context {}

/// Options of a context; the defaults are harp's. `include/harp.h` describes each field at `harp_context_options`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ContextOptions {
    /// Number of threads that run a program, including the calling one; 0 and 1: only the calling one.
    pub threads: i32,
    /// Directory of compiled kernels; `Some("")`: only in memory.
    pub cache_dir: Option<String>,
    /// The command of the C compiler.
    pub compiler: Option<String>,
    /// Time limit of one compilation; 0: one minute.
    pub compile_timeout_ms: i64,
    /// Maximum number of C compilers that run at the same time; 0: one less than the number of CPUs.
    pub compilers: i32,
    /// 0 to 19, added to the nice value of the compilers.
    pub compiler_nice: i32,
    /// Whether graphs must not call the host's functions ([`Native`](crate::Native)).
    pub refuse_native_ops: bool,
}

/// The content of the compile cache, and where compilations of the context found their kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheStats {
    /// Number of compiled kernels in the directory, and their size in bytes.
    pub entries: u64,
    pub bytes: u64,
    /// Number of compilations whose kernels were found in memory, in the directory, or nowhere.
    pub memory_hits: u64,
    pub disk_hits: u64,
    pub misses: u64,
}

impl Context {
    /// Makes a context. With the feature `load-dynamic`: [`ErrorKind::Io`](crate::ErrorKind::Io) if harp's library cannot be loaded.
    pub fn new(options: &ContextOptions) -> Result<Context> {
        #[cfg(feature = "load-dynamic")]
        sys::load_default().map_err(|text| crate::error::Error::new(crate::ErrorKind::Io, text))?;
        let cache_dir = options.cache_dir.as_deref().map(c_text).transpose()?;
        let compiler = options.compiler.as_deref().map(c_text).transpose()?;
        let mut c = sys::harp_context_options::init();
        c.threads = options.threads;
        c.cache_dir = cache_dir.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        c.compiler = compiler.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        c.compile_timeout_ms = options.compile_timeout_ms;
        c.compilers = options.compilers;
        c.compiler_nice = options.compiler_nice;
        c.native_ops = if options.refuse_native_ops { sys::HARP_NATIVE_OPS_OFF } else { sys::HARP_NATIVE_OPS_ON };
        // Safety: the options and their texts live until the call returns, which copies them.
        make(|error| unsafe { sys::harp_context_new(&c, error) }).map(Context)
    }

    /// Names of the backends of this library.
    pub fn backends(&self) -> Result<Vec<String>> {
        // Safety: the context is a live handle. (The same holds below.)
        let names = make_text(|error| unsafe { sys::harp_context_backends(self.0, error) })?;
        Ok(names.lines().map(str::to_owned).collect())
    }

    /// Reports whether the backend can be used now ("c": whether a compiler was found).
    pub fn is_available(&self, backend: &str) -> bool {
        c_text(backend).map_or(false, |name| unsafe { sys::harp_backend_available(self.0, name.as_ptr()) == 1 })
    }

    /// Version, CPU target, compiler, cache directory, backends: lines "key: value".
    pub fn describe(&self) -> Result<String> {
        make_text(|error| unsafe { sys::harp_context_describe(self.0, error) })
    }

    /// The directory of compiled kernels, or "".
    pub fn cache_dir(&self) -> Result<String> {
        make_text(|error| unsafe { sys::harp_cache_dir(self.0, error) })
    }

    /// Removes all compiled kernels from the directory, also those of other programs, and from this context's memory.
    pub fn clear_cache(&self) -> Result<()> {
        check(|error| unsafe { sys::harp_cache_clear(self.0, error) })
    }

    /// The content of the cache.
    pub fn cache_stats(&self) -> Result<CacheStats> {
        let mut c = sys::harp_cache_stats_info::init();
        check(|error| unsafe { sys::harp_cache_stats(self.0, &mut c, error) })?;
        Ok(CacheStats { entries: c.entries, bytes: c.bytes, memory_hits: c.memory_hits, disk_hits: c.disk_hits, misses: c.misses })
    }

    pub(crate) fn raw(&self) -> *mut sys::harp_context {
        self.0
    }
}

impl Clone for Context {
    fn clone(&self) -> Context {
        // Safety: a live handle.
        Context(unsafe { sys::harp_context_retain(self.0) })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // Safety: this value owns the reference.
        unsafe { sys::harp_context_release(self.0) }
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Context({:p})", self.0)
    }
}
