//! Large answers wait here until they are read. Whoever asks and does not read must not use up the memory of all.

use std::sync::Arc;

use axum::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::refusal::Refusal;

/// The unit in which it is counted.
const KIB: usize = 1024;
/// Smaller answers have a place anyway, so that who asks for little is not kept waiting by who reads slowly.
const SMALL: usize = 64 * KIB;

#[derive(Clone, Debug)]
pub(crate) struct Shelf(Arc<Semaphore>);

/// A place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _kib: Option<OwnedSemaphorePermit>,
}

/// An answer with its place.
struct Put {
    bytes: Vec<u8>,
    _place: Place,
}

impl AsRef<[u8]> for Put {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Shelf {
    /// With room for so many bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self(Arc::new(Semaphore::new(most / KIB)))
    }

    pub(crate) fn place(&self, bytes: usize) -> Result<Place, Refusal> {
        if bytes <= SMALL {
            return Ok(Place { _kib: None });
        }
        let kib = u32::try_from(bytes.div_ceil(KIB)).unwrap_or(u32::MAX);
        let taken = self.0.clone().try_acquire_many_owned(kib).map_err(|_| Refusal::Crowded)?;
        Ok(Place { _kib: Some(taken) })
    }

    /// Bytes that have their place as long as anybody has a part of them.
    pub(crate) fn put(&self, bytes: Vec<u8>) -> Result<Bytes, Refusal> {
        let place = self.place(bytes.len())?;
        Ok(if place._kib.is_none() {
            Bytes::from(bytes)
        } else {
            Bytes::from_owner(Put { bytes, _place: place })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_makes_room() {
        let shelf = Shelf::new(300 * KIB);
        let put = |kib: usize| shelf.put(vec![0; kib * KIB]);
        let (mut first, second) = (put(200), put(100));
        assert!(first.is_ok() && second.is_ok());
        assert_eq!(put(100), Err(Refusal::Crowded));
        assert!(put(64).is_ok(), "small ones are not counted");
        // A part keeps all of it.
        let part = first.as_mut().map(|bytes| bytes.split_to(10)).expect("it is there");
        drop(first);
        assert_eq!(put(200), Err(Refusal::Crowded));
        drop(part);
        assert!(put(200).is_ok());
    }

    #[test]
    fn what_would_never_fit_is_refused() {
        assert_eq!(Shelf::new(100 * KIB).put(vec![0; 200 * KIB]), Err(Refusal::Crowded));
    }
}
