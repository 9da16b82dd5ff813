//! Servers that somebody else started, by their URL.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use insta::assert_snapshot;

use crate::lab::{call, lab, run};
use crate::space::Space;

/// A server beside Trailblaze. It ends when its input does.
struct Elsewhere(Child);

impl Drop for Elsewhere {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

fn elsewhere(space: &Space) -> (Elsewhere, String) {
    let tool = r#"{ name: "lab_where", handler: (args) => text(`${args.a} ${args._trailblazeContext.device.platform}`) }"#;
    let text = format!("import {{ serveOverHttp, text }} from \"./mcp.mjs\";\n\nserveOverHttp([{tool}]);\n");
    space.write("tools/web.mjs", text);
    let mut command = Command::new("node");
    command.arg(space.path("tools/web.mjs")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    (Elsewhere(child), url.trim_end().to_owned())
}

#[test]
fn a_server_at_a_url_is_a_toolset_and_goes_on_after_the_run() {
    let space = lab(&[]);
    let (_server, url) = elsewhere(&space);
    space.target(&format!("mcp_servers:\n  - {{ name: web, transport: http, url: \"{url}\" }}\n"));
    for _ in 0..2 {
        assert_eq!(call(&space, "lab_where", &["--arg", "a=b"]), "b ANDROID");
    }
}

#[test]
fn a_url_where_nothing_listens() {
    let space = lab(&[]);
    let (server, url) = elsewhere(&space);
    drop(server);
    space.target(&format!("mcp_servers:\n  - {{ name: web, transport: http, url: \"{url}\" }}\n"));
    let said = run(&space, &["tools"]).exits(5).stderr.replace(&url, "[url]");
    assert_snapshot!(said, @"
    error: trailblaze-config/targets/lab.yaml:8:5: 'server/discover' of server 'web' failed at [url]: nothing listens there
    hint: start the server first, or correct the 'url:' of the toolset
    ");
}

#[test]
fn a_url_that_is_none() {
    let space = lab(&["{ name: web, transport: http, url: \"ftp://127.0.0.1/mcp\" }"]);
    assert_snapshot!(run(&space, &["tools"]), @r#"
    exit: 3
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:40: the URL of this server does not begin with 'http://' or 'https://'
    8 |   - { name: web, transport: http, url: "ftp://127.0.0.1/mcp" }
      |                                        ^
    hint: for example 'url: http://127.0.0.1:8000/mcp'
    error: the workspace has errors
    hint: see above
    "#);
}
