//! The sum of an APK: of pieces of 1 MiB, so that all cores can work on it and nothing large is held.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

const PIECE: u64 = 1 << 20;

/// The sums of some pieces, by their numbers.
type Sums = Vec<(usize, [u8; 32])>;

/// A part that is summed for itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    /// Bytes of the file, from and to.
    File(u64, u64),
    Bytes(&'a [u8]),
}

impl<'a> Part<'a> {
    fn pieces(self) -> Vec<Self> {
        match self {
            Self::Bytes(bytes) => bytes.chunks(PIECE as usize).map(Part::Bytes).collect(),
            Self::File(from, to) => {
                let starts = (from..to).step_by(PIECE as usize);
                starts.map(|start| Part::File(start, to.min(start + PIECE))).collect()
            }
        }
    }
}

/// The sum over all parts.
pub(crate) fn digest(path: &Path, parts: &[Part<'_>]) -> Result<[u8; 32]> {
    let pieces: Vec<Part<'_>> = parts.iter().flat_map(|part| part.pieces()).collect();
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let next = AtomicUsize::new(0);
    let mut sums = vec![[0; 32]; pieces.len()];
    let done: Vec<Result<Sums>> = thread::scope(|scope| {
        let work = || some_sums(path, &pieces, &next);
        let workers: Vec<_> = (0..cores.min(pieces.len())).map(|_| scope.spawn(work)).collect();
        let ended = |worker: thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|_| Err(Error::new("summing failed")))
        };
        workers.into_iter().map(ended).collect()
    });
    for some in done {
        some?.into_iter().for_each(|(piece, sum)| sums[piece] = sum);
    }
    let mut all = Sha256::new();
    all.update([0x5a]);
    all.update((sums.len() as u32).to_le_bytes());
    sums.iter().for_each(|sum| all.update(sum));
    Ok(all.finalize().into())
}

/// The sum of a whole file, which is what signing a large one costs.
pub fn sum(path: &Path) -> Result<[u8; 32]> {
    digest(path, &[Part::File(0, path.metadata()?.len())])
}

/// Takes pieces until none is left.
fn some_sums(path: &Path, pieces: &[Part<'_>], next: &AtomicUsize) -> Result<Sums> {
    let mut file = File::open(path)?;
    let mut held = Vec::new();
    let mut sums = Vec::new();
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(piece) = pieces.get(index) else { return Ok(sums) };
        let bytes = match *piece {
            Part::Bytes(bytes) => bytes,
            Part::File(from, to) => {
                held.resize((to - from) as usize, 0);
                file.seek(SeekFrom::Start(from))?;
                file.read_exact(&mut held)?;
                &held
            }
        };
        let sum = Sha256::new()
            .chain_update([0xa5])
            .chain_update((bytes.len() as u32).to_le_bytes())
            .chain_update(bytes);
        sums.push((index, sum.finalize().into()));
    }
}
