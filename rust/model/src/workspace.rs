//! `trailblaze.yaml`: what a workspace says about itself, and the servers that provide tools.

use serde_json::{Map, Value, json};

use crate::diagnostic::{Code, Diagnostics};
use crate::driver::Platform;
use crate::place::{FilePlace, Source};
use crate::yaml::{self, Entry, Fields, Node, Reader};

/// The workspace file. Every key is optional; a file of comments is an empty one.
/// Equality ignores places.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceFile {
    pub target: Option<String>,
    /// Where the target is named.
    pub target_at: Option<FilePlace>,
    pub platform: Option<Platform>,
    /// Default `./trails`.
    pub trails_dir: Option<String>,
    pub servers: Vec<ServerEntry>,
    /// Keys that are known and have no effect here, kept as they are.
    pub extra: Map<String, Value>,
}

impl PartialEq for WorkspaceFile {
    fn eq(&self, other: &Self) -> bool {
        self.target == other.target
            && self.platform == other.platform
            && self.trails_dir == other.trails_dir
            && self.servers == other.servers
            && self.extra == other.extra
    }
}

/// A toolset server, wherever it is declared.
#[derive(Clone, Debug)]
pub struct ServerEntry {
    /// Unique; without a name of its own the path of the script, the command line or the URL.
    pub name: String,
    pub at: FilePlace,
    pub kind: ServerKind,
    pub limits: ServerLimits,
}

impl PartialEq for ServerEntry {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.kind == other.kind && self.limits == other.limits
    }
}

/// How long a server may take, in milliseconds; none = the usual time. In YAML these are seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerLimits {
    /// Until it answers for the first time, and until it has listed its tools.
    pub first_answer_ms: Option<u64>,
    /// One call without a sign of progress.
    pub call_ms: Option<u64>,
    /// One call with all its progress.
    pub longest_call_ms: Option<u64>,
    /// From the end of its input to TERM.
    pub close_ms: Option<u64>,
    /// From TERM to KILL.
    pub term_ms: Option<u64>,
}

impl ServerLimits {
    pub const KEYS: [&'static str; 5] = ["firstAnswer", "call", "longestCall", "close", "term"];
    /// A day.
    const MOST_SECONDS: f64 = 86_400.0;

    /// In the order of their keys.
    fn all(&self) -> [Option<u64>; 5] {
        let Self { first_answer_ms, call_ms, longest_call_ms, close_ms, term_ms } = *self;
        [first_answer_ms, call_ms, longest_call_ms, close_ms, term_ms]
    }

    fn to_value(self) -> Option<Value> {
        let seconds = |ms: u64| match ms.is_multiple_of(1_000) {
            true => Value::from(ms / 1_000),
            false => Value::from(ms as f64 / 1_000.0),
        };
        let keys = Self::KEYS.into_iter().zip(self.all());
        let map: Map<String, Value> =
            keys.filter_map(|(key, ms)| Some((key.to_owned(), seconds(ms?)))).collect();
        (!map.is_empty()).then_some(Value::Object(map))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ServerKind {
    /// A TypeScript or JavaScript file.
    Script(String),
    /// A program that we start and stop.
    Command {
        command: String,
        args: Vec<String>,
        working_dir: Option<String>,
        env: Vec<(String, String)>,
        transport: Transport,
    },
    /// A server that runs elsewhere.
    Http { url: String },
}

/// How a program is spoken with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// Over its standard streams, and over HTTP for several devices where it takes that.
    #[default]
    Any,
    Stdio,
    /// It takes `--transport http --port N`.
    Http,
}

impl ServerKind {
    /// What an entry is called that has no name.
    fn default_name(&self) -> String {
        match self {
            Self::Script(script) => plain_script(script),
            // What stands further behind may be a key.
            Self::Command { command, args, .. } => {
                let first = args.first().filter(|arg| !arg.starts_with('-'));
                std::iter::once(command).chain(first).map(String::as_str).collect::<Vec<_>>().join(" ")
            }
            Self::Http { url } => without_keys(url),
        }
    }
}

/// A URL without a user and without a query.
fn without_keys(url: &str) -> String {
    let shown = url.split(['?', '#']).next().unwrap_or_default();
    match shown.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = authority.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{path}")
        }
        None => shown.to_owned(),
    }
}

/// The path of a script without `.` and, where that is possible, without `..`: one file has one name.
pub fn plain_script(script: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in script.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !["", ".."].contains(last)) => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

impl ServerEntry {
    /// As it stands in YAML.
    pub(crate) fn to_value(&self) -> Value {
        let mut map = Map::new();
        let is_named = !matches!(self.kind, ServerKind::Script(_)) || self.name != self.kind.default_name();
        if is_named {
            map.insert("name".into(), self.name.as_str().into());
        }
        match &self.kind {
            ServerKind::Script(script) => drop(map.insert("script".into(), script.as_str().into())),
            ServerKind::Command { command, args, working_dir, env, transport } => {
                map.insert("command".into(), command.as_str().into());
                if !args.is_empty() {
                    map.insert("args".into(), json!(args));
                }
                if let Some(dir) = working_dir {
                    map.insert("workingDir".into(), dir.as_str().into());
                }
                if !env.is_empty() {
                    let env = env.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str())));
                    map.insert("env".into(), Value::Object(env.collect()));
                }
                match transport {
                    Transport::Any => {}
                    Transport::Stdio => drop(map.insert("transport".into(), "stdio".into())),
                    Transport::Http => drop(map.insert("transport".into(), "http".into())),
                }
            }
            ServerKind::Http { url } => {
                map.insert("transport".into(), "http".into());
                map.insert("url".into(), url.as_str().into());
            }
        }
        map.extend(self.limits.to_value().map(|limits| ("limits".to_owned(), limits)));
        Value::Object(map)
    }
}

impl WorkspaceFile {
    /// Prints the file; reading it gives this workspace back.
    pub fn print(&self) -> String {
        let mut map = Map::new();
        let platform = self.platform.map(|platform| platform.key().to_owned());
        let texts = [("target", &self.target), ("platform", &platform), ("trailsDir", &self.trails_dir)];
        for (key, value) in texts {
            if let Some(value) = value {
                map.insert(key.to_owned(), value.as_str().into());
            }
        }
        if !self.servers.is_empty() {
            map.insert("mcpServers".into(), self.servers.iter().map(ServerEntry::to_value).collect());
        }
        map.extend(self.extra.clone());
        yaml::print(&Value::Object(map))
    }
}

/// Reads `trailblaze.yaml`. None means that it has errors, which were reported.
pub fn read(source: &Source, problems: &mut Diagnostics) -> Option<WorkspaceFile> {
    let errors = problems.errors().count();
    let node = yaml::read(source, problems)?;
    if node.is_null() {
        return Some(WorkspaceFile::default());
    }
    let mut reader = Reader::new(source, problems);
    let workspace = read_workspace(&mut reader, &node);
    if problems.errors().count() > errors { None } else { workspace }
}

fn read_workspace(reader: &mut Reader<'_>, node: &Node) -> Option<WorkspaceFile> {
    let known = [
        "target",
        "platform",
        "trailsDir",
        "mcpServers",
        "mcp_servers",
        "defaults",
        "targets",
        "toolsets",
        "tools",
        "providers",
        "llm",
    ];
    let fields = reader.fields(node, "'trailblaze.yaml'", &known)?;
    let mut extra = Map::new();
    for key in ["targets", "toolsets", "tools", "providers", "llm"] {
        if fields.has(key) {
            let hint = match key {
                "llm" | "providers" => "this version has no model",
                _ => "targets, tools and toolsets are found by their folders",
            };
            let hint = Some(hint.to_owned());
            reader.warning(Code::UnknownKey, fields.key_place(key), format!("'{key}' has no effect"), hint);
        }
        if let Some(value) = fields.get(key) {
            extra.insert(key.to_owned(), value.to_json());
        }
    }
    let mut target = reader.optional_text(fields, "target");
    let mut target_at = fields.key_place("target");
    if let Some(defaults) = fields.get("defaults")
        && let Some(defaults) = reader.fields(defaults, "'defaults'", &["target", "llm", "max-llm-calls"])
    {
        let default = reader.optional_text(defaults, "target");
        if target.is_none() {
            target = default;
            target_at = defaults.key_place("target");
        }
        let rest = ["llm", "max-llm-calls"].into_iter();
        let rest = rest.filter_map(|key| Some((key.to_owned(), defaults.get(key)?.to_json())));
        let rest: Map<String, Value> = rest.collect();
        if !rest.is_empty() {
            extra.insert("defaults".to_owned(), Value::Object(rest));
        }
    }
    let platform = reader.optional_text(fields, "platform").and_then(|name| {
        let platform = Platform::parse(&name);
        if platform.is_none() {
            let at = fields.get("platform").map_or(node.place, |node| node.place);
            crate::toolset::unknown(reader, "platform", &name, at, Platform::ALL.iter().map(|p| p.key()));
        }
        platform
    });
    let trails_dir = reader.optional_text(fields, "trailsDir");
    let servers = read_servers(reader, fields, Naming::Required);
    let target_at = target.is_some().then(|| reader.file_place(target_at));
    Some(WorkspaceFile { target, target_at, platform, trails_dir, servers, extra })
}

/// Whether a server must have a name; a script never needs one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    Required,
    Optional,
}

/// `mcpServers`, or `mcp_servers`: a list of entries, or a mapping from names to entries.
pub(crate) fn read_servers(reader: &mut Reader<'_>, fields: Fields<'_>, naming: Naming) -> Vec<ServerEntry> {
    if fields.has("mcpServers") && fields.has("mcp_servers") {
        let later = fields.key_place("mcpServers").max(fields.key_place("mcp_servers"));
        let message = "'mcpServers' and 'mcp_servers' are the same key; keep one of them";
        reader.error(Code::Conflict, later, message);
    }
    let Some(node) = fields.get("mcpServers").or_else(|| fields.get("mcp_servers")) else {
        return Vec::new();
    };
    let mut servers: Vec<ServerEntry> = Vec::new();
    let mut add = |reader: &mut Reader<'_>, server: Option<ServerEntry>| {
        let Some(server) = server else { return };
        if servers.iter().any(|known| known.name == server.name) {
            let message = format!("two servers are called '{}'", server.name);
            reader.error(Code::DuplicateKey, server.at.place, message);
            return;
        }
        servers.push(server);
    };
    if let Some(entries) = node.as_map() {
        for Entry { key, value, .. } in entries {
            let server = read_server(reader, value, Some(key), naming);
            add(reader, server);
        }
    } else {
        for item in reader.list(node, "the list of servers").unwrap_or_default() {
            let server = read_server(reader, item, None, naming);
            add(reader, server);
        }
    }
    servers
}

fn read_server(
    reader: &mut Reader<'_>,
    node: &Node,
    name: Option<&str>,
    naming: Naming,
) -> Option<ServerEntry> {
    let known = ["name", "script", "command", "args", "workingDir", "env", "transport", "url", "limits"];
    let fields = reader.fields(node, "a server", &known)?;
    let name = match name {
        Some(name) if name.trim().is_empty() => {
            reader.error(Code::BadValue, node.place, "the name of this server is empty");
            return None;
        }
        Some(name) => Some(name.to_owned()),
        None if fields.get("name").is_some() => Some(reader.required(fields, "name", "a server")?),
        None => None,
    };
    let transport = reader.optional_text(fields, "transport");
    if let Some(transport) = &transport
        && !["stdio", "http"].contains(&transport.as_str())
    {
        let message = format!("unknown transport '{transport}'");
        reader.error_hint(Code::BadValue, fields.key_place("transport"), message, "use 'stdio' or 'http'");
        return None;
    }
    for key in ["args", "env", "workingDir"] {
        if fields.has(key) && fields.get("command").is_none() {
            reader.error(Code::Conflict, fields.key_place(key), format!("'{key}' belongs to 'command'"));
        }
    }
    let http = transport.as_deref() == Some("http");
    let has = |key: &str| fields.get(key).is_some();
    let kind = match (has("script"), has("command"), has("url")) {
        (true, false, false) if !http => ServerKind::Script(reader.required(fields, "script", "a server")?),
        (false, true, false) => read_command(reader, fields, transport.as_deref())?,
        (false, false, true) if http => ServerKind::Http { url: read_url(reader, fields)? },
        _ => {
            let hint = "'script: FILE', 'command: PROGRAM' with 'args', or 'transport: http' with 'url'";
            let message = "a server has exactly one of 'script', 'command' and 'url'";
            reader.error_hint(Code::Conflict, node.place, message, hint);
            return None;
        }
    };
    if name.is_none() && naming == Naming::Required && !matches!(kind, ServerKind::Script(_)) {
        reader.error_hint(Code::MissingKey, node.place, "a server needs 'name'", "messages name it by that");
    }
    let name = name.unwrap_or_else(|| kind.default_name());
    let limits = read_limits(reader, fields);
    Some(ServerEntry { name, at: reader.file_place(node.place), kind, limits })
}

fn read_url(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<String> {
    let url = reader.required(fields, "url", "a server")?;
    if let Some((why, hint)) = wrong_with(&url) {
        let at = fields.get("url").map_or_else(|| fields.key_place("url"), |node| node.place);
        reader.error_hint(Code::BadValue, at, format!("the URL of this server {why}"), hint);
        return None;
    }
    Some(url)
}

/// What can be seen of a URL without going there, and what to do about it.
fn wrong_with(url: &str) -> Option<(&'static str, &'static str)> {
    const EXAMPLE: &str = "for example 'url: http://127.0.0.1:8000/mcp'";
    let url = url.trim();
    let rest = url
        .split_once("://")
        .filter(|(scheme, _)| ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)));
    let Some((_, rest)) = rest else {
        return Some(("does not begin with 'http://' or 'https://'", EXAMPLE));
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Some(("has a user in it, which is not supported", "take out what stands before the '@'"));
    }
    // The colons of an IPv6 address stand in brackets.
    let (host, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.contains(']')) {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    if host.is_empty() {
        return Some(("names no host", EXAMPLE));
    }
    if port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return Some(("has a port that is not a number up to 65535", EXAMPLE));
    }
    let is_odd = |c: char| c.is_whitespace() || c.is_control();
    url.contains(is_odd).then_some(("has a space in it", "write it as '%20'"))
}

/// `limits: { firstAnswer: 60, call: 0.5 }`
fn read_limits(reader: &mut Reader<'_>, fields: Fields<'_>) -> ServerLimits {
    let Some(node) = fields.get("limits") else { return ServerLimits::default() };
    let Some(limits) = reader.fields(node, "'limits'", &ServerLimits::KEYS) else {
        return ServerLimits::default();
    };
    let [first_answer_ms, call_ms, longest_call_ms, close_ms, term_ms] =
        ServerLimits::KEYS.map(|key| read_seconds(reader, limits, key));
    if let (Some(call), Some(longest)) = (call_ms, longest_call_ms)
        && call > longest
    {
        let hint = "'call' is the time without a sign of progress, 'longestCall' that with all of it";
        let at = limits.key_place("longestCall");
        reader.error_hint(Code::Conflict, at, "'longestCall' is shorter than 'call'", hint);
    }
    ServerLimits { first_answer_ms, call_ms, longest_call_ms, close_ms, term_ms }
}

fn read_seconds(reader: &mut Reader<'_>, fields: Fields<'_>, key: &str) -> Option<u64> {
    let node = fields.get(key)?;
    let seconds = node.as_scalar().and_then(|scalar| scalar.text.parse::<f64>().ok());
    let ms = seconds.filter(|seconds| (0.001..=ServerLimits::MOST_SECONDS).contains(seconds));
    if ms.is_none() {
        let message = format!("'{key}' must be a number of seconds, more than 0 and at most a day");
        let hint = format!("for example '{key}: 60' or '{key}: 0.5'");
        reader.error_hint(Code::BadValue, node.place, message, hint);
    }
    ms.map(|seconds| (seconds * 1_000.0).round() as u64)
}

/// `command: python` with `args`, or `command: [python, server.py]`.
fn read_command(reader: &mut Reader<'_>, fields: Fields<'_>, transport: Option<&str>) -> Option<ServerKind> {
    let mut words: Vec<String> = match fields.get("command").and_then(Node::as_list) {
        Some(_) => reader.texts(fields, "command").into_iter().map(|(word, _)| word).collect(),
        None => vec![reader.required(fields, "command", "a server")?],
    };
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        let hint = "write a text behind 'command:'";
        reader.error_hint(Code::BadValue, fields.key_place("command"), "'command' is empty", hint);
        return None;
    }
    words.extend(reader.texts(fields, "args").into_iter().map(|(arg, _)| arg));
    let working_dir = reader.optional_text(fields, "workingDir");
    let env = reader.text_map(fields, "env");
    let mut words = words.into_iter();
    let transport = match transport {
        None => Transport::Any,
        Some("http") => Transport::Http,
        Some(_) => Transport::Stdio,
    };
    Some(ServerKind::Command { command: words.next()?, args: words.collect(), working_dir, env, transport })
}
