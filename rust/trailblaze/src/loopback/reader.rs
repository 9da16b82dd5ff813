//! Whoever asks has to read the answer. One who does not would keep it, and his place, from others.
//!
//! In HTTP/1 that shows in the socket, which takes no more ([`Guest`](super::room::Guest)). A client of HTTP/2 may empty the
//! socket and still not take an answer: then nobody asks for its next piece.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Error;
use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};

/// So much has to be read within the time that a request may take to arrive; the end of an answer may be less.
pub(super) const LEAST: usize = 1024 * 1024;
/// Answers are handed over in pieces of this size.
const PIECE: usize = 16 * 1024;

/// The answers on one connection that somebody has yet to read, by their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader(Arc<Mutex<Unread>>);

#[derive(Debug, Default)]
struct Unread {
    last: u64,
    answers: BTreeMap<u64, Behind>,
}

/// Somebody is behind with reading.
#[derive(Clone, Copy, Debug)]
struct Behind {
    since: Instant,
    /// What was read meanwhile.
    read: usize,
}

impl Reader {
    /// Ends when an answer is not read within so much time.
    pub(super) async fn lost(&self, slowest: Duration) {
        loop {
            tokio::time::sleep(slowest / 4).await;
            if self.lock().answers.values().any(|behind| behind.since.elapsed() >= slowest) {
                return;
            }
        }
    }

    /// An answer of which is known whether it is read.
    pub(super) fn reads(&self, body: Body) -> Body {
        if body.is_end_stream() {
            return body;
        }
        let number = {
            let mut unread = self.lock();
            unread.last += 1;
            unread.last
        };
        Body::new(Answer { body, left: Bytes::new(), number, given: 0, reader: self.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, Unread> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// More of an answer was asked for, so that what was given before has been read.
    fn has_read(&self, number: u64, bytes: usize) {
        if let Some(behind) = self.lock().answers.get_mut(&number) {
            behind.read += bytes;
            if behind.read >= LEAST {
                *behind = Behind { since: Instant::now(), read: 0 };
            }
        }
    }

    fn is_given(&self, number: u64) {
        self.lock().answers.entry(number).or_insert_with(|| Behind { since: Instant::now(), read: 0 });
    }

    /// There is nothing to read at the moment.
    fn is_even(&self, number: u64) {
        self.lock().answers.remove(&number);
    }
}

struct Answer {
    body: Body,
    /// What does not fit into a piece.
    left: Bytes,
    number: u64,
    /// The size of the last piece.
    given: usize,
    reader: Reader,
}

impl Answer {
    fn give(&mut self, mut data: Bytes) -> Frame<Bytes> {
        let piece = data.split_to(data.len().min(PIECE));
        self.left = data;
        self.given = piece.len();
        self.reader.is_given(self.number);
        Frame::data(piece)
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let me = &mut *self;
        me.reader.has_read(me.number, std::mem::take(&mut me.given));
        if !me.left.is_empty() {
            let left = std::mem::take(&mut me.left);
            return Poll::Ready(Some(Ok(me.give(left))));
        }
        let polled = Pin::new(&mut me.body).poll_frame(context);
        match polled {
            Poll::Ready(Some(Ok(frame))) => Poll::Ready(Some(Ok(match frame.into_data() {
                Ok(data) => me.give(data),
                Err(trailers) => trailers,
            }))),
            other => {
                me.reader.is_even(me.number);
                other
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // Nobody asks any more when something is left.
        self.body.size_hint()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.reader.is_even(self.number);
    }
}
