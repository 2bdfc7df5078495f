//! The steps of JSON pointers, as RFC 6901 writes them.

/// A name as a step of a pointer, without the slash before it.
///
/// ```
/// assert_eq!(json_text::pointer::step("a/b~c"), "a~1b~0c");
/// ```
#[must_use]
pub fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The name that a step of a pointer stands for.
///
/// ```
/// // `~01` is `~1`, and no slash.
/// assert_eq!(json_text::pointer::name("a~1b~01"), "a/b~1");
/// ```
#[must_use]
pub fn name(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}
