//! Which arrays were computed from which others, so that no gradient silently leaves out a part of a computation.
//!
//! A lazy tensor becomes an array as soon as its values are read, or when its trace has become too long. From then on a gradient cannot
//! reach what the array was computed from. This module records that, by numbers that keep no array alive, and `check` fails if a gradient
//! would leave out something. `Tensor::realize` makes a constant on purpose, for which nothing is recorded.
//!
//! The record is a graph of the arrays and tensors of one thread that still exist. When one is dropped, it is removed, and the arrays that
//! were computed from it are connected with its sources instead. The record thus grows with the number of tensors that exist, not with the
//! run time.
use crate::error::{Error, Result};
use crate::generated::codes::{DType, ErrorKind};
use crate::plan::walk;
use crate::trace::{Inner, Node, State};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// Why an array was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The program asked for a constant: nothing is recorded.
    Constant,
    /// The program read the values.
    Values,
    /// The trace had become too large.
    Limit,
    /// It is a result of a `Jit`.
    Jit,
}

type Numbers = BTreeSet<u64>;

/// The entry of one array: the numbers of the arrays that it was computed from, and of those that were computed from it. At least one of
/// the two lists is not empty.
struct Record {
    made_of: Numbers,
    makes: Numbers,
    why: Why,
}

#[derive(Default)]
struct Table {
    last: u64,
    records: HashMap<u64, Record>,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

impl Table {
    /// The number of a node. The first call assigns it.
    fn number(&mut self, node: &Node) -> u64 {
        let cell = &node.0.origin;
        if cell.get() == 0 {
            self.last += 1;
            cell.set(self.last);
        }
        cell.get()
    }

    fn record(&mut self, number: u64) -> &mut Record {
        self.records.entry(number).or_insert_with(|| Record { made_of: Numbers::new(), makes: Numbers::new(), why: Why::Values })
    }

    fn link(&mut self, made: u64, source: u64) {
        self.record(made).made_of.insert(source);
        self.record(source).makes.insert(made);
    }

    /// Removes an array, and connects the arrays that were computed from it with its sources.
    fn remove(&mut self, number: u64) {
        let gone = match self.records.remove(&number) {
            Some(record) => record,
            None => return,
        };
        for made in &gone.makes {
            let record = self.record(*made);
            record.made_of.remove(&number);
            record.made_of.extend(&gone.made_of);
        }
        for source in &gone.made_of {
            let record = self.record(*source);
            record.makes.remove(&number);
            record.makes.extend(&gone.makes);
        }
        for neighbour in gone.makes.iter().chain(&gone.made_of) {
            if matches!(self.records.get(neighbour), Some(record) if record.made_of.is_empty() && record.makes.is_empty()) {
                self.records.remove(neighbour);
            }
        }
    }

    /// Reports whether an array was computed from one of `wanted`. `seen` contains arrays for which the answer is no.
    fn is_made_of(&self, number: u64, wanted: &Numbers, seen: &mut HashSet<u64>) -> bool {
        let mut pending = vec![number];
        while let Some(next) = pending.pop() {
            for &source in self.records.get(&next).iter().flat_map(|record| &record.made_of) {
                if wanted.contains(&source) {
                    return true;
                }
                if seen.insert(source) {
                    pending.push(source);
                }
            }
        }
        false
    }
}

/// Reports whether a gradient can be taken with respect to the node; not for bools and integers.
fn has_gradient(inner: &Inner) -> bool {
    use DType::*;
    !matches!(inner.info.dtype(), Unknown | Bool | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64)
}

/// Reports whether gradients flow from the node to its sources.
fn passes_gradient(inner: &Inner) -> bool {
    has_gradient(inner) && !matches!(&*inner.state.borrow(), State::Call(call) if call.name == "stop_gradient")
}

/// The numbers of those sources of a lazy tensor for which a gradient may be requested: the tensors and arrays below it that something
/// besides its own trace refers to, and arrays that have sources of their own. Must be called before the trace is dropped.
pub(crate) fn sources(root: &Node) -> Numbers {
    let mut below = Vec::new();
    walk(&[root], &mut Vec::new(), |inner, pointer| {
        let goes_on = passes_gradient(inner);
        below.push((pointer, goes_on));
        goes_on
    });
    // Calls `visit` for each source of each node whose sources the walk has visited, with the source's position in the walk.
    let each_source = |visit: &mut dyn FnMut(&Node, usize)| {
        for &(pointer, _) in below.iter().filter(|(_, goes_on)| *goes_on) {
            // Safety: a node below the root, which keeps it alive.
            let state = unsafe { &*pointer }.state.borrow();
            if let State::Call(call) = &*state {
                call.sources.as_slice().iter().for_each(|source| visit(source, source.0.visit.get().1 as usize));
            }
        }
    };
    let mut uses = vec![0; below.len()];
    each_source(&mut |_, place| uses[place] += 1);
    let mut found = Numbers::new();
    TABLE.with(|table| {
        let mut table = table.borrow_mut();
        each_source(&mut |source, place| {
            let is_kept = Rc::strong_count(&source.0) > uses[place] || source.0.origin.get() != 0;
            if is_kept && has_gradient(&source.0) {
                found.insert(table.number(source));
            }
        });
    });
    found
}

/// Records the sources from which an array was computed.
pub(crate) fn remember(made: &Node, sources: &Numbers, why: Why) {
    if sources.is_empty() {
        return;
    }
    TABLE.with(|table| {
        let mut table = table.borrow_mut();
        let number = table.number(made);
        sources.iter().for_each(|&source| table.link(number, source));
        table.record(number).why = why;
    });
}

/// Records that a program of a `Jit` computed arrays. No trace shows their sources, so each result counts as computed from all inputs that
/// can have gradients.
pub(crate) fn remember_call(made: &[&Node], inputs: &[&Node]) {
    let inputs = inputs.iter().filter(|input| has_gradient(&input.0));
    let numbers = TABLE.with(|table| inputs.map(|input| table.borrow_mut().number(input)).collect());
    made.iter().filter(|made| has_gradient(&made.0)).for_each(|made| remember(made, &numbers, Why::Jit));
}

/// Makes an array a constant for gradients: removes the record of its sources. Arrays that were computed from it before still count as
/// computed from these sources.
pub(crate) fn make_constant(node: &Node) {
    let number = node.0.origin.get();
    if number == 0 {
        return;
    }
    TABLE.with(|table| {
        let mut table = table.borrow_mut();
        let makes = table.records.get(&number).map_or_else(Numbers::new, |record| record.makes.clone());
        table.remove(number);
        makes.into_iter().for_each(|made| table.link(made, number));
    });
}

/// Removes the entry of a node that is being dropped.
pub(crate) fn forget(number: u64) {
    // The table may be missing: a thread that ends has destroyed it already.
    let _ = TABLE.try_with(|table| table.borrow_mut().remove(number));
}

/// Fails with [`ErrorKind::NoGradient`] if the trace of `y` contains an array that was computed from one of `xs`: a gradient would treat
/// this array as a constant.
pub(crate) fn check(y: &Node, xs: &[&Node]) -> Result<()> {
    TABLE.with(|table| {
        let table = table.borrow();
        let makes_something = |number: &u64| matches!(table.records.get(number), Some(record) if !record.makes.is_empty());
        let wanted: Numbers = xs.iter().map(|x| x.0.origin.get()).filter(makes_something).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let (mut seen, mut mistake) = (HashSet::new(), None);
        walk(&[y], &mut Vec::new(), |inner, _| {
            let number = inner.origin.get();
            if mistake.is_none() && matches!(&*inner.state.borrow(), State::Array(_)) && table.is_made_of(number, &wanted, &mut seen) {
                mistake = Some(lost(inner, table.records[&number].why));
            }
            passes_gradient(inner)
        });
        mistake.map_or(Ok(()), Err)
    })
}

fn lost(inner: &Inner, why: Why) -> Error {
    let (reason, remedy) = match why {
        Why::Limit => ("its trace had become too large (more than 10,000 operations, or half a GiB of arrays)", "Keep the trace shorter"),
        Why::Jit => ("it is a result of a Jit", "Compute the gradient in the function of the Jit"),
        Why::Constant | Why::Values => {
            ("its values were read (to_vec, item, printing, an argument of a Jit)", "Compute the gradient before you read the values")
        }
    };
    let text = format!(
        "grad: the result depends on an array of shape {} that was computed earlier, because {}. The gradient would leave out what that array \
         was computed from. {}, or call realize() on that array where it is meant as a constant",
        inner.info.shape_text(),
        reason,
        remedy
    );
    Error::new(ErrorKind::NoGradient, text)
}

#[cfg(test)]
mod tests {
    use super::TABLE;
    use crate::{Result, Tensor};

    fn edges() -> usize {
        TABLE.with(|table| table.borrow().records.values().map(|record| record.made_of.len() + record.makes.len()).sum())
    }

    fn records() -> usize {
        TABLE.with(|table| table.borrow().records.len())
    }

    #[test]
    fn the_record_has_living_arrays_only() -> Result<()> {
        let interp = crate::backend("interp")?;
        let x = Tensor::on(&interp, vec![1.0f64, 2.0], [2])?;
        let mut state = x.clone();
        for _ in 0..200 {
            state = &state * 0.5 + &x;
            state.to_vec()?;
        }
        assert_eq!((records(), edges()), (2, 2), "x and what was made of it, by 200 arrays that are gone");
        let kept: Vec<Tensor<f64>> = (0..50)
            .map(|_| {
                state = &state * 0.5 + &x;
                state.to_vec().map(|_| state.clone())
            })
            .collect::<Result<_>>()?;
        assert!(records() <= 52 && edges() <= 4 * 52, "a chain has two sources for each array: {}", edges());
        drop(state);
        assert!(kept[49].sum(.., false).grad(&[&kept[7]]).is_err());
        drop(kept);
        assert_eq!(records(), 0);
        let y = &x * 2.0;
        y.to_vec()?;
        y.realize()?;
        assert_eq!(records(), 0, "a constant is made of nothing");
        Ok(())
    }
}
