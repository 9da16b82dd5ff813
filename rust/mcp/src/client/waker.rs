//! Wakes a thread that waits on file descriptors, from any other thread.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rustix::event::{PollFd, Timespec, poll};

/// Waits for file descriptors. Whether something happened before the time was over.
pub(super) fn wait(fds: &mut [PollFd<'_>], until: Instant) -> bool {
    let left = until.saturating_duration_since(Instant::now());
    let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
    matches!(poll(fds, Some(&left)), Ok(1..))
}

/// A pipe that is readable once it was woken. Both ends are closed in programs that are started.
#[derive(Debug)]
pub struct Waker {
    /// Whether there is something in the pipe: a look at it costs less than a read.
    woken: AtomicBool,
    reader: PipeReader,
    writer: PipeWriter,
}

impl Waker {
    pub fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        rustix::io::ioctl_fionbio(&reader, true)?;
        rustix::io::ioctl_fionbio(&writer, true)?;
        Ok(Self { woken: AtomicBool::new(false), reader, writer })
    }

    pub fn wake(&self) {
        // A full pipe wakes as well.
        let _ = (&self.writer).write(&[1]);
        // After the write: otherwise a rest in between would find nothing and leave the pipe readable for ever.
        self.woken.store(true, Ordering::Release);
    }

    /// Forgets that it was woken.
    pub fn rest(&self) {
        if !self.woken.swap(false, Ordering::Acquire) {
            return;
        }
        let mut bytes = [0; 64];
        while matches!((&self.reader).read(&mut bytes), Ok(count) if count == bytes.len()) {}
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}
