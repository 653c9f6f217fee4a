//! The feature `load-dynamic`: libharp is opened at run time.
use harp::{ErrorKind, Tensor};
use std::process::Command;

/// Tests the errors of a program if the loader finds no usable libharp. `a_library_that_cannot_be_loaded_is_an_error` runs this test in
/// such an environment.
#[test]
#[ignore = "runs in a process of its own"]
fn without_a_library() {
    // Safety: none of these names is that of a library which defines symbols with harp's names.
    for (name, expected) in [("/no/such/libharp.so", "cannot open"), ("libm.so.6", "harp_get_api"), ("a\0b", "zero byte")] {
        let mistake = unsafe { harp::load(name) }.unwrap_err();
        assert_eq!(mistake.kind(), ErrorKind::Io);
        assert!(mistake.message().contains(expected), "{}", mistake);
    }
    let mistakes = [
        harp::Context::new(&harp::ContextOptions::default()).map(|_| ()),
        harp::backend("interp").map(|_| ()),
        Tensor::try_from_vec(vec![1.0f32], [1]).map(|_| ()),
        harp::BuiltGraph::parse("harp 1\n").map(|_| ()),
    ];
    for mistake in mistakes.map(Result::unwrap_err) {
        assert_eq!(mistake.kind(), ErrorKind::Io);
        assert!(mistake.message().contains("harp cannot be loaded: "), "{}", mistake);
    }
}

#[test]
fn a_library_that_cannot_be_loaded_is_an_error() {
    // The loader searches LD_LIBRARY_PATH first, so it does not use a libharp in the system's directories.
    let folder = std::env::temp_dir().join(format!("harp-no-library-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("libharp.so.0"), "no library").unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    let child = child.args(["--ignored", "--exact", "without_a_library"]).env("LD_LIBRARY_PATH", &folder);
    let output = child.output();
    std::fs::remove_dir_all(&folder).unwrap();
    let output = output.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{}", text);
}
