//! Tells the linker where libharp is, from pkg-config's data for harp or harp-static. With `load-dynamic` nothing is linked.
use std::env::var_os;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if var_os("CARGO_FEATURE_LOAD_DYNAMIC").is_some() {
        return;
    }
    let is_static = var_os("CARGO_FEATURE_STATIC").is_some();
    let package = if is_static { "harp-static" } else { "harp" };
    let found = pkg_config::Config::new().atleast_version("0.1").cargo_metadata(!is_static).probe(package);
    let library = match found {
        Ok(library) => library,
        Err(error) => panic!("harp is not installed, or PKG_CONFIG_PATH does not name the folder of its {}.pc\n{}", package, error),
    };
    if is_static {
        // libharp.so is in the same directory as libharp.a, and `-lharp` would select it.
        let folder = pkg_config::get_variable(package, "libdir").expect("harp-static.pc says where the library is");
        println!("cargo:rustc-link-search=native={}", folder);
        println!("cargo:rustc-link-lib=static=harp");
        for name in library.libs.iter().filter(|name| *name != "harp") {
            println!("cargo:rustc-link-lib=dylib={}", name);
        }
    }
}
