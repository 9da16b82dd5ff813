//! Which predicates the blocks of a selector have.

use super::Field;
use crate::pattern::Dialect;
use crate::screen::{Flag, Prop};

const NATIVE_TEXTS: &[(&str, Field)] = &[
    ("textRegex", Field::Resolved),
    ("contentDescriptionRegex", Field::Prop(Prop::ContentDescription)),
    ("hintTextRegex", Field::Prop(Prop::HintText)),
    ("labeledByTextRegex", Field::Prop(Prop::LabeledByText)),
    ("stateDescriptionRegex", Field::Prop(Prop::StateDescription)),
    ("paneTitleRegex", Field::Prop(Prop::PaneTitle)),
    ("roleDescriptionRegex", Field::Prop(Prop::RoleDescription)),
    ("classNameRegex", Field::Prop(Prop::ClassName)),
    ("resourceIdRegex", Field::Prop(Prop::ResourceId)),
    ("composeTestTagRegex", Field::Prop(Prop::ComposeTestTag)),
];

const NATIVE_FLAGS: &[(&str, Flag)] = &[
    ("isEnabled", Flag::Enabled),
    ("isClickable", Flag::Clickable),
    ("isCheckable", Flag::Checkable),
    ("isChecked", Flag::Checked),
    ("isSelected", Flag::Selected),
    ("isFocused", Flag::Focused),
    ("isEditable", Flag::Editable),
    ("isScrollable", Flag::Scrollable),
    ("isPassword", Flag::Password),
    ("isHeading", Flag::Heading),
    ("isMultiLine", Flag::MultiLine),
];

const MAESTRO_TEXTS: &[(&str, Field)] = &[
    ("textRegex", Field::Resolved),
    ("resourceIdRegex", Field::Prop(Prop::ResourceId)),
    ("accessibilityTextRegex", Field::Prop(Prop::ContentDescription)),
    ("classNameRegex", Field::Prop(Prop::ClassName)),
    ("hintTextRegex", Field::Prop(Prop::HintText)),
];

const MAESTRO_FLAGS: &[(&str, Flag)] = &[
    ("clickable", Flag::Clickable),
    ("enabled", Flag::Enabled),
    ("focused", Flag::Focused),
    ("checked", Flag::Checked),
    ("selected", Flag::Selected),
];

pub(super) const NUMBERS: &[&str] = &["inputType", "collectionItemRowIndex", "collectionItemColumnIndex"];
/// Blocks for trees that no Android screen has; their predicates are known by name.
pub(super) const FOREIGN: &[(&str, &[&str])] = &[
    (
        "web",
        &[
            "ariaRole",
            "cssSelector",
            "dataTestId",
            "headingLevel",
            "nthIndex",
            "ariaNameRegex",
            "ariaDescriptorRegex",
        ],
    ),
    (
        "compose",
        &[
            "testTag",
            "role",
            "toggleableState",
            "textRegex",
            "editableTextRegex",
            "contentDescriptionRegex",
            "isEnabled",
            "isFocused",
            "isSelected",
            "isPassword",
        ],
    ),
    (
        "iosMaestro",
        &[
            "textRegex",
            "resourceIdRegex",
            "accessibilityTextRegex",
            "classNameRegex",
            "hintTextRegex",
            "focused",
            "selected",
        ],
    ),
    (
        "iosAxe",
        &[
            "roleRegex",
            "subroleRegex",
            "labelRegex",
            "valueRegex",
            "typeRegex",
            "titleRegex",
            "uniqueId",
            "customAction",
            "enabled",
        ],
    ),
];
pub(super) const RELATIONS: &[&str] = &["childOf", "containsChild", "below", "above", "leftOf", "rightOf"];
/// Names of predicates, and what they compare.
type Table<T> = &'static [(&'static str, T)];

pub(super) fn tables(dialect: Dialect) -> (Table<Field>, Table<Flag>) {
    match dialect {
        Dialect::Native => (NATIVE_TEXTS, NATIVE_FLAGS),
        Dialect::Maestro => (MAESTRO_TEXTS, MAESTRO_FLAGS),
    }
}

pub(super) fn block_key(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Native => "androidAccessibility",
        Dialect::Maestro => "androidMaestro",
    }
}
