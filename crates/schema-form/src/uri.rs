//! Resolves relative URIs of schemas.

/// Resolves `reference` against `base` (RFC 3986, 5.2), as far as `$id`s within one document need it;
/// queries are left unchanged.
///
/// ```
/// use schema_form::resolve_uri;
/// assert_eq!(resolve_uri("https://x.test/a/root", "other"), "https://x.test/a/other");
/// assert_eq!(resolve_uri("https://x.test/a/root", "../b"), "https://x.test/b");
/// assert_eq!(resolve_uri("https://x.test/a/root", "/b"), "https://x.test/b");
/// assert_eq!(resolve_uri("https://x.test/a/root", "urn:b"), "urn:b");
/// assert_eq!(resolve_uri("", "other"), "/other");
/// ```
#[must_use]
pub fn resolve_uri(base: &str, reference: &str) -> String {
    let is_whole = reference.split('/').next().is_some_and(|first| first.contains(':'));
    if is_whole {
        return reference.to_owned();
    }
    let after_scheme = base.find("://").map(|at| at + 3);
    let path = after_scheme.map_or(0, |at| base[at..].find('/').map_or(base.len(), |it| at + it));
    let (origin, path) = base.split_at(path);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let joined = match reference {
        "" => path.to_owned(),
        with_root if with_root.starts_with('/') => with_root.to_owned(),
        relative => format!("{folder}/{relative}"),
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in joined.split('/').skip(usize::from(joined.starts_with('/'))) {
        match segment {
            "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name),
        }
    }
    format!("{origin}/{}", segments.join("/"))
}
