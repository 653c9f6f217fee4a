//! The state of a thread: its context, its backends by name, and the results of operations that harp has inferred.
use crate::context::{Context, ContextOptions};
use crate::digest::{Digest, DigestMap};
use crate::error::{Error, Result};
use crate::generated::codes::{DType, ErrorKind};
use crate::info::Info;
use crate::plan::Plan;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A backend for tensors, with the programs that were made for it: see [`backend`].
pub struct Backend {
    name: String,
    context: Context,
    pub(crate) plans: RefCell<DigestMap<Rc<Plan>>>,
}

impl Backend {
    /// "c" or "interp".
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Reports whether it can be used now ("c": whether a compiler was found).
    pub fn is_available(&self) -> bool {
        self.context.is_available(&self.name)
    }
    /// The context that its programs are compiled in.
    pub fn context(&self) -> &Context {
        &self.context
    }
    /// Number of programs that were made since [`clear_cache`], one for each structure.
    pub fn program_count(&self) -> usize {
        self.plans.borrow().len()
    }
}

impl std::fmt::Debug for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Backend({:?})", self.name)
    }
}

#[derive(Default)]
struct Registry {
    context: Option<Context>,
    backends: HashMap<String, Rc<Backend>>,
    default: Option<Rc<Backend>>,
    results: DigestMap<Arc<Info>>,
    /// Structures for which gradients are known to exist.
    checked: DigestMap<()>,
    /// For each dtype the `Info` of an array of rank 0, which all numbers of that dtype share.
    numbers: Vec<Arc<Info>>,
}

thread_local! {
    static REGISTRY: RefCell<Registry> = RefCell::default();
}

/// Maximum number of inferred results that are kept. When it is reached, all of them are dropped.
const MOST_RESULTS: usize = 100_000;

/// This thread's context: the one that [`set_context`] set, or one with harp's defaults.
pub fn context() -> Result<Context> {
    REGISTRY.with(|registry| {
        let mut registry = registry.borrow_mut();
        if registry.context.is_none() {
            registry.context = Some(Context::new(&ContextOptions::default())?);
        }
        Ok(registry.context.clone().expect("it was just made"))
    })
}

/// Sets the context of this thread; threads may share one. Backends that the thread already has keep theirs, and tensors keep their
/// backend, so call this first.
///
/// ```
/// # fn main() -> harp::Result<()> {
/// let mut options = harp::ContextOptions::default();
/// options.threads = 2;
/// harp::set_context(&harp::Context::new(&options)?);
/// # Ok(())
/// # }
/// ```
pub fn set_context(context: &Context) {
    let forgotten = REGISTRY.with(|registry| {
        let mut registry = registry.borrow_mut();
        (registry.context.replace(context.clone()), std::mem::take(&mut registry.backends), registry.default.take())
    });
    drop(forgotten);
}

/// This thread's backend with this name, "c" or "interp": the same instance every time. Fails with [`ErrorKind::InvalidArgument`] if there
/// is no backend with that name.
///
/// ```
/// use std::rc::Rc;
/// # fn main() -> harp::Result<()> {
/// let c = harp::backend("c")?;
/// assert!(Rc::ptr_eq(&c, &harp::backend("c")?));
/// assert!(harp::backend("clang").is_err());
/// # Ok(())
/// # }
/// ```
pub fn backend(name: &str) -> Result<Rc<Backend>> {
    if let Some(known) = REGISTRY.with(|registry| registry.borrow().backends.get(name).cloned()) {
        return Ok(known);
    }
    let context = context()?;
    let names = context.backends()?;
    if !names.iter().any(|known| known == name) {
        return Err(Error::new(ErrorKind::InvalidArgument, format!("expected one of the backends {}, got {:?}", names.join(", "), name)));
    }
    let made = Rc::new(Backend { name: name.to_owned(), context, plans: RefCell::default() });
    REGISTRY.with(|registry| registry.borrow_mut().backends.insert(name.to_owned(), made.clone()));
    Ok(made)
}

/// The backend of this thread's new tensors: the one that [`set_default_backend`] set, or "c".
pub fn default_backend() -> Result<Rc<Backend>> {
    if let Some(known) = REGISTRY.with(|registry| registry.borrow().default.clone()) {
        return Ok(known);
    }
    let made = backend("c")?;
    set_default_backend(&made);
    Ok(made)
}

/// Sets the backend of the tensors that this thread makes from now on. Operations between tensors of two backends are errors.
pub fn set_default_backend(backend: &Rc<Backend>) {
    let before = REGISTRY.with(|registry| registry.borrow_mut().default.replace(backend.clone()));
    drop(before); // here the registry is not borrowed: what the closures of the backend's programs own may use it in `drop`
}

/// Drops the programs that this thread's backends made, and the inferred results of operations. Compiled kernels stay in the context's
/// cache: [`Context::clear_cache`] removes them.
pub fn clear_cache() {
    let forgotten = REGISTRY.with(|registry| {
        let mut registry = registry.borrow_mut();
        let plans: Vec<_> = registry.backends.values().map(|backend| std::mem::take(&mut *backend.plans.borrow_mut())).collect();
        registry.checked.clear();
        (plans, std::mem::take(&mut registry.results))
    });
    drop(forgotten);
}

pub(crate) fn known_result(key: Digest) -> Option<Arc<Info>> {
    REGISTRY.with(|registry| registry.borrow().results.get(&key).cloned())
}

pub(crate) fn remember_result(key: Digest, info: Arc<Info>) {
    REGISTRY.with(|registry| {
        let results = &mut registry.borrow_mut().results;
        if results.len() >= MOST_RESULTS {
            results.clear();
        }
        results.insert(key, info);
    });
}

pub(crate) fn is_checked(key: Digest) -> bool {
    REGISTRY.with(|registry| registry.borrow().checked.contains_key(&key))
}

pub(crate) fn set_checked(key: Digest) {
    REGISTRY.with(|registry| {
        let checked = &mut registry.borrow_mut().checked;
        if checked.len() >= MOST_RESULTS {
            checked.clear();
        }
        checked.insert(key, ());
    });
}

/// The `Info` of a number (an array of rank 0) of this dtype.
pub(crate) fn number_info(dtype: DType) -> Arc<Info> {
    REGISTRY.with(|registry| {
        let numbers = &mut registry.borrow_mut().numbers;
        while numbers.len() <= dtype as usize {
            numbers.push(Arc::new(Info::new(DType::from_code(numbers.len() as i32), Vec::new())));
        }
        numbers[dtype as usize].clone()
    })
}
