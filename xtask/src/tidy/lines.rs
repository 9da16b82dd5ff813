//! How files end, how their lines end, and how many there are.

use super::{File, Problem};

/// About 500 is where to look for the seam; past this, the seam was missed.
const MOST_LINES: usize = 600;

pub(super) fn check(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    if file.is_sample() {
        return problems;
    }
    if file.is_code() && !file.is_generated() && !file.is_sim_app() {
        let count = file.lines().count();
        if count > MOST_LINES {
            problems
                .push(file.whole(format!("{count} lines, at most {MOST_LINES}: find the seam and split it")));
        }
    }
    for (number, line) in file.text.split('\n').zip(1..).map(|(line, number)| (number, line)) {
        if line.ends_with('\r') {
            problems.push(file.whole("has CRLF line endings, LF only"));
            break;
        }
        if line.ends_with([' ', '\t']) {
            problems.push(file.problem(number, "white space at the end of the line"));
        }
    }
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        problems.push(file.whole("no line break at the end of the file"));
    }
    if file.text.ends_with("\n\n") && !file.is_generated() {
        problems.push(file.whole("empty lines at the end of the file"));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect, file};
    use super::*;

    #[test]
    fn white_space_and_line_endings() {
        expect(
            check(&file("a.md", "one \ntwo\t\nthree")),
            &[
                "a.md:1: white space at the end of the line",
                "a.md:2: white space at the end of the line",
                "a.md: no line break at the end of the file",
            ],
        );
        expect(check(&file("a.md", "one\r\ntwo\r\n")), &["a.md: has CRLF line endings, LF only"]);
        expect(check(&file("a.md", "one\n\n")), &["a.md: empty lines at the end of the file"]);
        expect(check(&file("a.md", "")), &[]);
    }

    #[test]
    fn samples_are_left_alone() {
        expect(check(&file("rust/model/tests/fixtures/crlf.yaml", "a: 1\r\n")), &[]);
        expect(check(&file("rust/trailblaze/tests/help.snap", "table  ")), &[]);
    }

    #[test]
    fn long_files_of_code() {
        let long = "x\n".repeat(601);
        let message = "rust/a.rs: 601 lines, at most 600: find the seam and split it";
        expect(check(&file("rust/a.rs", &long)), &[message]);
        expect(check(&file("rust/a.rs", &"x\n".repeat(600))), &[]);
        expect(check(&file("docs/a.md", &long)), &[]);
        let generated = format!("// @{}\n{long}", "generated");
        expect(check(&file("rust/a.rs", &generated)), &[]);
    }
}
