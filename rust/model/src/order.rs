//! Sorting in few bytes. The sort of the standard library is made anew for every list, some four kilobytes each time,
//! and the library of the phone counts its bytes. Here it is made once: for places, which are compared by whoever asks.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Sorts; what compares as equal keeps its order.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let mut places: Vec<usize> = (0..items.len()).collect();
    sort_places(&mut places, &mut |one, other| compare(&items[one], &items[other]));
    // Each circle of items that take the place of one another is turned once.
    for start in 0..places.len() {
        let mut here = start;
        loop {
            let from = std::mem::replace(&mut places[here], here);
            if from == start {
                break;
            }
            items.swap(here, from);
            here = from;
        }
    }
}

/// Sorts by the order that items have themselves.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// The same by a key of each item, which is asked for at every comparison.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// A map, one pair after the other: `collect` would sort all of them first.
pub fn map<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(pairs);
    map
}

/// A set in the same way.
pub fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}

#[inline(never)]
fn sort_places(places: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    places.sort_by(|one, other| compare(*one, *other));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_stable_sort_of_the_standard_library(list in prop::collection::vec((0u8..9, any::<u16>()), 0..80)) {
            let (mut ours, mut theirs) = (list.clone(), list);
            sort_by_key(&mut ours, |(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(ours, theirs);
        }
    }
}
