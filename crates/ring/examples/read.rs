//! Reads the beginning of a file: `cargo run -p headcount-ring --example read -- /etc/hostname`.

use std::io::Write as _;

use headcount_ring::{Buffer, Ring, Target};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a file")?;
    let mut ring = Ring::new(8)?;
    let file = Target::open(std::fs::File::open(path)?);
    ring.read_at(&file, 0, Buffer::new(4096)?, 4096, 7)?;
    ring.wait(1)?;
    while let Some(done) = ring.poll() {
        let bytes = done.result?;
        if let Some(buffer) = done.buffer {
            std::io::stdout().write_all(&buffer[..bytes])?;
        }
    }
    Ok(())
}
