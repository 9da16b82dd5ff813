//! Target YAML: the app under test, its ids and toolsets per platform.

use serde_json::{Map, Value, json};

use crate::diagnostic::{Code, Diagnostics};
use crate::driver::{Driver, Platform};
use crate::place::{FilePlace, Source};
use crate::toolset;
use crate::workspace::{self, Naming, ServerEntry};
use crate::yaml::{self, Entry, Fields, Node, Reader};

/// One file of `trailblaze-config/targets/`, or the `target:` of a trailmap. Equality ignores places.
#[derive(Clone, Debug)]
pub struct TargetFile {
    pub id: String,
    pub at: FilePlace,
    pub display_name: String,
    pub servers: Vec<ServerEntry>,
    pub platforms: Vec<PlatformBlock>,
    /// The JavaScript app that the sim runs for this target, relative to the workspace.
    pub sim_app: Option<String>,
    /// Hosts that scripts may talk to.
    pub script_hosts: Vec<String>,
    /// Keys that are known and have no effect here, kept as they are.
    pub extra: Map<String, Value>,
}

impl PartialEq for TargetFile {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            && self.display_name == other.display_name
            && self.servers == other.servers
            && self.platforms == other.platforms
            && self.sim_app == other.sim_app
            && self.script_hosts == other.script_hosts
            && self.extra == other.extra
    }
}

/// What holds for some drivers.
#[derive(Clone, Debug, Default)]
pub struct PlatformBlock {
    /// The key under `platforms`.
    pub key: String,
    pub drivers: Vec<Driver>,
    pub app_ids: Vec<String>,
    pub tool_sets: Vec<(String, FilePlace)>,
    pub tools: Vec<(String, FilePlace)>,
    pub excluded_tools: Vec<(String, FilePlace)>,
    /// Keys that are known and have no effect here, kept as they are.
    pub extra: Map<String, Value>,
}

impl PartialEq for PlatformBlock {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
            && self.drivers == other.drivers
            && self.app_ids == other.app_ids
            && names(&self.tool_sets) == names(&other.tool_sets)
            && names(&self.tools) == names(&other.tools)
            && names(&self.excluded_tools) == names(&other.excluded_tools)
            && self.extra == other.extra
    }
}

fn names(places: &[(String, FilePlace)]) -> Vec<&str> {
    places.iter().map(|(name, _)| name.as_str()).collect()
}

impl TargetFile {
    /// The block for a driver, if the target supports it.
    pub fn block(&self, driver: Driver) -> Option<&PlatformBlock> {
        self.platforms.iter().find(|block| block.drivers.contains(&driver))
    }

    /// Prints the file; reading it gives this target back.
    pub fn print(&self) -> String {
        let mut map = Map::new();
        map.insert("id".into(), self.id.as_str().into());
        map.insert("display_name".into(), self.display_name.as_str().into());
        if !self.servers.is_empty() {
            map.insert("mcp_servers".into(), self.servers.iter().map(ServerEntry::to_value).collect());
        }
        if !self.platforms.is_empty() {
            let blocks = self.platforms.iter().map(|block| (block.key.clone(), block.to_value()));
            map.insert("platforms".into(), Value::Object(blocks.collect()));
        }
        if let Some(app) = &self.sim_app {
            map.insert("sim".into(), json!({ "app": app }));
        }
        if !self.script_hosts.is_empty() {
            map.insert("script_hosts".into(), json!(self.script_hosts));
        }
        map.extend(self.extra.clone());
        yaml::print(&Value::Object(map))
    }
}

impl PlatformBlock {
    fn to_value(&self) -> Value {
        let mut map = Map::new();
        let lists = [
            ("app_ids", self.app_ids.iter().map(String::as_str).collect()),
            ("tool_sets", names(&self.tool_sets)),
            ("tools", names(&self.tools)),
            ("excluded_tools", names(&self.excluded_tools)),
        ];
        for (key, list) in lists {
            if !list.is_empty() {
                map.insert(key.into(), json!(list));
            }
        }
        if Driver::parse_group(&self.key).as_ref() != Some(&self.drivers) {
            map.insert("drivers".into(), json!(self.drivers));
        }
        map.extend(self.extra.clone());
        Value::Object(map)
    }
}

/// Known keys that nothing reads yet: they survive, and say nothing.
fn kept(fields: Fields<'_>, keys: &[&str]) -> Map<String, Value> {
    keys.iter().filter_map(|key| Some(((*key).to_owned(), fields.node.get(key)?.to_json()))).collect()
}

const KEYS: &[&str] = &[
    "id",
    "display_name",
    "mcp_servers",
    "mcpServers",
    "platforms",
    "sim",
    "script_hosts",
    "has_custom_ios_driver",
    "tools",
    "system_prompt",
    "system_prompt_file",
    "icon",
    "electron",
];

/// Reads a target file. None means that it has errors, which were reported.
pub fn read(source: &Source, problems: &mut Diagnostics) -> Option<TargetFile> {
    let errors = problems.errors().count();
    let node = yaml::read(source, problems)?;
    let mut reader = Reader::new(source, problems);
    if reader.is_empty_document(&node, "a target begins with 'id:'") {
        return None;
    }
    let target = read_target(&mut reader, &node, None);
    if problems.errors().count() > errors { None } else { target }
}

/// Reads the `target:` of `trailmaps/<id>/trailmap.yaml`; a trailmap without one is a library.
pub fn read_trailmap(source: &Source, problems: &mut Diagnostics) -> Option<TargetFile> {
    let errors = problems.errors().count();
    let node = yaml::read(source, problems)?;
    let mut reader = Reader::new(source, problems);
    if reader.is_empty_document(&node, "a trailmap begins with 'id:'") {
        return None;
    }
    let known = [
        "id",
        "dependencies",
        "target",
        "defaults",
        "platforms",
        "exports",
        "toolsets",
        "waypoints",
        "trails",
    ];
    let fields = reader.fields(&node, "a trailmap", &known)?;
    let without_effect = [
        ("dependencies", "the tools and toolsets of every trailmap are there for all of them"),
        ("defaults", "write it below 'platforms' of each 'target'"),
        ("platforms", "write it below 'target'"),
        ("exports", "the tools of every trailmap are there for all of them"),
        ("toolsets", "toolsets are found by their folder, 'toolsets'"),
        ("trails", "trails are found by their folder"),
    ];
    for (key, hint) in without_effect.into_iter().filter(|(key, _)| fields.has(key)) {
        let message = format!("'{key}' of a trailmap has no effect here");
        reader.warning(Code::UnknownKey, fields.key_place(key), message, Some(hint.to_owned()));
    }
    let id = reader.required(fields, "id", "a trailmap")?;
    let target = fields.get("target").and_then(|node| read_target(&mut reader, node, Some(&id)));
    if problems.errors().count() > errors { None } else { target }
}

fn read_target(reader: &mut Reader<'_>, node: &Node, id: Option<&str>) -> Option<TargetFile> {
    let fields = reader.fields(node, "a target", KEYS)?;
    let id = match id.filter(|_| fields.get("id").is_none()) {
        Some(id) => Some(id.to_owned()),
        None => reader.required(fields, "id", "a target"),
    };
    let display_name = reader.required(fields, "display_name", "a target");
    let servers = workspace::read_servers(reader, fields, Naming::Optional);
    let platforms = fields.get("platforms").map(|node| platforms(reader, node)).unwrap_or_default();
    let sim_app = fields.get("sim").and_then(|node| {
        let sim = reader.fields(node, "'sim'", &["app"])?;
        reader.required(sim, "app", "'sim'")
    });
    let script_hosts = script_hosts(reader, fields);
    if fields.has("tools") {
        let hint = Some("name tools under 'platforms', for example 'android: { tools: […] }'".to_owned());
        reader.warning(
            Code::UnknownKey,
            fields.key_place("tools"),
            "'tools' of a target has no effect",
            hint,
        );
    }
    reader.optional_bool(fields, "has_custom_ios_driver");
    let extra = kept(
        fields,
        &["has_custom_ios_driver", "tools", "system_prompt", "system_prompt_file", "icon", "electron"],
    );
    let at = reader.file_place(fields.key_place("id"));
    Some(TargetFile {
        id: id?,
        at,
        display_name: display_name?,
        servers,
        platforms,
        sim_app,
        script_hosts,
        extra,
    })
}

fn script_hosts(reader: &mut Reader<'_>, fields: Fields<'_>) -> Vec<String> {
    let grants = reader.texts(fields, "script_hosts");
    for (grant, place) in grants.iter().filter(|(grant, _)| !is_grant(grant)) {
        let hint = "write 'api.example.com', 'localhost:8080' or '*.example.com'";
        reader.error_hint(Code::BadValue, *place, format!("'{grant}' is no host that can be granted"), hint);
    }
    grants.into_iter().map(|(grant, _)| grant).collect()
}

/// `host`, `host:port` or `*.host`
fn is_grant(grant: &str) -> bool {
    if let Some(parent) = grant.strip_prefix("*.") {
        return is_host(parent);
    }
    match grant.rsplit_once(':') {
        // The colons of an address in brackets are its own.
        Some((host, port)) if !port.ends_with(']') => {
            let digits = port.bytes().all(|byte| byte.is_ascii_digit());
            is_host(host) && digits && port.parse::<u16>().is_ok_and(|port| port > 0)
        }
        _ => is_host(grant),
    }
}

fn is_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<core::net::Ipv6Addr>().is_ok();
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_number = host.bytes().all(|byte| byte.is_ascii_digit());
    !is_number && host.split('.').all(|label| !label.is_empty() && label.bytes().all(fits))
}

fn platforms(reader: &mut Reader<'_>, node: &Node) -> Vec<PlatformBlock> {
    let Some(map) = reader.open_fields(node, "'platforms'") else { return Vec::new() };
    map.node.as_map().unwrap_or_default().iter().filter_map(|entry| platform(reader, entry)).collect()
}

fn platform(reader: &mut Reader<'_>, entry: &Entry) -> Option<PlatformBlock> {
    let Entry { key, key_place, value } = entry;
    let Some(group) = Driver::parse_group(key) else {
        let platforms = Platform::ALL.iter().map(|platform| platform.key());
        let known: Vec<&str> = platforms.chain(Driver::ALL.iter().map(|driver| driver.key())).collect();
        toolset::unknown(reader, "platform", key, *key_place, known.into_iter());
        return None;
    };
    let known =
        ["app_ids", "tool_sets", "tools", "excluded_tools", "drivers", "base_url", "min_build_version"];
    if value.is_null() {
        return Some(PlatformBlock { key: key.clone(), drivers: group, ..PlatformBlock::default() });
    }
    let fields = reader.fields(value, "a platform", &known)?;
    let own = toolset::drivers(reader, fields, "drivers");
    // A platform's shorthand leaves the cloud drivers out, but they are its own.
    let belongs = |driver: &&Driver| {
        group.contains(driver) || Platform::parse(key).is_some_and(|platform| platform == driver.platform())
    };
    if let Some(foreign) = own.iter().find(|driver| !belongs(driver)) {
        let message = format!("the driver '{foreign}' does not belong to '{key}'");
        reader.error(Code::Conflict, fields.key_place("drivers"), message);
    }
    let mut places = |key: &str| -> Vec<(String, FilePlace)> {
        let names = reader.texts(fields, key);
        names.into_iter().map(|(name, place)| (name, reader.file_place(place))).collect()
    };
    Some(PlatformBlock {
        key: key.clone(),
        tool_sets: places("tool_sets"),
        tools: places("tools"),
        excluded_tools: places("excluded_tools"),
        app_ids: places("app_ids").into_iter().map(|(id, _)| id).collect(),
        drivers: if own.is_empty() { group } else { own },
        extra: kept(fields, &["base_url", "min_build_version"]),
    })
}
