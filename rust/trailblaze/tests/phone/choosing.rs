//! Which tests are run, and where they come from.

use crate::lab::{ADD, LAUNCH, Lab, NINE, ONE, trail};

const IDS: [&str; 4] = ["shop/cart", "sign-in/bad", "sign-in/good", "tour"];

fn lab() -> Lab {
    let lab = Lab::with(&[("shop/cart", &[]), ("sign-in/bad", &[]), ("tour", &[])]);
    lab.asset("trails/sign-in/good.trail.yaml", &trail("tags: [smoke]", &[LAUNCH]))
}

#[track_caller]
fn check(arguments: &[(&str, &str)], expected: &[&str]) {
    let lab = lab();
    let listed = lab.run(&[arguments, &[("log", "true")]].concat()).finishes();
    assert_eq!(listed.tests(), expected, "{arguments:?}");
    let count = expected.len();
    assert!(listed.statuses.iter().all(|block| block.get("numtests") == count.to_string()));
}

#[test]
fn tests_are_chosen_by_name() {
    check(&[], &IDS);
    check(&[("class", "dev.trailblaze.trails.SignIn")], &IDS[1..3]);
    check(
        &[("class", "dev.trailblaze.trails.SignIn#good,dev.trailblaze.trails.Trails")],
        &["sign-in/good", "tour"],
    );
    check(&[("notClass", "dev.trailblaze.trails.SignIn#good")], &["shop/cart", "sign-in/bad", "tour"]);
    check(
        &[("class", "dev.trailblaze.trails.SignIn"), ("notClass", "dev.trailblaze.trails.SignIn#bad")],
        &["sign-in/good"],
    );
    check(&[("package", "dev.trailblaze.trails")], &IDS);
    check(&[("tests_regex", "Shop#|#go+d$")], &["shop/cart", "sign-in/good"]);
    check(&[("tags", "smoke")], &["sign-in/good"]);
    check(&[("coverage", "true"), ("listener", "com.example.Listener")], &IDS);
}

#[test]
fn tests_are_chosen_by_a_file() {
    let lab = lab();
    let file = lab.write(
        "tests.txt",
        "# two of them\ndev.trailblaze.trails.SignIn#bad\r\n\ndev.trailblaze.trails.Trails#tour\n",
    );
    assert_eq!(lab.run(&[("testFile", &file)]).finishes().ends(), ["0 sign-in/bad", "0 tour"]);
    let rest = lab.run(&[("notTestFile", &file)]).finishes();
    assert_eq!(rest.ends(), ["0 shop/cart", "0 sign-in/good"]);
}

#[test]
fn shards_share_the_tests_among_them() {
    let lab = lab();
    let mut all = Vec::new();
    for shard in ["0", "1", "2"] {
        let ran = lab.run(&[("numShards", "3"), ("shardIndex", shard)]).finishes();
        let again = lab.run(&[("shardIndex", shard), ("numShards", "3"), ("log", "true")]).finishes();
        assert_eq!(ran.tests(), again.tests());
        all.extend(ran.tests());
    }
    all.sort();
    assert_eq!(all, IDS);
}

/// Hosts ask for the list first; the phone must not notice.
#[test]
fn a_list_touches_nothing() {
    let lab = lab();
    let ran = lab.run(&[("log", "true")]).finishes();
    let expected = [
        "1 Shop#cart 1/4",
        "0 Shop#cart 1/4",
        "1 SignIn#bad 2/4",
        "0 SignIn#bad 2/4",
        "1 SignIn#good 3/4",
        "0 SignIn#good 3/4",
        "1 Trails#tour 4/4",
        "0 Trails#tour 4/4",
    ];
    assert_eq!(ran.told(), expected);
    assert!(ran.done.is_empty(), "{:?}", ran.done);
    assert!(lab.files("files/reports").is_empty());
}

/// A workspace may name files that only a laptop needs.
#[test]
fn what_is_listed_is_what_is_run() {
    let target = "id: lab\ndisplay_name: Lab\nsim: { app: ./app.js }\n\
                  platforms:\n  android:\n    app_ids: [com.example.lab]\n";
    let lab = lab().asset("trailblaze-config/targets/lab.yaml", target);
    let listed = lab.run(&[("log", "true")]).finishes().tests();
    assert_eq!(listed, IDS);
    assert_eq!(lab.run(&[]).finishes().tests(), listed);
}

#[test]
fn a_pushed_workspace_takes_the_place_of_the_assets() {
    let lab = Lab::with(&[("packed", &[])]);
    lab.write("pushed/trailblaze.yaml", "target: lab\n");
    let target = "id: lab\ndisplay_name: Lab\nplatforms:\n  android:\n    app_ids: [com.example.lab]\n";
    lab.write("pushed/trailblaze-config/targets/lab.yaml", target);
    lab.write("pushed/trails/pushed.trail.yaml", &trail("", &[LAUNCH, ADD, ONE]));
    let folder = lab.root.join("pushed").to_string_lossy().into_owned();
    assert_eq!(lab.run(&[("workspace", &folder)]).finishes().ends(), ["0 pushed"]);
    assert!(lab.files("files/workspace").is_empty(), "nothing is unpacked");
}

/// What an earlier APK brought is gone.
#[test]
fn the_assets_are_unpacked_anew() {
    let lab = Lab::with(&[("old", &[]), ("same", &[NINE])]);
    assert_eq!(lab.run(&[]).finishes().ends(), ["0 old", "-2 same"]);
    let lab = lab.set(|state| state.assets.remove("trailblaze/trails/old.trail.yaml"));
    let lab = lab.asset("trails/same.trail.yaml", &trail("", &[LAUNCH]));
    assert_eq!(lab.run(&[]).finishes().ends(), ["0 same"]);
}

#[test]
fn the_target_is_chosen() {
    let target = "id: other\ndisplay_name: Other\nplatforms:\n  android:\n    app_ids: [com.example.other]\n";
    let lab = Lab::with(&[("a", &[])]).asset("trailblaze-config/targets/other.yaml", target);
    let ran = lab.run(&[("target", "other")]).finishes();
    assert!(ran.done.contains(&"$ am force-stop com.example.other".to_owned()), "{:?}", ran.done);
}

/// A run of no tests would look as if all was well.
#[test]
fn a_filter_that_fits_no_test_is_an_error() {
    let lab = lab();
    let file = lab.write("tests.txt", "dev.trailblaze.trails.Shop#card\n");
    let (class, test_file) = ("dev.trailblaze.trails.SingIn", file.as_str());
    let some = "there are such as 'dev.trailblaze.trails.Shop#cart', 'dev.trailblaze.trails.SignIn#bad' and \
                'dev.trailblaze.trails.SignIn#good'; '-e log true' lists all";
    let fewer = "'-e log true' with fewer of them lists the tests";
    for (arguments, message, hint) in [
        (
            &[("class", class)][..],
            format!("'class' names '{class}', and there is no such test"),
            "did you mean 'dev.trailblaze.trails.SignIn'?",
        ),
        (
            &[("testFile", test_file)],
            "'testFile' names 'dev.trailblaze.trails.Shop#card', and there is no such test".to_owned(),
            "did you mean 'dev.trailblaze.trails.Shop#cart'?",
        ),
        (
            &[("package", "com.example")],
            "'package' names 'com.example', and no test is in there".to_owned(),
            some,
        ),
        (&[("tests_regex", "^Shop")], "'tests_regex' is '^Shop', and no test fits".to_owned(), some),
        (&[("notPackage", "dev.trailblaze")], "no test is left after 'notPackage'".to_owned(), fewer),
        (
            &[("tags", "smoke"), ("class", "dev.trailblaze.trails.Shop")],
            "no test is left after 'class' and 'tags'".to_owned(),
            fewer,
        ),
    ] {
        for more in [("log", "false"), ("log", "true"), ("numShards", "2")] {
            let ran = lab.run(&[arguments, &[more]].concat());
            assert_eq!(ran.gives_up(), format!("{message}\nhint: {hint}"));
            assert!(ran.done.is_empty(), "{:?}", ran.done);
        }
    }
}

/// One name of several that is a slip of the pen: the others are not run as if it had been all.
#[test]
fn every_name_must_be_known() {
    let told = lab()
        .run(&[("class", "dev.trailblaze.trails.Trails#tour,dev.trailblaze.trails.SignIn#badd")])
        .refuses(&["tour"]);
    assert!(told.starts_with("'class' names 'dev.trailblaze.trails.SignIn#badd'"), "{told}");
}

/// There may be more parts than tests.
#[test]
fn an_empty_shard_ends_well() {
    let lab = Lab::with(&[("a", &[])]);
    let runs: Vec<_> = ["0", "1", "2", "3"]
        .map(|shard| lab.run(&[("numShards", "4"), ("shardIndex", shard)]).finishes())
        .into_iter()
        .collect();
    assert_eq!(runs.iter().filter(|ran| ran.statuses.is_empty()).count(), 3);
    let empty = runs.iter().find(|ran| ran.statuses.is_empty()).unwrap();
    assert!(empty.finish.get("stream").contains("0 passed, 0 failed"), "{:?}", empty.finish);
}
