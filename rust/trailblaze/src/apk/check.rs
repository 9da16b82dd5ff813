//! What is fine on a laptop, and not in an APK.

use std::collections::BTreeMap;
use std::path::Path;

use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::place::FilePlace;
use trailblaze_model::test_name::TestName;
use trailblaze_model::tool::{Mode, Script};
use trailblaze_model::workspace::ServerKind;

use super::Test;
use crate::files;
use crate::workspace::Workspace;

/// Two trails that farms could not tell apart.
pub(super) fn names(tests: &[Test]) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<&TestName, &str> = BTreeMap::new();
    let mut found = Vec::new();
    for test in tests {
        // Two equal ids are told by whoever reads the trails.
        if let Some(first) = seen.insert(&test.name, &test.id).filter(|first| *first != test.id) {
            let message =
                format!("the trails '{first}' and '{}' would both be the test {}", test.id, test.name);
            let problem = Diagnostic::error(Code::Collision, message).in_file(test.file.as_str());
            found.push(problem.hint("give one of them another 'config.id'"));
        }
    }
    found
}

/// Classes that tools name must come along.
pub(super) fn classes(workspace: &Workspace, has: impl Fn(&str) -> bool) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (source, tool) in &workspace.tools {
        let Mode::Class(class) = &tool.mode else { continue };
        let problem = if !is_class_name(class) {
            Diagnostic::error(Code::Naming, format!("'{class}' is no name of a Java class"))
                .hint("with its package, such as 'com.example.tools.CountParcels'")
        } else if !has(class) {
            let message = format!("the tool '{}' is the class {class}, and no dex file has it", tool.id);
            Diagnostic::error(Code::MissingFile, message)
                .hint("'d8' of the Android SDK makes a dex file of it; give that with '--dex FILE'")
        } else {
            continue;
        };
        found.push(problem.at(source, tool.at.place));
    }
    found
}

fn is_class_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let mut chars = part.chars();
        chars.next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
            && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    name.split('.').all(is_part)
}

/// Files that documents name must lie in the workspace: nothing else is packed.
pub(super) fn places(root: &Path, workspace: &Workspace) -> Vec<Diagnostic> {
    let mut named: Vec<(&str, &FilePlace)> = Vec::new();
    for target in &workspace.targets {
        named.extend(target.sim_app.as_deref().map(|app| (app, &target.at)));
    }
    let servers = workspace.targets.iter().flat_map(|target| &target.servers).chain(&workspace.file.servers);
    for server in servers {
        match &server.kind {
            ServerKind::Script(script) => named.push((script, &server.at)),
            ServerKind::Command { command, working_dir, .. } => {
                let path = Some(command.as_str()).filter(|command| command.contains('/'));
                named.extend(path.into_iter().chain(working_dir.as_deref()).map(|path| (path, &server.at)));
            }
            _ => {}
        }
    }
    for (_, tool) in &workspace.tools {
        if let Mode::Script { script: Script::File(file), .. } = &tool.mode {
            named.push((file, &tool.at));
        }
    }
    let is_outside = |path: &str| !files::normal(&root.join(path)).starts_with(root);
    let outside = |(path, at): (&str, &FilePlace)| {
        let message = format!("'{path}' lies outside of the workspace, and only the workspace is packed");
        let problem = Diagnostic::error(Code::BadValue, message).hint("move it into the workspace");
        match workspace.sources.iter().find(|source| source.file == at.file) {
            Some(source) => problem.at(source, at.place),
            None => problem.in_file(at.file.clone()),
        }
    };
    let trails = workspace.file.trails_dir.as_deref().filter(|folder| is_outside(folder));
    let trails = trails.map(|folder| {
        let message = format!("'trailsDir' is '{folder}', outside of the workspace, and only that is packed");
        Diagnostic::error(Code::BadValue, message).hint("move the trails into the workspace")
    });
    named.into_iter().filter(|(path, _)| is_outside(path)).map(outside).chain(trails).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_trails_with_one_name_are_told() {
        let test = |id: &str, like: &str| Test {
            id: id.to_owned(),
            name: TestName::of(like),
            file: format!("{id}.trail.yaml"),
        };
        assert_eq!(names(&[test("a", "a"), test("b", "b"), test("a", "a")]), []);
        let found = names(&[test("a", "a"), test("b", "a")]);
        let expected = "the trails 'a' and 'b' would both be the test dev.trailblaze.trails.Trails#a";
        assert_eq!(found.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn classes_have_java_names() {
        for good in ["com.example.Tool", "Tool", "a.B$C", "größe.Ü"] {
            assert!(is_class_name(good), "{good}");
        }
        for bad in ["", "a.", "a..B", "a.2B", "a/B", "a.B-C", "La/B;"] {
            assert!(!is_class_name(bad), "{bad}");
        }
    }
}
