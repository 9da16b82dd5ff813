//! Print, then read, for any value and any document.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};
use trailblaze_model::call::ToolCall;
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::driver::{Driver, Platform};
use trailblaze_model::event::StepKind;
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::place::{FilePlace, Place, Source};
use trailblaze_model::target::{self, PlatformBlock, TargetFile};
use trailblaze_model::tool::{self, Mode, Parameter, ParameterType, Script, ToolFile};
use trailblaze_model::toolset::{self, ToolsetFile};
use trailblaze_model::trail::{self, ArgDeclaration, ArgType, Config, PerDevice, Recording, Step, Trail};
use trailblaze_model::workspace::{self, ServerEntry, ServerKind, ServerLimits, Transport, WorkspaceFile};
use trailblaze_model::yaml;

/// Texts that YAML would read as something else, and any others.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{1,6}",
        2 => prop::sample::select(vec![
            "", " ", "~", "null", "true", "No", "on", "1", "007", "-1", "+1", ".5", "1e5", "0x1f", ".inf", "...", "---",
            "- a", "a: b", "a:", "a #b", "#a", "*a", "&a", "!a", "%a", "@a", "`a", "'a'", "\"a\"", "{a}", "[a]", "a,b", "|",
            ">", "?", "? a", "<<", "=", "a\nb", "a\nb\n", "a\n\nb\n\n", "\na", " a\nb", "a \nb", "a\n b\n", "a\tb", "\ta",
            "a\r\nb", "a\rb", "\u{85}", "\u{2028}", "\u{feff}", "\u{feff}a", "ä", "😀", "\\", "\u{7f}", "\u{a0}", "1:2",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,12}",
        1 => "(?s).{0,12}".prop_filter("no zero bytes", |text| !text.contains('\0')),
        1 => Just("long ".repeat(300)),
    ]
}

/// A text that is not blank, where one is required.
fn words() -> impl Strategy<Value = String> {
    text().prop_filter("not blank", |text| !text.trim().is_empty())
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no others", |float| float.is_finite()).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(text(), inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    btree_map(text(), json(), 0..3).prop_map(|map| map.into_iter().collect())
}

fn call() -> impl Strategy<Value = ToolCall> {
    (text(), object()).prop_map(|(name, args)| ToolCall::new(name, args))
}

fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
    btree_map(text(), text(), 0..3).prop_map(|map| map.into_iter().collect())
}

fn arg() -> impl Strategy<Value = ArgDeclaration> {
    let kinds = prop_oneof![
        (Just(ArgType::String), option::of(text().prop_map(Value::from))),
        (Just(ArgType::Integer), option::of(any::<i64>().prop_map(Value::from))),
        (
            Just(ArgType::Boolean),
            option::of(prop_oneof![Just(Value::from("{{args.x}}")), Just(Value::from(true))])
        ),
        (Just(ArgType::Array), option::of(vec(json(), 0..3).prop_map(Value::from))),
        (Just(ArgType::Object), option::of(object().prop_map(Value::from))),
    ];
    ("[a-z_][a-zA-Z0-9_]{0,4}", kinds, option::of(text()))
        .prop_map(|(name, (kind, default), description)| ArgDeclaration { name, kind, description, default })
}

/// The configuration that both forms have.
fn config() -> impl Strategy<Value = Config> {
    let texts =
        [option::of(text()), option::of(text()), option::of(text()), option::of(text()), option::of(text())];
    (texts, option::of(text()), vec(text(), 0..3), pairs(), vec(arg(), 0..3), pairs(), object()).prop_map(
        |([id, target, title, description, priority], context, tags, memory, mut args, metadata, extra)| {
            args.sort_by(|a, b| a.name.cmp(&b.name));
            args.dedup_by(|a, b| a.name == b.name);
            Config {
                id: id.filter(|id| !id.trim().is_empty()),
                target,
                title,
                description,
                priority,
                context,
                tags,
                memory,
                args,
                metadata,
                // Keys that have a meaning are not unknown.
                extra: extra.into_iter().map(|(key, value)| (format!("x-{key}"), value)).collect(),
                ..Config::default()
            }
        },
    )
}

fn step(kind: StepKind, text: String, recording: Recording, max_retries: Option<u32>) -> Step {
    Step { kind, text, recordable: true, max_retries, recording, at: Place::START }
}

fn driver() -> impl Strategy<Value = Driver> {
    prop::sample::select(Driver::ALL)
}

fn per_classifier(calls: std::ops::Range<usize>) -> impl Strategy<Value = Recording> {
    prop_oneof![
        Just(Recording::None),
        btree_map(text(), vec(call(), calls), 0..3)
            .prop_map(|per| Recording::PerClassifier(per.into_iter().collect())),
    ]
}

fn prompt_kind() -> impl Strategy<Value = StepKind> {
    prop::sample::select(vec![StepKind::Step, StepKind::Verify])
}

fn unified_trail() -> impl Strategy<Value = Trail> {
    let steps =
        vec((prompt_kind(), words(), per_classifier(0..3), option::of(any::<u32>()), any::<bool>()), 1..4);
    let head = option::of((words(), per_classifier(0..2)));
    let devices = btree_map(text(), driver(), 1..3);
    let skip = btree_map(text(), text(), 1..3);
    (config(), option::of(devices), option::of(skip), head, steps).prop_map(
        |(config, devices, skip, head, steps)| {
            let devices =
                devices.map_or(PerDevice::None, |map| PerDevice::PerClassifier(map.into_iter().collect()));
            let skip =
                skip.map_or(PerDevice::None, |map| PerDevice::PerClassifier(map.into_iter().collect()));
            let head = head.map(|(text, recording)| step(StepKind::Trailhead, text, recording, None));
            let steps = steps.into_iter().map(|(kind, text, recording, retries, recordable)| Step {
                recordable: recordable || recording.all_calls().next().is_some(),
                ..step(kind, text, recording, retries)
            });
            Trail {
                config: Config { devices, skip, ..config },
                steps: head.into_iter().chain(steps).collect(),
            }
        },
    )
}

fn list_trail() -> impl Strategy<Value = Trail> {
    let always = || vec(call(), 0..3).prop_map(Recording::Always);
    let prompt =
        (prompt_kind(), words(), prop_oneof![Just(Recording::None), always()], option::of(any::<u32>()))
            .prop_map(|(kind, text, recording, retries)| step(kind, text, recording, retries));
    let tools = always().prop_map(|recording| step(StepKind::Tools, String::new(), recording, None));
    let head = (option::of(words()), vec(call(), 1..3)).prop_map(|(text, calls)| {
        step(StepKind::Trailhead, text.unwrap_or_default(), Recording::Always(calls), None)
    });
    let steps = vec(prop_oneof![prompt, tools], 1..4);
    (config(), option::of(text()), option::of(driver()), option::of(words()), option::of(head), steps)
        .prop_map(|(config, platform, driver, skip, head, steps)| {
            let devices = driver
                .map(|driver| PerDevice::PerClassifier(vec![(driver.platform().key().to_owned(), driver)]))
                .unwrap_or_default();
            let platform = platform.filter(|_| devices == PerDevice::None);
            let skip = skip.map_or(PerDevice::None, PerDevice::Always);
            let config = Config { devices, platform, skip, ..config };
            Trail { config, steps: head.into_iter().chain(steps).collect() }
        })
}

fn at() -> FilePlace {
    FilePlace { file: "a.yaml".into(), place: Place::START }
}

fn parameter() -> impl Strategy<Value = Parameter> {
    let kinds = prop_oneof![
        (Just(ParameterType::String), option::of(text().prop_map(Value::from))),
        (Just(ParameterType::Integer), option::of(any::<i64>().prop_map(Value::from))),
        (Just(ParameterType::Boolean), option::of(any::<bool>().prop_map(Value::from))),
        (Just(ParameterType::Number), option::of(prop_oneof![Just(Value::from(0.5)), Just(Value::Null)])),
    ];
    ("[a-z][a-zA-Z0-9_]{0,4}", kinds, any::<bool>(), option::of(text())).prop_map(
        |(name, (kind, default), required, description)| {
            let required = required && default.is_none();
            Parameter { name, kind, required, default, description }
        },
    )
}

fn flags() -> impl Strategy<Value = ToolFlags> {
    let groups = prop::collection::btree_set(text(), 0..3);
    let platforms = vec(prop::sample::select(Platform::ALL), 0..3);
    (any::<[bool; 4]>(), vec(driver(), 0..3), platforms, option::of(text()), groups).prop_map(
        |(
            [is_for_llm, is_recordable, requires_host, is_verification],
            drivers,
            platforms,
            toolset,
            groups,
        )| {
            ToolFlags {
                is_for_llm,
                is_recordable,
                requires_host,
                is_verification,
                supported_drivers: drivers,
                supported_platforms: platforms,
                toolset,
                groups,
                ..ToolFlags::default()
            }
        },
    )
}

fn tool_file() -> impl Strategy<Value = ToolFile> {
    let parameters = vec(parameter(), 0..3).prop_map(|mut parameters| {
        parameters.sort_by(|a, b| a.name.cmp(&b.name));
        parameters.dedup_by(|a, b| a.name == b.name);
        parameters
    });
    let inline = words().prop_map(|source| Script::Inline(source, Place::START));
    let script = prop_oneof![inline, words().prop_map(Script::File)];
    let body = prop_oneof![vec(call(), 1..4).prop_map(Ok), script.prop_map(Err),];
    let mode = prop_oneof![
        words().prop_map(Mode::Class),
        (words(), parameters, body).prop_map(|(description, parameters, body)| match body {
            Ok(calls) => Mode::Tools { description, parameters, calls },
            Err(script) => Mode::Script { description, parameters, script },
        }),
    ];
    (words(), mode, flags()).prop_map(|(id, mode, flags)| ToolFile { id, at: at(), mode, flags })
}

fn names() -> impl Strategy<Value = Vec<(String, FilePlace)>> {
    vec(text().prop_map(|name| (name, at())), 0..3)
}

fn toolset_file() -> impl Strategy<Value = ToolsetFile> {
    let platforms = vec(prop::sample::select(Platform::ALL), 0..3);
    (words(), text(), platforms, vec(driver(), 0..3), any::<bool>(), names()).prop_map(
        |(id, description, platforms, drivers, always_enabled, tools)| ToolsetFile {
            id,
            at: at(),
            description,
            platforms,
            drivers,
            always_enabled,
            tools,
        },
    )
}

fn servers() -> impl Strategy<Value = Vec<ServerEntry>> {
    let transport = prop_oneof![Just(Transport::Any), Just(Transport::Stdio), Just(Transport::Http)];
    let command = (words(), vec(text(), 0..3), option::of(text()), pairs(), transport).prop_map(
        |(command, args, working_dir, env, transport)| ServerKind::Command {
            command,
            args,
            working_dir,
            env,
            transport,
        },
    );
    let kind = prop_oneof![
        words().prop_map(ServerKind::Script),
        command,
        "https?://[a-z]{1,6}(:[1-9][0-9]{0,3})?(/[^\\s\\pC]{0,8})?".prop_map(|url| ServerKind::Http { url }),
    ];
    let entry = |(name, (kind, limits)): (String, (ServerKind, ServerLimits))| ServerEntry {
        name,
        at: at(),
        kind,
        limits,
    };
    btree_map(words(), (kind, limits()), 0..3).prop_map(move |map| map.into_iter().map(entry).collect())
}

fn limits() -> impl Strategy<Value = ServerLimits> {
    let ms = || option::of(1_u64..86_400_001);
    (ms(), ms(), ms(), ms(), ms()).prop_map(|(first_answer_ms, call_ms, longest, close_ms, term_ms)| {
        let longest_call_ms = longest.map(|longest| longest.max(call_ms.unwrap_or_default()));
        ServerLimits { first_answer_ms, call_ms, longest_call_ms, close_ms, term_ms }
    })
}

fn target_file() -> impl Strategy<Value = TargetFile> {
    let lists = (names(), names(), names(), vec(text(), 0..3));
    let block = (prop::sample::select(Platform::ALL), any::<bool>(), lists, option::of(json()));
    let block = block.prop_map(|(platform, all, (tool_sets, tools, excluded_tools, app_ids), base_url)| {
        let own = Driver::ALL.iter().copied().filter(|driver| driver.platform() == platform);
        PlatformBlock {
            key: platform.key().to_owned(),
            drivers: own.filter(|driver| all || !driver.is_cloud()).collect(),
            app_ids,
            tool_sets,
            tools,
            excluded_tools,
            extra: base_url.into_iter().map(|value| ("base_url".to_owned(), value)).collect(),
        }
    });
    let extra =
        option::of(json()).prop_map(|icon| icon.into_iter().map(|icon| ("icon".to_owned(), icon)).collect());
    let grant =
        prop::sample::select(vec!["a.org", "localhost:8080", "*.a.org", "null", "127.0.0.1", "[::1]"])
            .prop_map(str::to_owned);
    (words(), words(), servers(), vec(block, 0..3), option::of(words()), vec(grant, 0..3), extra).prop_map(
        |(id, display_name, servers, mut platforms, sim_app, script_hosts, extra)| {
            platforms.sort_by(|a, b| a.key.cmp(&b.key));
            platforms.dedup_by(|a, b| a.key == b.key);
            TargetFile { id, at: at(), display_name, servers, platforms, sim_app, script_hosts, extra }
        },
    )
}

fn workspace_file() -> impl Strategy<Value = WorkspaceFile> {
    let platform = option::of(prop::sample::select(Platform::ALL));
    (option::of(text()), platform, option::of(text()), servers()).prop_map(
        |(target, platform, trails_dir, servers)| WorkspaceFile {
            target,
            platform,
            trails_dir,
            servers,
            ..WorkspaceFile::default()
        },
    )
}

fn check<T: PartialEq + std::fmt::Debug>(
    document: &T,
    print: fn(&T) -> String,
    read: fn(&Source, &mut Diagnostics) -> Option<T>,
) -> Result<(), TestCaseError> {
    let printed = print(document);
    let mut problems = Diagnostics::new();
    let again = read(&Source::new("a.yaml", printed.as_str()), &mut problems);
    prop_assert_eq!(again.as_ref(), Some(document), "printed as:\n{}\n{:?}", printed, problems);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values(value in json()) {
        let read = |source: &Source, problems: &mut Diagnostics| Some(yaml::read(source, problems)?.to_json());
        check(&value, yaml::print, read)?;
    }

    #[test]
    fn trails_in_the_unified_form(trail in unified_trail()) {
        check(&trail, Trail::print, trail::read)?;
    }

    #[test]
    fn trails_in_the_list_form(trail in list_trail()) {
        check(&trail, Trail::print, trail::read)?;
    }

    #[test]
    fn tools(tool in tool_file()) {
        check(&tool, ToolFile::print, tool::read)?;
    }

    #[test]
    fn toolsets(toolset in toolset_file()) {
        check(&toolset, ToolsetFile::print, toolset::read)?;
    }

    #[test]
    fn targets(target in target_file()) {
        check(&target, TargetFile::print, target::read)?;
    }

    #[test]
    fn workspaces(workspace in workspace_file()) {
        check(&workspace, WorkspaceFile::print, workspace::read)?;
    }
}
