//! What toolset servers outside of the program listed and did, one line of JSON for each.

use serde_json::{Value, json};
use trailblaze_engine::host::{ServerCall, ServerWish};
use trailblaze_engine::server::Listed;
use trailblaze_model::action::{map_args, map_value};

use super::SavedFailure;

/// The servers of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedServers {
    /// By the names of their entries.
    pub listed: Vec<(String, Listed)>,
    /// In the order of their ends.
    pub calls: Vec<ServerCall>,
}

impl SavedServers {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.listed.is_empty()
    }

    pub(super) fn map_texts(&mut self, replace: &dyn Fn(&str) -> Option<String>) {
        for call in &mut self.calls {
            map_value(&mut call.args, replace);
            for wish in &mut call.wishes {
                match wish {
                    ServerWish::Call { args, .. } => map_args(args, replace),
                    ServerWish::Remember { text, .. } => map_text(text, replace),
                }
            }
            match &mut call.answer {
                Ok(answer) => map_value(answer, replace),
                Err(failure) => failure.map_texts(replace),
            }
        }
    }

    pub(super) fn to_lines(&self) -> String {
        let listed = self.listed.iter().map(|(name, Listed { tools, registry })| {
            json!({ "server": name, "tools": tools, "registry": registry })
        });
        listed.chain(self.calls.iter().map(to_value)).map(|line| format!("{line}\n")).collect()
    }

    pub(super) fn from_lines(text: &str) -> Result<Self, String> {
        let mut servers = Self::default();
        for (index, line) in text.lines().enumerate() {
            let bad = |message: String| format!("line {}: {message}", index + 1);
            let value: Value = serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
            let read = servers.read(&value);
            read.ok_or_else(|| bad("this is nothing that a server listed or did".to_owned()))?;
        }
        Ok(servers)
    }

    fn read(&mut self, value: &Value) -> Option<()> {
        let server = value["server"].as_str()?.to_owned();
        if let Some(tools) = value.get("tools") {
            let registry = value.get("registry").filter(|registry| !registry.is_null()).cloned();
            self.listed.push((server, Listed { tools: tools.as_array()?.clone(), registry }));
            return Some(());
        }
        let answer = match value.get("failed") {
            Some(failure) => Err(SavedFailure::read(failure)?.to_failure()),
            None => Ok(value.get("answer")?.clone()),
        };
        let wishes = value["wishes"].as_array().map(Vec::as_slice).unwrap_or_default();
        let wishes = wishes.iter().map(read_wish).collect::<Option<_>>()?;
        let (tool, args) = (value["tool"].as_str()?.to_owned(), value.get("args")?.clone());
        self.calls.push(ServerCall { server, tool, args, wishes, answer });
        Some(())
    }
}

/// About how many bytes it takes to keep a call.
pub fn size(call: &ServerCall) -> usize {
    to_value(call).to_string().len()
}

fn to_value(call: &ServerCall) -> Value {
    let ServerCall { server, tool, args, wishes, answer } = call;
    let mut line = json!({ "server": server, "tool": tool, "args": args });
    if !wishes.is_empty() {
        line["wishes"] = wishes.iter().map(wish_value).collect();
    }
    match answer {
        Ok(answer) => line["answer"] = answer.clone(),
        Err(failure) => line["failed"] = SavedFailure::plain(failure).to_value(),
    }
    line
}

fn wish_value(wish: &ServerWish) -> Value {
    match wish {
        ServerWish::Call { tool, args } => json!({ "call": tool, "args": args }),
        ServerWish::Remember { name, text } => json!({ "remember": name, "text": text }),
    }
}

fn read_wish(value: &Value) -> Option<ServerWish> {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    match text("call") {
        Some(tool) => Some(ServerWish::Call { tool, args: value["args"].as_object()?.clone() }),
        None => Some(ServerWish::Remember { name: text("remember")?, text: text("text")? }),
    }
}

fn map_text(text: &mut String, replace: &dyn Fn(&str) -> Option<String>) {
    if let Some(new) = replace(text) {
        *text = new;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use trailblaze_model::failure::{Failure, FailureKind};

    use super::*;

    #[test]
    fn servers_come_back_from_their_lines() {
        let args: Map<String, Value> = [("text".to_owned(), json!("Sign in"))].into_iter().collect();
        let done = ServerCall {
            server: "acme".to_owned(),
            tool: "acme_login".to_owned(),
            args: json!({ "user": "eve" }),
            wishes: vec![
                ServerWish::Call { tool: "tap".to_owned(), args },
                ServerWish::Remember { name: "seen".to_owned(), text: "yes".to_owned() },
            ],
            answer: Ok(json!({ "content": [] })),
        };
        let failure = Failure::new(FailureKind::Timeout, "it took long").hint("wait");
        let failed = ServerCall { wishes: Vec::new(), answer: Err(failure), ..done.clone() };
        let listed = Listed { tools: vec![json!({ "name": "acme_login" })], registry: None };
        let servers = SavedServers { listed: vec![("acme".to_owned(), listed)], calls: vec![done, failed] };
        let lines = servers.to_lines();
        insta::assert_snapshot!(lines, @r#"
        {"server":"acme","tools":[{"name":"acme_login"}],"registry":null}
        {"server":"acme","tool":"acme_login","args":{"user":"eve"},"wishes":[{"call":"tap","args":{"text":"Sign in"}},{"remember":"seen","text":"yes"}],"answer":{"content":[]}}
        {"server":"acme","tool":"acme_login","args":{"user":"eve"},"failed":{"kind":"Timeout","message":"it took long","hint":"wait"}}
        "#);
        assert_eq!(SavedServers::from_lines(&lines), Ok(servers));
        for bad in ["{}", r#"{"server":"a"}"#, r#"{"server":"a","tool":"b","args":{}}"#] {
            let refused = SavedServers::from_lines(&format!("{lines}{bad}\n")).unwrap_err();
            assert_eq!(refused, "line 4: this is nothing that a server listed or did");
        }
    }
}
