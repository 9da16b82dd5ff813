//! Who may call what.

use std::sync::Arc;

use serde_json::{Value, json};
use trailblaze_engine::dispatch::Output;
use trailblaze_engine::registry::{Registry, Scope, Source as ToolSource, Tool};
use trailblaze_engine::yaml_tool;
use trailblaze_model::diagnostic::{Diagnostic, Diagnostics, Severity};
use trailblaze_model::driver::{AgentMode, Driver, Platform};
use trailblaze_model::failure::FailureKind;
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::place::{FilePlace, Place, Source};
use trailblaze_model::toolset::ToolsetFile;
use trailblaze_model::{target, tool, toolset};

use crate::support::{function, scope};

fn named(name: &str, flags: ToolFlags) -> Tool {
    function(name, flags, |_, _| Ok(Output::default()))
}

fn from_file(file: &str, id: &str) -> Tool {
    let text = format!("id: {id}\ndescription: d\nparameters: []\ntools: [{{ pressBack: {{}} }}]\n");
    let file = tool::read(&Source::new(file, text), &mut Diagnostics::new()).unwrap();
    let at = file.at.clone();
    yaml_tool::tool(file, ToolSource::File(at), yaml_tool::Bodies::default())
}

fn set(text: &str) -> (ToolSource, ToolsetFile) {
    let file = toolset::read(&Source::new("toolsets/own.yaml", text), &mut Diagnostics::new()).unwrap();
    (ToolSource::File(file.at.clone()), file)
}

fn with_target(text: &str) -> Scope {
    let text = format!("id: shop\ndisplay_name: Shop\nplatforms:\n{text}");
    let file = target::read(&Source::new("targets/shop.yaml", text), &mut Diagnostics::new()).unwrap();
    Scope { target: Some(Arc::new(file)), ..scope() }
}

fn build(scope: &Scope, tools: Vec<Tool>, sets: &[(ToolSource, ToolsetFile)]) -> (Registry, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let known = [("findMatches".to_owned(), "it comes later".to_owned())];
    let registry = Registry::build(scope, tools, known, sets, &mut problems);
    (registry, problems)
}

fn offered(registry: &Registry) -> Vec<&str> {
    registry.tools().filter(|tool| registry.is_offered(tool)).map(|tool| tool.name.as_str()).collect()
}

#[test]
fn tools_of_all_sources_stand_side_by_side_under_their_own_names() {
    let mut tools = trailblaze_engine::builtin::tools();
    tools.push(from_file("tools/shop_pay.yaml", "shop_pay"));
    tools.push(named("shop_search", ToolFlags::default()));
    let (registry, problems) = build(&scope(), tools, &[]);
    assert_eq!(problems, []);
    for (name, source) in
        [("tap", "built in"), ("shop_pay", "tools/shop_pay.yaml"), ("shop_search", "the server 'test'")]
    {
        assert_eq!(registry.get(name).unwrap().source.to_string(), source);
    }
}

#[test]
fn a_name_against_the_rules_is_a_warning() {
    let names = ["android_reboot", "trailblaze_go", "my.tool", "login_phone", "config"];
    let tools = names.iter().map(|name| named(name, ToolFlags::default())).collect();
    let (registry, problems) = build(&scope(), tools, &[]);
    assert_eq!(problems.len(), names.len());
    assert!(problems.iter().all(|problem| problem.severity == Severity::Warning), "{problems:?}");
    assert_eq!(registry.tools().count(), names.len());
}

#[test]
fn a_built_in_name_may_have_a_reserved_prefix() {
    let (_, problems) = build(&scope(), trailblaze_engine::builtin::tools(), &[]);
    assert_eq!(problems, []);
}

#[test]
fn two_sources_with_one_name_are_an_error_that_names_both_with_their_files() {
    let tools = vec![from_file("tools/a.yaml", "shop_pay"), from_file("more/b.yaml", "shop_pay")];
    let (_, problems) = build(&scope(), tools, &[]);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].severity, Severity::Error);
    assert_eq!(problems[0].message, "two tools are called 'shop_pay': tools/a.yaml and more/b.yaml");
    assert_eq!(problems[0].at.as_ref().unwrap().to_string(), "more/b.yaml:1:1");

    let at = FilePlace { file: "targets/a.yaml".into(), place: Place { line: 4, column: 5 } };
    let mut served = from_file("-", "shop__pay");
    served.source = ToolSource::Server { name: "shop".to_owned(), at: Some(at) };
    let (_, problems) = build(&scope(), vec![from_file("tools/a.yaml", "shop__pay"), served], &[]);
    let said: Vec<String> = problems
        .iter()
        .map(|problem| format!("{} {:?}", problem.at.as_ref().unwrap(), problem.code))
        .collect();
    assert_eq!(
        said,
        ["tools/a.yaml:1:1 Naming", "targets/a.yaml:4:5 Naming", "targets/a.yaml:4:5 Collision"]
    );

    let mut tools = trailblaze_engine::builtin::tools();
    tools.push(from_file("tools/tap.yaml", "tap"));
    let (_, problems) = build(&scope(), tools, &[]);
    assert_eq!(problems[0].message, "two tools are called 'tap': built in and tools/tap.yaml");
}

#[test]
fn what_the_filters_leave_out_collides_with_nothing() {
    let web = ToolFlags { supported_platforms: vec![Platform::Web], ..ToolFlags::default() };
    for order in [[true, false], [false, true]] {
        let tools =
            order.map(|is_web| named("shop_pay", if is_web { web.clone() } else { ToolFlags::default() }));
        let (registry, problems) = build(&scope(), tools.into(), &[]);
        assert_eq!(problems, []);
        assert!(registry.find("shop_pay").is_ok());
        assert_eq!(registry.left_out("shop_pay"), None);
    }
}

#[test]
fn flags_have_their_documented_defaults() {
    let flags = ToolFlags::default();
    assert_eq!(
        serde_json::to_value(&flags).unwrap(),
        json!({
            "isForLlm": true, "isRecordable": true, "isDelegating": false, "isVerification": false,
            "requiresHost": false, "supportedDrivers": [], "supportedPlatforms": [],
            "requiresContext": false, "groups": [],
        })
    );
    assert_eq!(flags.toolset, None);
}

#[test]
fn filters_stand_in_the_documented_order_and_say_why() {
    #[track_caller]
    fn check(drivers: &[Driver], platforms: &[Platform], requires_host: bool, expected: Option<&str>) {
        let flags = ToolFlags {
            supported_drivers: drivers.to_vec(),
            supported_platforms: platforms.to_vec(),
            requires_host,
            ..ToolFlags::default()
        };
        let scope = Scope { agent: AgentMode::OnDevice, ..scope() };
        let (registry, _) = build(&scope, vec![named("shop_pay", flags)], &[]);
        assert_eq!(registry.left_out("shop_pay"), expected);
        assert_eq!(registry.get("shop_pay").is_none(), expected.is_some());
    }
    let (web, own) = (Driver::PlaywrightNative, Driver::AndroidOndeviceAccessibility);
    let driver = Some("it does not support the driver 'android-ondevice-accessibility'");
    let platform = Some("it does not support the platform 'android'");
    let host = Some("it needs the agent on the host, and the agent runs on the device");
    check(&[], &[], false, None);
    check(&[web], &[Platform::Web], true, driver);
    check(&[own], &[Platform::Web], true, platform);
    check(&[web, own], &[Platform::Web, Platform::Android], true, host);
    check(&[own], &[Platform::Android], false, None);
}

#[test]
fn a_host_agent_has_the_tools_that_need_the_host() {
    let flags = ToolFlags { requires_host: true, requires_context: true, ..ToolFlags::default() };
    let (registry, _) = build(&scope(), vec![named("shop_pay", flags)], &[]);
    assert!(registry.get("shop_pay").is_some(), "requiresContext is only kept");
}

#[test]
fn a_tool_that_is_left_out_fails_with_the_reason_and_an_unknown_one_with_a_near_name() {
    let web = ToolFlags { supported_platforms: vec![Platform::Web], ..ToolFlags::default() };
    let tools = vec![named("shop_pay", web), named("shop_search", ToolFlags::default())];
    let (registry, _) = build(&scope(), tools, &[]);
    let failure = registry.find("shop_pay").unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotSupported);
    assert!(failure.message.ends_with("it does not support the platform 'android'"), "{failure}");
    let failure = registry.find("findMatches").unwrap_err();
    assert_eq!(failure.message, "the tool 'findMatches' cannot be used here: it comes later");
    let failure = registry.find("shop_serch").unwrap_err();
    assert_eq!(failure.kind, FailureKind::UnknownTool);
    assert_eq!(failure.hint.as_deref(), Some("did you mean 'shop_search'?"));
}

#[test]
fn a_toolset_pulls_tools_by_its_list_and_a_tool_pushes_itself_by_its_flag() {
    let pushes = |set: &str| ToolFlags { toolset: Some(set.to_owned()), ..ToolFlags::default() };
    let tools = || {
        vec![
            named("shop_pull", ToolFlags::default()),
            named("shop_push", pushes("shop")),
            named("shop_new", pushes("fresh")),
            named("shop_alone", ToolFlags::default()),
        ]
    };
    let sets = [set("id: shop\ntools: [shop_pull]\n")];
    let (registry, problems) = build(&scope(), tools(), &sets);
    assert_eq!(problems, []);
    assert!(registry.toolsets()["shop"].tools.iter().eq(["shop_pull", "shop_push"]));
    assert!(registry.toolsets()["fresh"].tools.iter().eq(["shop_new"]), "a missing toolset is made");
    assert_eq!(offered(&registry), [""; 0], "nobody switched them on");

    let (registry, problems) =
        build(&with_target("  android: { tool_sets: [shop, fresh] }\n"), tools(), &sets);
    assert_eq!(problems, []);
    assert_eq!(offered(&registry), ["shop_new", "shop_pull", "shop_push"]);
}

#[test]
fn a_toolset_that_is_always_enabled_needs_no_target() {
    let tools = vec![named("shop_pay", ToolFlags::default())];
    let (registry, _) = build(&scope(), tools, &[set("id: shop\nalways_enabled: true\ntools: [shop_pay]\n")]);
    assert_eq!(offered(&registry), ["shop_pay"]);
}

#[test]
fn a_toolset_has_platforms_and_drivers_of_its_own() {
    #[track_caller]
    fn check(limits: &str, expected: &[&str]) {
        let text = format!("id: shop\n{limits}always_enabled: true\ntools: [shop_pay]\n");
        let tools = vec![named("shop_pay", ToolFlags::default())];
        let (registry, _) = build(&with_target("  android: { tool_sets: [shop] }\n"), tools, &[set(&text)]);
        assert_eq!(offered(&registry), expected, "{limits}");
        assert!(registry.get("shop_pay").is_some(), "a trail may use it all the same");
    }
    check("", &["shop_pay"]);
    check("platforms: [android]\n", &["shop_pay"]);
    check("platforms: [web]\n", &[]);
    check("drivers: [android-ondevice-accessibility]\n", &["shop_pay"]);
    check("drivers: [android-ondevice-instrumentation]\n", &[]);
    check("platforms: [android]\ndrivers: [ios-host]\n", &[]);
}

#[test]
fn a_target_adds_and_removes_single_tools() {
    let tools = vec![
        named("shop_in", ToolFlags::default()),
        named("shop_out", ToolFlags::default()),
        named("shop_extra", ToolFlags::default()),
        named("shop_hidden", ToolFlags { is_for_llm: false, ..ToolFlags::default() }),
    ];
    let block =
        "  android: { tool_sets: [shop], tools: [shop_extra, shop_hidden], excluded_tools: [shop_out] }\n";
    let (registry, problems) =
        build(&with_target(block), tools, &[set("id: shop\ntools: [shop_in, shop_out]\n")]);
    assert_eq!(problems, []);
    assert_eq!(offered(&registry), ["shop_extra", "shop_in"]);
}

#[test]
fn names_that_nothing_provides_are_reported_where_they_stand() {
    let scope = with_target("  android:\n    tool_sets: [shpo]\n    tools: [shop_pya, findMatches]\n");
    let tools = || vec![named("shop_pay", ToolFlags::default())];
    let sets = [set("id: shop\ntools:\n  - shop_pai\n  - findMatches\n")];
    let (_, problems) = build(&scope, tools(), &sets);
    let found: Vec<(String, &str, &str)> = problems
        .iter()
        .map(|problem| {
            let at = problem.at.as_ref().unwrap().to_string();
            (at, problem.message.as_str(), problem.hint.as_deref().unwrap())
        })
        .collect();
    let pay = "did you mean 'shop_pay'?";
    assert_eq!(
        found,
        [
            ("toolsets/own.yaml:3:5".to_owned(), "the toolset 'shop' names the unknown tool 'shop_pai'", pay),
            ("targets/shop.yaml:5:17".to_owned(), "unknown toolset 'shpo'", "did you mean 'shop'?"),
            ("targets/shop.yaml:6:13".to_owned(), "unknown tool 'shop_pya'", pay),
        ]
    );

    // A server may still bring them.
    let (_, problems) = build(&Scope { has_servers: true, ..scope }, tools(), &sets);
    assert!(problems.iter().all(|problem| problem.severity == Severity::Warning), "{problems:?}");
}

#[test]
fn two_toolsets_with_one_id_are_an_error() {
    let sets =
        [set("id: shop\ndescription: One\ntools: []\n"), set("id: shop\ndescription: Two\ntools: []\n")];
    let (registry, problems) = build(&scope(), Vec::new(), &sets);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.starts_with("two toolsets are called 'shop'"));
    assert_eq!(registry.toolsets()["shop"].description, "One");
}

#[test]
fn the_registry_prints_as_the_json_of_the_resource() {
    let grouped = ToolFlags {
        is_for_llm: false,
        is_recordable: false,
        is_delegating: true,
        supported_drivers: vec![Driver::AndroidOndeviceAccessibility, Driver::PlaywrightNative],
        groups: ["auth".to_owned()].into(),
        ..ToolFlags::default()
    };
    let tools = vec![named("shop_pay", ToolFlags::default()), named("shop_login", grouped)];
    let sets = [set("id: shop\ndescription: All of it\nalways_enabled: true\ntools: [shop_pay]\n")];
    let (registry, _) = build(&scope(), tools, &sets);
    let expected: Value = json!({
        "tools": {
            "shop_login": {
                "platforms": ["android", "web"], "groups": ["auth"],
                "exposedToLlm": false, "isRecordable": false, "isDelegating": true,
            },
            "shop_pay": {
                "platforms": ["android", "ios", "web", "desktop"], "groups": ["shop"],
                "exposedToLlm": true, "isRecordable": true, "isDelegating": false,
            },
        },
        "groups": {
            "auth": { "description": "", "defaultEnabled": false },
            "shop": { "description": "All of it", "defaultEnabled": true },
        },
        "serverInfo": { "name": "trailblaze", "version": "1.2.3" },
    });
    assert_eq!(registry.to_json("trailblaze", "1.2.3"), expected);
}
