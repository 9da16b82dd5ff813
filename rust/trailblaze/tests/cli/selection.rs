//! Which trails are run: tags, filters and shards.

use insta::assert_snapshot;

use crate::space::{Space, trail_text};

fn tagged() -> Space {
    let space = Space::lab();
    space.write("trails/login/good.trail.yaml", trail_text("tags: [smoke, login], title: Sign in", &[]));
    space.write("trails/login/bad.trail.yaml", trail_text("tags: [login], title: Wrong password", &[]));
    space.write("trails/cart/add.trail.yaml", trail_text("tags: [smoke]", &[]));
    space.write("trails/cart/pay.trail.yaml", trail_text("id: checkout/pay", &[]));
    space
}

#[track_caller]
fn chosen(space: &Space, args: &[&str]) -> Vec<String> {
    let args = [&["run", "--json"], args].concat();
    let result = space.run(&args).exits(0).json();
    result["trails"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trail| trail["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn tags_choose_trails_that_have_any_of_them() {
    let space = tagged();
    assert_eq!(chosen(&space, &[]), ["cart/add", "checkout/pay", "login/bad", "login/good"]);
    assert_eq!(chosen(&space, &["--tag", "smoke"]), ["cart/add", "login/good"]);
    assert_eq!(
        chosen(&space, &["--tag", "smoke", "--tag", "login"]),
        ["cart/add", "login/bad", "login/good"]
    );
}

#[test]
fn filters_look_at_ids_and_titles() {
    let space = tagged();
    assert_eq!(chosen(&space, &["--filter", "login"]), ["login/bad", "login/good"]);
    assert_eq!(chosen(&space, &["--filter", "wrong PASS"]), ["login/bad"]);
    assert_eq!(chosen(&space, &["--filter", "*/pay"]), ["checkout/pay"]);
    assert_eq!(chosen(&space, &["--filter", "c?rt/*", "--filter", "checkout"]), ["cart/add", "checkout/pay"]);
    assert_eq!(chosen(&space, &["--filter", "login", "--tag", "smoke"]), ["login/good"]);
}

#[test]
fn nothing_chosen_is_an_error_that_names_the_tags() {
    let space = tagged();
    assert_snapshot!(space.run(&["run", "--tag", "smok"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: no trail fits --tag and --filter
    hint: found 4 trails, with the tags login, smoke
    ");
    assert_snapshot!(space.run(&["run", "--filter", "none"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: no trail fits --tag and --filter
    hint: found 4 trails, with the tags login, smoke
    ");
}

#[test]
fn shards_are_disjoint_and_together_all() {
    let space = tagged();
    let all = chosen(&space, &[]);
    for count in [1, 2, 3, 7] {
        let mut together: Vec<String> =
            (1..=count).flat_map(|index| chosen(&space, &["--shard", &format!("{index}/{count}")])).collect();
        together.sort();
        assert_eq!(together, all, "{count} shards");
    }
}

#[test]
fn an_empty_shard_passes() {
    let space = tagged();
    let empty = (1..=7)
        .map(|index| format!("{index}/7"))
        .find(|shard| chosen(&space, &["--shard", shard]).is_empty());
    let shard = empty.expect("four trails leave three of seven shards empty");
    assert_snapshot!(space.run(&["run", "--shard", &shard]).to_string(), @"
    exit: 0
    ----- stdout
    Running 0 trails on sim (android-ondevice-accessibility)

    0 passed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
}
