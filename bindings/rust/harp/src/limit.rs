//! Traces that grow for ever: what is too large realises itself.
use crate::origins::Why;
use crate::plan::{realize, walk};
use crate::trace::{Home, Inner, Node, State};
use std::collections::HashMap;
use std::rc::Rc;

/// Operations that may be pending: programs of a size beyond all use are compiled otherwise.
const MOST_PENDING: u32 = 10_000;
/// Bytes of arrays that nothing but a trace keeps.
const MOST_HELD: u64 = 512 << 20;

/// Operations through which a sum sees a product: the two together may be one contraction, which realising the product would round.
const PASSES_PRODUCTS: [&str; 17] = [
    "mul",
    "cast",
    "expand",
    "broadcast_to",
    "reshape",
    "permute",
    "transpose",
    "moveaxis",
    "unsqueeze",
    "squeeze",
    "flip",
    "slice",
    "flatten",
    "contiguous",
    "stop_gradient",
    "unfold",
    "diagonal",
];
/// Of such operations in a row at most.
const MOST_PASSED: usize = 256;

/// Realises a new node where what it is made of has grown too large; of a product, or what shows one in another shape, what that is made
/// of.
pub(crate) fn limit_pending(node: &Node) {
    if (node.size() <= MOST_PENDING && node.held() <= MOST_HELD) || !matches!(node.0.home, Home::Backend(_)) {
        return;
    }
    if !measure(node) {
        return;
    }
    let (mut cut, mut passing) = (Vec::new(), vec![node.clone()]);
    let mut next = 0;
    while next < passing.len() {
        let one = passing[next].clone();
        next += 1;
        let state = one.0.state.borrow();
        match &*state {
            State::Call(call) if PASSES_PRODUCTS.contains(&call.name) && passing.len() < MOST_PASSED => {
                passing.extend(call.sources.as_slice().iter().cloned());
            }
            State::Call(_) => cut.push(one.clone()),
            _ => {}
        }
    }
    if realize(&cut.iter().collect::<Vec<_>>(), None, Why::Limit).is_ok() {
        measure(node);
    } else {
        // A mistake here is one of whatever realises the node later, and is told then. Not every operation until then tries again.
        node.set_bounds(0, 0);
    }
}

/// Counts what the bounds of a node have too much: operations and arrays that several ways lead to. Is it too large?
fn measure(node: &Node) -> bool {
    let mut count = 0;
    let mut leaves: HashMap<*const Inner, (usize, u64)> = HashMap::new();
    walk(&[node], &mut Vec::new(), |inner, _| {
        if let State::Call(call) = &*inner.state.borrow() {
            count += 1;
            for source in call.sources.as_slice() {
                if let State::Array(buffer) = &*source.0.state.borrow() {
                    let (uses, bytes) = leaves.entry(Rc::as_ptr(&source.0)).or_default();
                    *uses += 1;
                    let is_kept = Rc::strong_count(&source.0) > *uses || !buffer.is_unique();
                    *bytes = if is_kept { 0 } else { source.info().byte_size().unwrap_or(0) as u64 };
                }
            }
        }
        true
    });
    let held = leaves.values().map(|(_, bytes)| bytes).sum();
    node.set_bounds(count, held);
    count > MOST_PENDING || held > MOST_HELD
}
