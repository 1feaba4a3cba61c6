//! Leaves out the tests of the files that are compiled here: they are for real threads.

fn main() {
    println!("cargo:rustc-cfg=orders");
}
