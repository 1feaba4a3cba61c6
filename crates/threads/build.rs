//! Leaves out the tests in the files that are compiled here: they need real threads.

fn main() {
    println!("cargo:rustc-cfg=orders");
}
