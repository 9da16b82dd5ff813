//! Plain tables for people.

/// Rows with as many cells as the head; columns are as wide as their widest cell.
pub(crate) fn render(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let head_row: Vec<String> = head.iter().map(|&cell| cell.to_owned()).collect();
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    let mut text = String::new();
    for row in [&head_row, &rule].into_iter().chain(rows) {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows =
            [vec!["tidy".to_owned(), "ok".to_owned()], vec!["generated".to_owned(), "größer".to_owned()]];
        assert_eq!(
            render(&["layer", "result"], &rows),
            "layer      result\n---------  ------\ntidy       ok\ngenerated  größer\n"
        );
    }
}
