//! The order of matches, and the index in it.

use crate::common::check_tree;

const SCATTERED: &str = "
low@0,50,10,60
 nowhere
 right@50,10,60,20
 left@0,10,10,20
  same@0,10,10,20
 high@90,-5,99,0
 lost
";

#[test]
fn from_the_top_then_from_the_left_then_as_in_the_tree() {
    check_tree(SCATTERED, "{}", "high left same right low nowhere lost");
}

#[test]
fn the_index_counts_in_this_order() {
    for (index, expected) in ["high", "left", "same", "right", "low", "nowhere", "lost"].iter().enumerate() {
        check_tree(SCATTERED, &format!("index: {index}"), expected);
    }
    check_tree(SCATTERED, "index: 7", "");
    check_tree(SCATTERED, "index: -1", "");
    check_tree(SCATTERED, "index: 9223372036854775807", "");
    check_tree(SCATTERED, "{ on: { textRegex: 'l.*' }, index: 1 }", "low");
    check_tree(SCATTERED, "{ childOf: { on: { textRegex: left } }, index: 0 }", "same");
    check_tree(SCATTERED, "{ childOf: { on: { textRegex: left } }, index: 1 }", "");
}
