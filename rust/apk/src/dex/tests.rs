use super::*;

fn suite(class: &str, methods: &[&str]) -> Suite {
    Suite { class: class.to_owned(), methods: methods.iter().map(|name| (*name).to_owned()).collect() }
}

#[test]
fn what_is_written_is_read() {
    let suites = [suite("a.b.Sign_In", &["pays"]), suite("a.b.Cart", &["pays", "add", "zero"])];
    let dex = Dex::read(write(&suites).unwrap()).unwrap();
    dex.check_layout().unwrap();
    let read: Vec<(String, Vec<String>)> =
        dex.classes.into_iter().map(|class| (class.descriptor, class.tests.into_iter().collect())).collect();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        read,
        [
            ("La/b/Cart;".to_owned(), names(&["add", "pays", "zero"])),
            ("La/b/Sign_In;".to_owned(), names(&["pays"]))
        ]
    );
}

#[test]
fn the_sum_is_that_of_zlib() {
    assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    assert_eq!(adler32(&[0xff; 20_000]), {
        let (a, b) = (0..20_000u64).fold((1, 0), |(a, b), _| ((a + 255) % 65521, (b + a + 255) % 65521));
        (b << 16 | a) as u32
    });
}

#[test]
fn a_changed_byte_is_seen() {
    let good = write(&[suite("a.B", &["c", "d"])]).unwrap();
    for place in 0..good.len() {
        let mut bad = good.clone();
        bad[place] ^= 1;
        // The version is the one thing that no sum covers.
        let is_version = (4..7).contains(&place);
        assert!(Dex::read(bad).is_err() || is_version, "byte {place}");
    }
}

/// The order is checked for itself, and not only by way of the sums.
#[test]
fn disorder_is_seen() {
    let good = write(&[suite("a.B", &["c", "d"]), suite("a.C", &["c", "d"])]).unwrap();
    let start = |place| crate::bytes::index(&good, place + 4).unwrap();
    let swaps = [
        (start(at::STRINGS), 4, "strings"),
        (start(at::TYPES), 4, "types"),
        (start(at::METHODS), 8, "methods"),
        (start(at::CLASSES), 32, "classes"),
        (crate::bytes::index(&good, at::MAP).unwrap() + 4, 12, "map"),
    ];
    for (place, width, what) in swaps {
        let mut bad = good.clone();
        let (first, second) =
            (good[place..place + width].to_vec(), good[place + width..place + 2 * width].to_vec());
        bad[place..place + width].copy_from_slice(&second);
        bad[place + width..place + 2 * width].copy_from_slice(&first);
        super::write::seal(&mut bad);
        let error = Dex::read(bad).and_then(|dex| dex.check_layout()).unwrap_err();
        assert!(error.message.contains(what), "{what}: {error}");
    }
}

#[test]
fn too_many_are_refused() {
    let methods = (0..70_000).map(|number| format!("t{number}")).collect();
    let error = write(&[Suite { class: "a.B".to_owned(), methods }]).unwrap_err();
    assert_eq!(error.message, "70000 trails are more than one dex file can name");
}

#[test]
fn names_are_java_names() {
    for (class, method) in
        [("a.B", "2c"), ("a.B", "c d"), ("a.B", "c-d"), ("a..B", "c"), ("a.2B", "c"), ("a.B", "日")]
    {
        assert!(write(&[suite(class, &[method])]).is_err(), "{class} {method}");
    }
}
