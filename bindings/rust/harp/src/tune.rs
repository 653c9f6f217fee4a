//! The tuner: tries configurations of a program, and keeps the fastest.
use crate::built::BuiltGraph;
use crate::config::{Configuration, RawOptions};
use crate::error::{c_text, check, make, text, Result};
use crate::lower::Lowering;
use crate::native_call::check_outside;
use crate::plan;
use crate::raw_buffer::RawBuffer;
use crate::tensor::Tensor;
use crate::{Buffer, Element};
use harp_sys as sys;
use std::ptr;

/// The order in which configurations are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchStrategy {
    /// All configurations, in a fixed order in which the first option changes fastest.
    GridSearch,
    /// Configurations in random order, with this seed.
    Random(u64),
    /// Changes one setting of the best configurations so far, in the order that a cost model predicts.
    Beam,
}

/// Which configurations are tried, and for how long. They always vary the schedules of kernels, optimiser passes and compiler flags.
#[derive(Clone, Debug, Default)]
pub struct SearchSpace {
    /// Settings that every configuration has: the flags, and the vector width if it is given. Its schedule must be empty.
    pub base: Configuration,
    /// C compilers to try besides the context's; empty: clang if that is gcc, gcc if that is clang.
    pub compilers: Vec<String>,
    /// Maximum number of trials; 0: no limit.
    pub max_trials: u64,
    /// Time limit of the whole search in seconds; 0: 30.
    pub seconds: f64,
    /// Whether not to store the result in the tuning database.
    pub dry_run: bool,
}

/// One configuration that was tried.
#[derive(Clone, Debug)]
pub struct TrialResult {
    pub configuration: Configuration,
    /// Why its program could not be made.
    pub failure: Option<String>,
    /// Median time of a run, and the time between the first and the third quartile.
    pub median_seconds: f64,
    pub spread_seconds: f64,
    pub compile_seconds: f64,
    /// The cost model's prediction: the time relative to that of the first trial.
    pub expected: f64,
    pub samples: i64,
}

/// The result of a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TuningResult {
    /// In the order in which they were tried. The first one is harp's default.
    pub trials: Vec<TrialResult>,
    /// The index of the fastest trial; 0: no configuration was faster than harp's default.
    pub best: usize,
    /// Speedup of the best trial over the first.
    pub speedup: f64,
    /// Number of configurations to choose from, legal or not.
    pub space_size: f64,
    /// Whether no configuration was left to try.
    pub is_exhausted: bool,
    /// Why the best configuration is not in the database on disk.
    pub why_not_stored: Option<String>,
}

impl TuningResult {
    /// The configuration of the fastest trial.
    pub fn best_configuration(&self) -> &Configuration {
        &self.trials[self.best].configuration
    }
}

/// Searches for the fastest configuration of the program of a tensor, or of a graph for certain inputs. It never changes results. Later
/// compilations of the same structure on this kind of machine use what was found.
///
/// ```no_run
/// # fn main() -> harp::Result<()> {
/// use harp::{Autotuner, SearchSpace, SearchStrategy, Tensor};
/// let x = Tensor::from_vec(vec![1.0f32; 1 << 20], [1024, 1024]);
/// let y = x.softmax(1);
/// let tuner = Autotuner::new(SearchSpace { seconds: 5.0, ..SearchSpace::default() }, SearchStrategy::Beam);
/// let found = tuner.run(&y)?;
/// println!("{} trials, {:.2} times as fast", found.trials.len(), found.speedup);
/// y.realize_with_config(found.best_configuration())?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Autotuner {
    space: SearchSpace,
    strategy: SearchStrategy,
}

impl Autotuner {
    pub fn new(space: SearchSpace, strategy: SearchStrategy) -> Autotuner {
        Autotuner { space, strategy }
    }

    /// Tunes the program that computes a tensor, on its arrays. The tensor itself is not realised.
    pub fn run<T: Element>(&self, tensor: &Tensor<T>) -> Result<TuningResult> {
        let backend = plan::backend_of(&[&tensor.0])?;
        let lowering = Lowering::new(backend.context(), tensor.0 .0.home.flags())?;
        let node = lowering.lower(&[&tensor.0])?[0];
        lowering.output("y", node)?;
        let leaves = plan::leaves(&tensor.0, backend.context())?;
        self.search(&lowering.into_built(), &leaves)
    }

    /// Tunes a graph for inputs like these.
    pub fn run_graph(&self, graph: &BuiltGraph, inputs: &[&Buffer]) -> Result<TuningResult> {
        let context = crate::registry::context()?;
        let inputs = inputs.iter().map(|&buffer| RawBuffer::of_buffer(&context, buffer.clone())).collect::<Result<Vec<_>>>()?;
        self.search(graph, &inputs)
    }

    fn search(&self, graph: &BuiltGraph, inputs: &[RawBuffer]) -> Result<TuningResult> {
        check_outside()?;
        let options = RawOptions::new(&self.space.base, Some("c"))?;
        let compilers = self.space.compilers.iter().map(|name| c_text(name)).collect::<Result<Vec<_>>>()?;
        let compilers: Vec<_> = compilers.iter().map(|name| name.as_ptr()).collect();
        let mut c = sys::harp_tune_options::init();
        c.compile = &options.c;
        c.seconds = self.space.seconds;
        c.max_trials = self.space.max_trials;
        c.dry_run = i32::from(self.space.dry_run);
        c.n_compilers = compilers.len();
        c.compilers = if compilers.is_empty() { ptr::null() } else { compilers.as_ptr() };
        c.strategy = match self.strategy {
            SearchStrategy::Beam => sys::HARP_TUNE_BEAM,
            SearchStrategy::Random(_) => sys::HARP_TUNE_RANDOM,
            SearchStrategy::GridSearch => sys::HARP_TUNE_GRID,
        };
        if let SearchStrategy::Random(seed) = self.strategy {
            c.seed = seed;
        }
        let buffers: Vec<_> = inputs.iter().map(|input| input.as_ptr()).collect();
        // Safety: live handles, and options that live until the call returns.
        let found = Found(make(|error| unsafe { sys::harp_tune(graph.raw(), &c, buffers.len(), buffers.as_ptr(), error) })?);
        found.read(&self.space.base)
    }
}

/// The C library's result; dropping this value releases it.
struct Found(*mut sys::harp_tune_result);

impl Found {
    fn read(&self, base: &Configuration) -> Result<TuningResult> {
        let mut summary = sys::harp_tune_summary::init();
        check(|error| unsafe { sys::harp_tune_result_summary(self.0, &mut summary, error) })?;
        let mut trials = Vec::new();
        for index in 0..summary.trials {
            let mut trial = sys::harp_tune_trial_info::init();
            check(|error| unsafe { sys::harp_tune_result_trial(self.0, index, &mut trial, error) })?;
            // Safety: texts that live as long as the result.
            let (schedule, failure) = unsafe { (text(trial.configuration), text(trial.failure)) };
            trials.push(TrialResult {
                configuration: Configuration { schedule, ignore_tuning: true, ..base.clone() },
                failure: Some(failure).filter(|text| !text.is_empty()),
                median_seconds: trial.median_seconds,
                spread_seconds: trial.spread_seconds,
                compile_seconds: trial.compile_seconds,
                expected: trial.expected,
                samples: trial.samples,
            });
        }
        // Safety: as above.
        let why_not_stored = unsafe { text(summary.why_not_stored) };
        Ok(TuningResult {
            trials,
            best: summary.best,
            speedup: summary.speedup,
            space_size: summary.space_size,
            is_exhausted: summary.exhausted == 1,
            why_not_stored: Some(why_not_stored).filter(|text| !text.is_empty()),
        })
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        // Safety: this value owns the result.
        unsafe { sys::harp_tune_result_release(self.0) }
    }
}
