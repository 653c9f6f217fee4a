//! The feature `load-dynamic`: libharp is opened at run time.
use harp::{ErrorKind, Tensor};
use std::process::Command;

/// What a program sees where the loader finds no usable libharp. `a_library_that_cannot_be_loaded_is_an_error` makes such an environment.
#[test]
#[ignore = "runs in a process of its own"]
fn without_a_library() {
    // Safety: these files are not harp's library, and say so.
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
    // The loader looks here first, so a libharp in the system's directories does not matter.
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
