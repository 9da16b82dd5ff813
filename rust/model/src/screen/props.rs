//! The properties of a node by the names they have in selectors and captures.

/// The text properties of a node, with the names they have in selectors and captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Prop {
    ClassName,
    ResourceId,
    UniqueId,
    ComposeTestTag,
    Text,
    ContentDescription,
    HintText,
    LabeledByText,
    StateDescription,
    PaneTitle,
    RoleDescription,
    PackageName,
    TooltipText,
    Error,
    /// A short name that stays the same over captures of one screen.
    Ref,
}

impl Prop {
    pub const ALL: [Self; 15] = [
        Self::ClassName,
        Self::ResourceId,
        Self::UniqueId,
        Self::ComposeTestTag,
        Self::Text,
        Self::ContentDescription,
        Self::HintText,
        Self::LabeledByText,
        Self::StateDescription,
        Self::PaneTitle,
        Self::RoleDescription,
        Self::PackageName,
        Self::TooltipText,
        Self::Error,
        Self::Ref,
    ];

    pub const fn key(self) -> &'static str {
        match self {
            Self::ClassName => "className",
            Self::ResourceId => "resourceId",
            Self::UniqueId => "uniqueId",
            Self::ComposeTestTag => "composeTestTag",
            Self::Text => "text",
            Self::ContentDescription => "contentDescription",
            Self::HintText => "hintText",
            Self::LabeledByText => "labeledByText",
            Self::StateDescription => "stateDescription",
            Self::PaneTitle => "paneTitle",
            Self::RoleDescription => "roleDescription",
            Self::PackageName => "packageName",
            Self::TooltipText => "tooltipText",
            Self::Error => "error",
            Self::Ref => "ref",
        }
    }

    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|prop| prop.key() == key)
    }
}

/// The yes/no properties of a node, with the names they have in selectors and captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Flag {
    Enabled,
    VisibleToUser,
    ImportantForAccessibility,
    Clickable,
    LongClickable,
    Checkable,
    Checked,
    Selected,
    Focusable,
    Focused,
    Editable,
    Scrollable,
    Password,
    Heading,
    MultiLine,
    ShowingHintText,
    ContentInvalid,
    TextSelectable,
}

impl Flag {
    pub const ALL: [Self; 18] = [
        Self::Enabled,
        Self::VisibleToUser,
        Self::ImportantForAccessibility,
        Self::Clickable,
        Self::LongClickable,
        Self::Checkable,
        Self::Checked,
        Self::Selected,
        Self::Focusable,
        Self::Focused,
        Self::Editable,
        Self::Scrollable,
        Self::Password,
        Self::Heading,
        Self::MultiLine,
        Self::ShowingHintText,
        Self::ContentInvalid,
        Self::TextSelectable,
    ];

    pub const fn key(self) -> &'static str {
        match self {
            Self::Enabled => "isEnabled",
            Self::VisibleToUser => "isVisibleToUser",
            Self::ImportantForAccessibility => "isImportantForAccessibility",
            Self::Clickable => "isClickable",
            Self::LongClickable => "isLongClickable",
            Self::Checkable => "isCheckable",
            Self::Checked => "isChecked",
            Self::Selected => "isSelected",
            Self::Focusable => "isFocusable",
            Self::Focused => "isFocused",
            Self::Editable => "isEditable",
            Self::Scrollable => "isScrollable",
            Self::Password => "isPassword",
            Self::Heading => "isHeading",
            Self::MultiLine => "isMultiLine",
            Self::ShowingHintText => "isShowingHintText",
            Self::ContentInvalid => "isContentInvalid",
            Self::TextSelectable => "isTextSelectable",
        }
    }

    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.key() == key)
    }

    const fn bit(self) -> u32 {
        1 << self as u8
    }
}

/// A set of flags; the default has those that are true when a capture leaves them out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flags(u32);

impl Default for Flags {
    fn default() -> Self {
        Self(Flag::Enabled.bit() | Flag::VisibleToUser.bit() | Flag::ImportantForAccessibility.bit())
    }
}

impl Flags {
    /// The bits of all flags that there are.
    pub(super) const KNOWN: u32 = (1 << Flag::ALL.len()) - 1;

    pub(super) const fn bits(self) -> u32 {
        self.0
    }

    pub(super) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub const fn has(self, flag: Flag) -> bool {
        self.0 & flag.bit() != 0
    }

    pub fn set(&mut self, flag: Flag, on: bool) {
        if on {
            self.0 |= flag.bit();
        } else {
            self.0 &= !flag.bit();
        }
    }
}
