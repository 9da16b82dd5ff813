//! The folder of one run: reports and pictures.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::exit_code::{Exit, Problem};
use crate::files;

#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// `latest` beside it, unless the place was chosen by hand.
    latest: Option<PathBuf>,
}

impl RunFolder {
    /// `.trailblaze/runs/<time>-<short id>/` below `base`, or the folder that was asked for.
    pub fn create(out: Option<&Path>, base: &Path) -> Result<Self, Problem> {
        let cannot = |path: &Path, error: &io::Error| {
            let message = format!("the folder {} cannot be made: {}", files::shown(path), files::why(error));
            Problem::new(Exit::BadDocument, message).hint("'--out DIR' chooses another folder")
        };
        if let Some(out) = out {
            fs::create_dir_all(out).map_err(|error| cannot(out, &error))?;
            return Ok(Self { path: out.to_owned(), latest: None });
        }
        let runs = base.join(".trailblaze").join("runs");
        fs::create_dir_all(&runs).map_err(|error| cannot(&runs, &error))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let short = (u64::from(std::process::id()) << 20) ^ u64::from(now.subsec_nanos());
        // Two runs that begin in the same instant get folders of their own.
        for attempt in 0..100 {
            let path = runs.join(format!("{}-{:06x}", stamp(now.as_secs()), (short + attempt) & 0xff_ffff));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path, latest: Some(runs.join("latest")) }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot(&path, &error)),
            }
        }
        Err(Problem::new(Exit::Bug, "no name is free for the folder of the run"))
    }

    /// Removes the folder again when nothing will run after all. One that was chosen by hand stays.
    pub(crate) fn discard(&self) {
        if self.latest.is_some() {
            // What cannot be removed harms nobody.
            let _ = fs::remove_dir_all(&self.path);
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets `latest` point to this run. Where links are not allowed there is none.
    pub fn point_latest(&self) {
        if let (Some(latest), Some(name)) = (&self.latest, self.path.file_name()) {
            let fresh = latest.with_extension(std::process::id().to_string());
            if link(name.as_ref(), &fresh).is_ok() {
                let _ = fs::rename(&fresh, latest);
            }
        }
    }
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn link(_to: &Path, _at: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// `2026-11-15T03-44-30Z`
fn stamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Civil date from days since 1970, by the usual era arithmetic.
    let z = days as i64 + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}-{minute:02}-{second:02}Z")
}

#[cfg(test)]
mod tests {
    #[test]
    fn time_stamps_are_dates() {
        assert_eq!(super::stamp(0), "1970-01-01T00-00-00Z");
        assert_eq!(super::stamp(951_782_399), "2000-02-28T23-59-59Z");
        assert_eq!(super::stamp(951_782_400), "2000-02-29T00-00-00Z");
        assert_eq!(super::stamp(1_794_713_070), "2026-11-15T03-24-30Z");
    }
}
