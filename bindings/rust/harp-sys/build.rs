//! Tells the linker where libharp is: what pkg-config says of harp, or of harp-static. With `load-dynamic` nothing is linked.
use std::env::var_os;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if var_os("CARGO_FEATURE_LOAD_DYNAMIC").is_some() {
        return;
    }
    let package = if var_os("CARGO_FEATURE_STATIC").is_some() { "harp-static" } else { "harp" };
    if let Err(error) = pkg_config::Config::new().atleast_version("0.1").probe(package) {
        panic!("harp is not installed, or PKG_CONFIG_PATH does not name the folder of its {}.pc\n{}", package, error);
    }
}
