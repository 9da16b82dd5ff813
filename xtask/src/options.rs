//! The command line of a task: words, flags and options with a value.

/// What is wrong with a command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Usage(pub(crate) String);

/// The arguments of a task, taken out one by one; what is left over at the end is an error.
#[derive(Debug)]
pub(crate) struct Options {
    left: Vec<String>,
}

impl Options {
    pub(crate) fn new(args: &[String]) -> Self {
        Self { left: args.to_vec() }
    }

    /// Takes `--name` and says whether it was there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.left.len();
        self.left.retain(|arg| arg != name);
        self.left.len() < before
    }

    /// Takes every `--name VALUE` and `--name=VALUE`.
    pub(crate) fn values(&mut self, name: &str) -> Result<Vec<String>, Usage> {
        let mut values = Vec::new();
        let mut kept = Vec::new();
        let mut args = std::mem::take(&mut self.left).into_iter();
        while let Some(arg) = args.next() {
            if arg == name {
                values.push(args.next().ok_or_else(|| Usage(format!("{name} needs a value")))?);
            } else if let Some(value) = arg.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
                values.push(value.to_owned());
            } else {
                kept.push(arg);
            }
        }
        self.left = kept;
        Ok(values)
    }

    /// Takes the first word that is no option.
    pub(crate) fn word(&mut self) -> Option<String> {
        let at = self.left.iter().position(|arg| !arg.starts_with('-'))?;
        Some(self.left.remove(at))
    }

    pub(crate) fn end(self) -> Result<(), Usage> {
        match self.left.first() {
            None => Ok(()),
            Some(arg) => Err(Usage(format!("unknown argument '{arg}'"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> Options {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::new(&args)
    }

    #[test]
    fn flags_values_and_words_are_told_apart() {
        let mut options = options("parse --seconds 5 --check --seconds=7");
        assert_eq!(options.values("--seconds"), Ok(vec!["5".into(), "7".into()]));
        assert!(options.flag("--check"));
        assert_eq!(options.word().as_deref(), Some("parse"));
        assert_eq!(options.end(), Ok(()));
    }

    #[test]
    fn what_nobody_took_is_an_error() {
        assert_eq!(options("--chek").end(), Err(Usage("unknown argument '--chek'".into())));
        assert_eq!(options("--only").values("--only"), Err(Usage("--only needs a value".into())));
    }
}
