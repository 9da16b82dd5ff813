//! What changed between two screens, subtree by subtree.

use super::{NodeId, NodeRef, Screen};

/// One number per node for everything in and below it. Equal subtrees have equal numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    nodes: Vec<u64>,
    /// One number per node for the node itself.
    own: Vec<u64>,
}

impl Fingerprint {
    /// The number of a subtree.
    pub fn of(&self, id: NodeId) -> u64 {
        self.nodes[id.index()]
    }
}

/// Mixes a value into a hash; cheap, and good enough to tell screens apart.
fn mix(hash: u64, value: u64) -> u64 {
    let mixed = (hash ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

fn hash_text(text: &str) -> u64 {
    let mut hash = text.len() as u64;
    for chunk in text.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    hash
}

impl Screen {
    /// The numbers of all nodes, in one pass from the last to the first.
    pub fn fingerprint(&self) -> Fingerprint {
        let texts: Vec<u64> =
            (0..self.ends.len() as u32).map(|index| hash_text(self.string(index))).collect();
        let own: Vec<u64> = self.nodes().map(|node| self.hash_own(node, &texts)).collect();
        // Until its turn comes, a node's place holds what is below it.
        let mut nodes = vec![0u64; self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            let number = mix(own[index], nodes[index]);
            nodes[index] = number;
            // Children come last to first, so their order counts.
            if let Some(sum) = nodes.get_mut(self.nodes[index].parent as usize) {
                *sum = mix(*sum, number);
            }
        }
        Fingerprint { nodes, own }
    }

    fn hash_own(&self, node: NodeRef<'_>, texts: &[u64]) -> u64 {
        let data = &self.nodes[node.id().index()];
        let mut hash = u64::from(data.flags.bits());
        for (prop, index) in data.props.iter().enumerate() {
            if let Some(text) = texts.get(*index as usize) {
                hash = mix(hash, text.wrapping_add(prop as u64));
            }
        }
        if let Some(bounds) = data.bounds {
            let pair = |a: i32, b: i32| (u64::from(a as u32) << 32) | u64::from(b as u32);
            hash = mix(mix(hash, pair(bounds.left, bounds.top)), pair(bounds.right, bounds.bottom));
        }
        mix(hash, (u64::from(data.input_type as u32) << 32) | u64::from(data.drawing_order as u32))
    }

    /// The nodes of `other` that are the tops of what is not as it is here.
    pub fn changes(&self, own: &Fingerprint, other: &Self, theirs: &Fingerprint) -> Vec<NodeId> {
        if self.windows.len() != other.windows.len() {
            return other.windows.iter().map(|window| window.root).collect();
        }
        let roots = self.windows.iter().zip(&other.windows);
        let mut todo: Vec<(NodeId, NodeId)> = roots.map(|(own, other)| (own.root, other.root)).collect();
        let mut changed = Vec::new();
        while let Some((before, after)) = todo.pop() {
            if own.of(before) == theirs.of(after) {
                continue;
            }
            let (one, two) = (self.node(before), other.node(after));
            let same_self = own.own[before.index()] == theirs.own[after.index()];
            let known = todo.len();
            let (mut ones, mut twos) = (one.children(), two.children());
            let as_many = loop {
                match (ones.next(), twos.next()) {
                    (Some(one), Some(two)) if own.of(one.id()) != theirs.of(two.id()) => {
                        todo.push((one.id(), two.id()));
                    }
                    (Some(_), Some(_)) => {}
                    (one, two) => break one.is_none() && two.is_none(),
                }
            };
            if !same_self || !as_many {
                todo.truncate(known);
                changed.push(after);
            }
        }
        crate::order::sort(&mut changed);
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NodeSpec, Prop, ScreenBuilder};
    use super::*;

    /// Texts by depth: `a`, ` b` is below it.
    fn screen(lines: &[&str]) -> Screen {
        let mut builder = ScreenBuilder::new(100, 100, 0);
        let mut depth = 0;
        for line in lines {
            let indent = line.len() - line.trim_start().len();
            while depth > indent {
                builder.close();
                depth -= 1;
            }
            builder.open(NodeSpec::default().with(Prop::Text, line.trim())).unwrap();
            depth += 1;
        }
        builder.finish()
    }

    #[track_caller]
    fn check(before: &[&str], after: &[&str], changed: &[usize]) {
        let (before, after) = (screen(before), screen(after));
        let found = before.changes(&before.fingerprint(), &after, &after.fingerprint());
        assert_eq!(found.into_iter().map(NodeId::index).collect::<Vec<_>>(), changed);
    }

    #[test]
    fn only_the_tops_of_what_changed_are_named() {
        check(&["a", " b", " c"], &["a", " b", " c"], &[]);
        check(&["a", " b", " c"], &["a", " x", " c"], &[1]);
        check(&["a", " b", "  c", " d"], &["a", " b", "  x", " y"], &[2, 3]);
        check(&["a", " b"], &["a", " b", " c"], &[0]);
        check(&["a", " b", " c"], &["a", " c", " b"], &[1, 2]);
    }

    #[test]
    fn equal_subtrees_have_equal_numbers_wherever_they_stand() {
        let screen = screen(&["a", " b", "  c", " b", "  c", " b"]);
        let print = screen.fingerprint();
        let number = |index: usize| print.of(screen.nodes().nth(index).unwrap().id());
        assert_eq!(number(1), number(3));
        assert_ne!(number(1), number(5));
    }
}
