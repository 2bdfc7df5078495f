//! [`Rule`]: the lint rules and their severity.

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The tool cannot be used as declared, or a service that runs models refuses it.
    Error,
    /// The tool works, and a person or a model will guess.
    Warning,
    /// Nobody has to guess; a stricter service than most refuses it.
    Note,
}

impl Severity {
    /// Every severity, the worst first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    /// `error`, `warning` or `note`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

macro_rules! rules {
    ($($(#[doc = $about:literal])+ $variant:ident, $name:literal, $severity:ident;)+) => {
        /// What is looked for. The order is that of the guide.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[doc = $about])+ $variant,)+
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The rule's name in reports, in kebab-case.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// How bad it is to break the rule.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }
        }
    };
}

rules! {
    /// Text that is not JSON.
    NotJson, "not-json", Error;
    /// JSON that is not a declaration: not an object, or one without a name.
    NotADeclaration, "not-a-declaration", Error;
    /// A name that services refuse.
    NameInvalid, "name-invalid", Error;
    /// What is warned of when the agent is loaded, such as a tool that is left out.
    AgentWarning, "agent-warning", Warning;
    /// Two tools of one name in one list.
    NameRepeated, "name-repeated", Warning;
    /// Names in one list that differ by case only: of tools, or of arguments.
    NamesDifferByCase, "names-differ-by-case", Warning;
    /// A tool without a description.
    DescriptionMissing, "description-missing", Warning;
    /// An argument without a description, its own or in the tool's.
    ArgumentDescriptionMissing, "argument-description-missing", Warning;
    /// Parameters given in two ways.
    ParametersTwice, "parameters-twice", Error;
    /// Parameters that do not describe an object.
    ParametersNotAnObject, "parameters-not-an-object", Error;
    /// A value in place of a schema is not a schema.
    NotASchema, "not-a-schema", Error;
    /// A keyword with a value of the wrong type.
    KeywordShape, "keyword-shape", Error;
    /// A keyword that JSON Schema does not have.
    KeywordUnknown, "keyword-unknown", Warning;
    /// A keyword that limits values of another type only.
    KeywordIdle, "keyword-idle", Warning;
    /// A member that is given twice.
    KeyRepeated, "key-repeated", Warning;
    /// A schema nested too deep to be opened, or at the end of too many references.
    TooDeep, "too-deep", Error;
    /// A reference to a target outside the declaration.
    ReferenceBroken, "reference-broken", Error;
    /// A reference that leads back to itself.
    ReferenceCircular, "reference-circular", Error;
    /// An unknown type.
    TypeUnknown, "type-unknown", Error;
    /// A type as a programming language calls it, which can mean one type only.
    TypeLoose, "type-loose", Note;
    /// A type of a programming language that gives no information about the value.
    TypeVague, "type-vague", Warning;
    /// An argument without a type.
    TypeMissing, "type-missing", Warning;
    /// A list without an item schema.
    ItemsMissing, "items-missing", Warning;
    /// An object without member schemas.
    MembersMissing, "members-missing", Warning;
    /// Limits that exclude each other.
    BoundsContradict, "bounds-contradict", Error;
    /// Limits that exclude all values of one type, where others are admitted.
    TypeExcluded, "type-excluded", Warning;
    /// An enum without values.
    EnumEmpty, "enum-empty", Error;
    /// An enum without a value that the rest of the schema accepts.
    EnumUnfit, "enum-unfit", Error;
    /// An enum's value that is not of the schema's type.
    EnumValueUnfit, "enum-value-unfit", Warning;
    /// A repeated value in an enum.
    EnumRepeats, "enum-repeats", Warning;
    /// A pattern that JavaScript does not compile.
    PatternInvalid, "pattern-invalid", Error;
    /// A pattern of JavaScript's that Rehearsal's check cannot run.
    PatternUnchecked, "pattern-unchecked", Warning;
    /// A pattern that may take exponential time.
    PatternSlow, "pattern-slow", Warning;
    /// A required member that may not be there.
    RequiredImpossible, "required-impossible", Error;
    /// A required member whose schema requires it again.
    RequiredEndless, "required-endless", Error;
    /// A required member that no property describes.
    RequiredUndescribed, "required-undescribed", Warning;
    /// `required` on the argument and not on its object.
    RequiredMisplaced, "required-misplaced", Warning;
    /// No value can be valid.
    NothingValid, "nothing-valid", Error;
    /// A branch of a union without a valid value.
    BranchDead, "branch-dead", Warning;
    /// A default that its own schema refuses.
    DefaultInvalid, "default-invalid", Warning;
    /// An example that its own schema refuses.
    ExampleInvalid, "example-invalid", Warning;
    /// Branches of a union with the same name.
    UnionUnnamed, "union-unnamed", Warning;
    /// A schema that no validator can use.
    SchemaUnusable, "schema-unusable", Error;
    /// No valid value was found by trying.
    NoValueFound, "no-value-found", Warning;
    /// A valid value that only JSON mode can express.
    JsonModeOnly, "json-mode-only", Warning;
    /// A valid value that does not come out of the form as it went in.
    ValueLost, "value-lost", Error;
}
