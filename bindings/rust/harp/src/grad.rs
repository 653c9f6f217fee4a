//! Gradients of traces.
use crate::digest::Digest;
use crate::error::{Error, Result};
use crate::generated::codes::ErrorKind;
use crate::lower::{Args, Lowering};
use crate::origins;
use crate::plan;
use crate::registry;
use crate::trace::{call_known, Apply, Call, Node};
use harp_sys as sys;

type Raw = *mut sys::harp_node;

/// The parameters of a gradient: the number of xs, whether there is a grad_output, and flags HARP_GRAD_...
type Given = (usize, bool, u32);

fn apply(_: &Lowering, sources: &mut Args, given: &Given, results: &mut [Raw]) -> bool {
    let y = sources.next();
    let xs = sources.take(given.0);
    let grad_output = sources.optional(given.1);
    // Safety: nodes of one graph, and room for one gradient for each of xs.
    unsafe { sys::harp_grad_flags(y, xs.len() as i32, xs.as_ptr(), grad_output, given.2, results.as_mut_ptr()) == sys::HARP_OK }
}

/// The name of the operation in a trace.
pub(crate) const NAME: &str = "grad";

/// Checks a recorded gradient again before it is computed, because arrays between its y and its xs may have been computed meanwhile.
pub(crate) fn check_again(call: &Call) -> Result<()> {
    let xs = match &call.apply {
        Apply::With(parameters) => parameters.result_count(),
        Apply::Plain(_) => 0,
    };
    match call.sources.as_slice() {
        [y, others @ ..] => origins::check(y, &others.iter().take(xs).collect::<Vec<_>>()),
        [] => Ok(()),
    }
}

/// Records a gradient (harp_grad_flags). Whether it exists depends on the whole trace, so for each new structure the trace is built and
/// harp checks it. (Of other operations, harp checks only the dtypes and shapes of the operands.)
pub(crate) fn grad(y: &Node, xs: &[&Node], grad_output: Option<&Node>, zero_where_independent: bool) -> Result<Vec<Node>> {
    let flags = if zero_where_independent { sys::HARP_GRAD_ZERO_WHERE_INDEPENDENT as u32 } else { 0 };
    let given: Given = (xs.len(), grad_output.is_some(), flags);
    if xs.is_empty() {
        return Err(Error::new(ErrorKind::InvalidArgument, "grad: expected at least one array to differentiate with respect to, got none"));
    }
    origins::check(y, xs)?;
    let mut sources = vec![y];
    sources.extend(xs);
    sources.extend(grad_output);
    let key = Digest::of_kind(6).and(plan::structure(&sources)).with_hash(&given);
    if !registry::is_checked(key) {
        let lowering = Lowering::new(&registry::context()?, y.0.home.flags())?;
        let raw = lowering.lower(&sources)?;
        lowering.build(xs.len(), |results| apply(&lowering, &mut Args::new(&raw), &given, results))?;
        registry::set_checked(key);
    }
    let infos = xs.iter().map(|x| x.info().clone()).collect();
    call_known(NAME, &sources, given, infos, apply)
}
