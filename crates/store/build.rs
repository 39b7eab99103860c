//! Tells cargo that the migrations are part of the crate: `sqlx::migrate!` reads them, and a new file alone would not
//! have it compiled again.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
