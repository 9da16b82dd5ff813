//! `contract.bin` is what the `.proto` files say, and they take back nothing that they said.

#[path = "generated/breaking.rs"]
mod breaking;

use std::path::Path;

use buffa_descriptor::DescriptorPool;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};
use trailblaze_rpc::contract;

/// With a path here the contract is written there instead of compared.
const WRITE_TO: &str = "TRAILBLAZE_CONTRACT";

const FILES: &[&str] = &[
    "trailblaze/v1/commands.proto",
    "trailblaze/v1/registry.proto",
    "grpc/health/v1/health.proto",
    "grpc/reflection/v1/reflection.proto",
    "grpc/reflection/v1alpha/reflection.proto",
];

#[test]
fn the_contract_is_what_the_protos_say() {
    let protos = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
    let mut compiler = protox::Compiler::new([protos]).expect("the folder is there");
    compiler.include_imports(true).include_source_info(false);
    compiler.open_files(FILES).unwrap_or_else(|error| panic!("{error:?}"));
    let fresh = compiler.encode_file_descriptor_set();

    let pool = |bytes: &[u8]| DescriptorPool::decode(bytes).expect("it was compiled");
    let problems = breaking::between(&pool(contract::DESCRIPTORS), &pool(&fresh), contract::PACKAGE);
    assert!(
        problems.is_empty(),
        "the contract breaks what programs rely on:\n{}\nhint: add new names and numbers, and keep the old ones",
        problems.join("\n")
    );
    match std::env::var_os(WRITE_TO) {
        Some(path) => std::fs::write(path, fresh).expect("the folder is there"),
        None => assert!(
            fresh == contract::DESCRIPTORS,
            "rust/rpc/src/contract.bin is out of date: run 'cargo xtask codegen'"
        ),
    }
}

/// A proto file that is only a text.
struct Text(String);

impl FileResolver for Text {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match name {
            "a.proto" => File::from_source(name, &self.0),
            _ => Err(protox::Error::file_not_found(name)),
        }
    }
}

fn compiled(body: &str) -> DescriptorPool {
    let mut files = ChainFileResolver::new();
    files.add(Text(format!("syntax = \"proto3\"; package p; {body}")));
    files.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(files);
    compiler.open_file("a.proto").unwrap_or_else(|error| panic!("{error:?}"));
    DescriptorPool::decode(&compiler.encode_file_descriptor_set()).expect("it was compiled")
}

#[track_caller]
fn check(old: &str, new: &str, expected: &[&str]) {
    assert_eq!(breaking::between(&compiled(old), &compiled(new), "p"), expected);
}

#[test]
fn more_is_fine() {
    check(
        "message M { string a = 1; } enum E { Z = 0; } service S { rpc F(M) returns (M); }",
        "message M { string a = 1; string b = 2; } message N {} enum E { Z = 0; Y = 1; } \
         service S { rpc F(M) returns (M); rpc G(M) returns (N); }",
        &[],
    );
}

#[test]
fn what_is_gone_or_changed_is_found() {
    let one = "message M { string a = 1; }";
    check(one, "", &["message p.M is gone"]);
    check(one, "message M {}", &["field implicit string a (a) = 1 of p.M is gone"]);
    check(one, "message M { string a = 2; }", &["field implicit string a (a) = 1 of p.M is gone"]);
    check(
        one,
        "message M { int32 a = 1; }",
        &["field implicit string a (a) = 1 of p.M now is implicit int32 a (a) = 1"],
    );
    check(
        one,
        "message M { string b = 1; }",
        &["field implicit string a (a) = 1 of p.M now is implicit string b (b) = 1"],
    );
    check(
        one,
        "message M { optional string a = 1; }",
        &["field implicit string a (a) = 1 of p.M now is explicit string a (a) = 1"],
    );
    check(
        one,
        "message M { repeated string a = 1; }",
        &["field implicit string a (a) = 1 of p.M now is repeated string a (a) = 1"],
    );
    check("enum E { Z = 0; Y = 1; }", "enum E { Z = 0; Y = 2; }", &["value Y = 1 of p.E is gone"]);
    let service = "message M {} service S { rpc F(M) returns (M); }";
    check(service, "message M {}", &["method p.S/F is gone"]);
    check(
        service,
        "message M {} service S { rpc F(M) returns (stream M); }",
        &["method p.S/F was (p.M) returns (p.M), now is (p.M) returns (stream p.M)"],
    );
}
