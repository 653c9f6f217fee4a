//! The types of the tuner, which call harp_tune.
use harp::{Autotuner, Configuration, ErrorKind, SearchSpace, SearchStrategy, Tensor, TrialResult};

#[test]
fn strategies_find_a_configuration_that_changes_no_bit() {
    let x = Tensor::from_vec((0..4096).map(|i| (i as f32) / 4096.0).collect(), [64, 64]);
    let expected = (x.exp() * 2.0).sum(1, false).to_vec().unwrap();
    for strategy in [SearchStrategy::Beam, SearchStrategy::Random(7), SearchStrategy::GridSearch] {
        let space = SearchSpace { max_trials: 2, seconds: 20.0, dry_run: true, ..SearchSpace::default() };
        let y = (x.exp() * 2.0).sum(1, false);
        let found = Autotuner::new(space, strategy).run(&y).unwrap();
        assert!(!y.is_realized());
        let first: &TrialResult = &found.trials[0];
        assert_eq!(first.configuration.schedule, "");
        assert!(first.samples > 0 && first.median_seconds > 0.0 && found.space_size >= 2.0);
        assert!(found.best < found.trials.len() && found.why_not_stored.is_some());
        for trial in found.trials.iter().filter(|trial| trial.failure.is_none()) {
            let y = (x.exp() * 2.0).sum(1, false);
            assert_eq!(y.realize_with_config(&trial.configuration).unwrap().as_slice::<f32>().unwrap(), expected);
        }
    }
}

#[test]
fn a_space_with_a_schedule_is_a_mistake() {
    let base = Configuration { schedule: "kernel_0: elementwise [thread]".to_owned(), ..Configuration::default() };
    let x = Tensor::from_vec(vec![1.0f32; 64], [64]);
    let outcome = Autotuner::new(SearchSpace { base, ..SearchSpace::default() }, SearchStrategy::Beam).run(&(x + 1.0));
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::InvalidArgument);
}
