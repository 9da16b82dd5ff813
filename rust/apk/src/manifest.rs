//! The manifest of a test APK: what it says, and what packing changes in it.

use crate::axml::{Attribute, Document, Element, Value};
use crate::error::{Error, Result};

/// Attributes by the numbers of the platform.
mod id {
    pub(super) const LABEL: u32 = 0x0101_0001;
    pub(super) const NAME: u32 = 0x0101_0003;
    pub(super) const TARGET_PACKAGE: u32 = 0x0101_0021;
    pub(super) const MIN_SDK: u32 = 0x0101_020c;
    pub(super) const VERSION_CODE: u32 = 0x0101_021b;
    pub(super) const VERSION_NAME: u32 = 0x0101_021c;
    pub(super) const TARGET_SDK: u32 = 0x0101_0270;
}

/// Elements whose name is that of a class.
const COMPONENTS: [&str; 6] =
    ["application", "activity", "service", "receiver", "provider", "instrumentation"];
/// Elements whose label people see.
const LABELLED: [&str; 3] = ["application", "service", "instrumentation"];
/// A longer label is cut off wherever it is shown, and a length has two bytes in the format.
const LONGEST: usize = 1000;

/// The manifest of an APK.
#[derive(Clone, Debug)]
pub struct Manifest {
    document: Document,
}

/// What is written into a manifest; nothing where it stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub package: Option<String>,
    pub label: Option<String>,
    pub version_code: Option<u32>,
    pub version_name: Option<String>,
    pub target_sdk: Option<u32>,
}

/// What a manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub package: String,
    /// None when it is a resource.
    pub label: Option<String>,
    pub version_code: u32,
    pub version_name: String,
    pub min_sdk: u32,
    pub target_sdk: u32,
    /// The class that runs tests, with its package.
    pub runner: String,
    /// The package that it instruments.
    pub instruments: String,
}

impl Manifest {
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let document = Document::read(bytes).map_err(|error| error.of("the manifest"))?;
        Ok(Self { document })
    }

    fn element(&self, name: &str) -> Result<&Element> {
        let found = self.document.elements.iter().find(|element| element.name == name);
        found.ok_or_else(|| Error::new(format!("the manifest has no <{name}>")))
    }

    fn attribute(&self, element: &str, id: u32, name: &str) -> Result<Attribute> {
        let found = self.element(element)?.by_id(id).cloned();
        found.ok_or_else(|| Error::new(format!("<{element}> of the manifest has no '{name}'")))
    }

    fn package(&self) -> Result<Attribute> {
        let found = self.element("manifest")?.by_name("package").cloned();
        found.ok_or_else(|| Error::new("the manifest has no package"))
    }

    pub fn facts(&self) -> Result<Facts> {
        let text = |attribute: Attribute| {
            let name = &attribute.name;
            attribute.text().map(str::to_owned).ok_or_else(|| Error::new(format!("'{name}' is no text")))
        };
        let number = |attribute: Attribute| {
            let name = &attribute.name;
            attribute.number().ok_or_else(|| Error::new(format!("'{name}' is no number")))
        };
        let package = text(self.package()?)?;
        let runner = text(self.attribute("instrumentation", id::NAME, "name")?)?;
        let label = self.element("application")?.by_id(id::LABEL);
        Ok(Facts {
            label: label.and_then(Attribute::text).map(str::to_owned),
            version_code: number(self.attribute("manifest", id::VERSION_CODE, "versionCode")?)?,
            version_name: text(self.attribute("manifest", id::VERSION_NAME, "versionName")?)?,
            min_sdk: number(self.attribute("uses-sdk", id::MIN_SDK, "minSdkVersion")?)?,
            target_sdk: number(self.attribute("uses-sdk", id::TARGET_SDK, "targetSdkVersion")?)?,
            runner: absolute(&package, &runner),
            instruments: text(self.attribute("instrumentation", id::TARGET_PACKAGE, "targetPackage")?)?,
            package,
        })
    }

    /// The lowest API level that a phone must have; where nothing is said, every phone will do.
    pub fn min_sdk(&self) -> u32 {
        let said = self.element("uses-sdk").ok().and_then(|element| element.by_id(id::MIN_SDK)?.number());
        said.unwrap_or(1)
    }

    /// The package that it has tests for; an app has none.
    pub fn instruments(&self) -> Option<String> {
        let target = self.attribute("instrumentation", id::TARGET_PACKAGE, "targetPackage").ok()?;
        target.text().map(str::to_owned)
    }

    /// Writes changes into the manifest.
    pub fn change(&mut self, changes: &Changes) -> Result<()> {
        if let Some(package) = &changes.package {
            check_package(package)?;
            self.rename(package)?;
        }
        if let Some(label) = &changes.label {
            check_text("label", label)?;
            for element in self.document.elements.clone() {
                let label_of =
                    LABELLED.contains(&element.name.as_str()).then(|| element.by_id(id::LABEL)).flatten();
                label_of.into_iter().for_each(|old| self.document.set(old, Value::Text(label.clone())));
            }
        }
        if let Some(name) = &changes.version_name {
            check_text("version name", name)?;
            let old = self.attribute("manifest", id::VERSION_NAME, "versionName")?;
            self.document.set(&old, Value::Text(name.clone()));
        }
        if let Some(code) = changes.version_code {
            if code == 0 || code > i32::MAX as u32 {
                return Err(Error::new(format!("the version code {code} is not from 1 to {}", i32::MAX)));
            }
            let old = self.attribute("manifest", id::VERSION_CODE, "versionCode")?;
            self.document.set(&old, Value::Number(code));
        }
        if let Some(sdk) = changes.target_sdk {
            let lowest = self.facts()?.min_sdk;
            if sdk < lowest {
                let error =
                    Error::new(format!("the target API level {sdk} is below the lowest one, {lowest}"));
                return Err(error.hint("leave '--target-sdk' out, or ask for a higher one"));
            }
            let old = self.attribute("uses-sdk", id::TARGET_SDK, "targetSdkVersion")?;
            self.document.set(&old, Value::Number(sdk));
        }
        self.document = Document::read(&self.document.print())?;
        Ok(())
    }

    /// Gives the APK another package. Its classes keep theirs, so that their names are written out; it goes on to
    /// instrument itself.
    fn rename(&mut self, package: &str) -> Result<()> {
        let attribute = self.package()?;
        let old = attribute.text().unwrap_or_default().to_owned();
        self.document.set(&attribute, Value::Text(package.to_owned()));
        for element in self.document.elements.clone() {
            if COMPONENTS.contains(&element.name.as_str())
                && let Some(name) = element.by_id(id::NAME)
                && let Some(class) = name.text()
            {
                self.document.set(name, Value::Text(absolute(&old, class)));
            }
            if let Some(target) = element.by_id(id::TARGET_PACKAGE)
                && target.text() == Some(&old)
            {
                self.document.set(target, Value::Text(package.to_owned()));
            }
        }
        Ok(())
    }

    pub fn print(&self) -> Vec<u8> {
        self.document.print()
    }
}

/// The name of a class with its package.
fn absolute(package: &str, class: &str) -> String {
    match class {
        class if class.starts_with('.') => format!("{package}{class}"),
        class if !class.contains('.') => format!("{package}.{class}"),
        class => class.to_owned(),
    }
}

fn check_text(what: &str, text: &str) -> Result<()> {
    let count = text.chars().count();
    if count == 0 || count > LONGEST || text.contains(char::is_control) {
        let error = Error::new(format!("the {what} is not one line of 1 to {LONGEST} characters"));
        return Err(error.hint("write a short line, or leave it out"));
    }
    Ok(())
}

/// Whether Android takes a name for a package: two or more parts, each of which could be a name in Java.
pub fn check_package(package: &str) -> Result<()> {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let parts: Vec<&str> = package.split('.').collect();
    if parts.len() < 2 || package.len() > 200 || !parts.iter().all(|part| is_part(part)) {
        let error = Error::new(format!("'{package}' is no name of a package"));
        return Err(error.hint("two or more Java names with dots between them, such as 'com.example.trails'"));
    }
    Ok(())
}
