//! What a Rust file names: its paths, and its public functions and types with a result whose error is a text. Read with
//! `syn`.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Attribute, GenericArgument, Ident, ImplItemFn, Item, ItemFn, ItemTrait, ItemType, ItemUse,
    Macro, Meta, Path, PathArguments, PathSegment, Signature, TraitItem, Type, UseTree, Visibility,
};

/// A path, as the file has it; those in braces each in full.
#[derive(Debug)]
pub(crate) struct NamedPath {
    /// Its segments; the last is `*` for a glob import.
    pub(crate) segments: Vec<String>,
    /// The modules in braces around it.
    pub(crate) around: Vec<String>,
    /// Whether it is compiled for tests only.
    pub(crate) is_test: bool,
    /// Whether it is imported.
    pub(crate) is_import: bool,
}

/// The paths in a file, also those in the tokens of macros.
pub(crate) fn paths(file: &str, code: &str) -> Vec<NamedPath> {
    let mut finder = Finder::default();
    finder.visit_file(&parsed(file, code));
    finder.paths
}

/// The public functions, methods of public traits and aliases of types that have a result with a text as its error, also
/// as a part of another type or in a function that they take.
pub(crate) fn texts_as_errors(file: &str, code: &str) -> Vec<String> {
    let mut finder = Finder::default();
    finder.visit_file(&parsed(file, code));
    finder.texts_as_errors
}

fn parsed(file: &str, code: &str) -> syn::File {
    syn::parse_file(code).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[derive(Default)]
struct Finder {
    paths: Vec<NamedPath>,
    texts_as_errors: Vec<String>,
    around: Vec<String>,
    is_test: bool,
}

impl Finder {
    fn found(&mut self, segments: Vec<String>, is_import: bool) {
        let (around, is_test) = (self.around.clone(), self.is_test);
        self.paths.push(NamedPath { segments, around, is_test, is_import });
    }

    fn imported(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.imported(&path.tree, &with(path.ident.to_string())),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.imported(tree, before));
            }
            UseTree::Name(name) => self.found(with(name.ident.to_string()), true),
            UseTree::Rename(name) => self.found(with(name.ident.to_string()), true),
            UseTree::Glob(_) => self.found(with("*".to_owned()), true),
        }
    }

    /// The paths in the tokens of a macro.
    fn in_tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end_of(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.end_of(&mut path);
                    self.in_tokens(group.stream());
                    colons = 0;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {
                    self.end_of(&mut path);
                    colons = 0;
                }
            }
        }
        self.end_of(&mut path);
    }

    fn end_of(&mut self, path: &mut Vec<String>) {
        if path.len() > 1 {
            self.found(std::mem::take(path), false);
        }
        path.clear();
    }

    fn signature(&mut self, visibility: &Visibility, signature: &Signature) {
        let mut texts = TextErrors(false);
        texts.visit_signature(signature);
        self.public(visibility, &signature.ident, &texts);
    }

    fn public(&mut self, visibility: &Visibility, name: &Ident, texts: &TextErrors) {
        if texts.0 && !self.is_test && matches!(visibility, Visibility::Public(_)) {
            self.texts_as_errors.push(name.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast Item) {
        let (was_test, depth) = (self.is_test, self.around.len());
        if let Item::Mod(module) = item
            && module.content.is_some()
        {
            self.around.push(module.ident.to_string());
            self.is_test |= module.ident == "tests";
        }
        self.is_test |= attributes(item).iter().any(is_for_tests);
        visit::visit_item(self, item);
        self.is_test = was_test;
        self.around.truncate(depth);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.imported(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'ast Path) {
        self.found(path.segments.iter().map(|it| it.ident.to_string()).collect(), false);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, found: &'ast Macro) {
        visit::visit_path(self, &found.path);
        self.in_tokens(found.tokens.clone());
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.signature(&item.vis, &item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        let mut texts = TextErrors(false);
        texts.visit_type(&item.ty);
        self.public(&item.vis, &item.ident, &texts);
        visit::visit_item_type(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.signature(&item.vis, &item.sig);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        for method in &item.items {
            if let TraitItem::Fn(method) = method {
                self.signature(&item.vis, &method.sig);
            }
        }
        visit::visit_item_trait(self, item);
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// `#[cfg(test)]`, also among other conditions.
fn is_for_tests(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    let condition = list.tokens.to_string();
    list.path.is_ident("cfg")
        && (condition == "test"
            || condition.starts_with("all (test")
            || condition.starts_with("any (test"))
}

/// Whether there is a result with a text as its error.
struct TextErrors(bool);

impl<'ast> Visit<'ast> for TextErrors {
    fn visit_path_segment(&mut self, segment: &'ast PathSegment) {
        self.0 |= is_text_error(segment);
        visit::visit_path_segment(self, segment);
    }
}

fn is_text_error(segment: &PathSegment) -> bool {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return false };
    let Some(GenericArgument::Type(Type::Path(error))) = arguments.args.iter().nth(1) else {
        return false;
    };
    segment.ident == "Result" && error.path.segments.last().is_some_and(|it| it.ident == "String")
}
