//! The login page: markup in the app's look, without a script. Its addresses are relative to `/login`.

use std::fmt::Write as _;

/// The values that the login page shows.
pub(super) struct LoginPage<'a> {
    /// The path to open after the login, on this host.
    pub(super) next: &'a str,
    /// The name that was entered.
    pub(super) name: &'a str,
    /// The error of the last attempt.
    pub(super) fault: Option<&'a str>,
}

impl LoginPage<'_> {
    pub(super) fn html(&self) -> String {
        let (next, name) = (escaped(self.next), escaped(self.name));
        let (fault, described) = match self.fault {
            Some(fault) => (
                format!(r#"<p class="field-fault" id="fault" role="alert">{}</p>"#, escaped(fault)),
                r#" aria-invalid="true" aria-describedby="fault""#,
            ),
            None => (String::new(), ""),
        };
        let (at_name, at_password) =
            if name.is_empty() { (" autofocus", "") } else { ("", " autofocus") };
        format!(
            r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Log in · Rehearsal</title>
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<script src="theme.js"></script>
<link rel="stylesheet" href="pkg/rehearsal.css">
</head>
<body class="login">
<main class="login-card">
<h1 class="brand"><span class="mark" aria-hidden="true"></span>Rehearsal</h1>
<form method="post" action="login">
<input type="hidden" name="next" value="{next}">
<label for="name">Name</label>
<input class="input" id="name" name="name" value="{name}" autocomplete="username" autocapitalize="none" spellcheck="false" required{at_name}{described}>
<label for="password">Password</label>
<input class="input" id="password" name="password" type="password" autocomplete="current-password" required{at_password}{described}>
{fault}
<button class="button primary">Log in</button>
</form>
</main>
</body>
</html>
"#
        )
    }
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' | '<' | '>' | '"' | '\'' => {
                let _ = write!(safe, "&#{};", u32::from(character));
            }
            plain => safe.push(plain),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_the_entered_text() {
        let name = r#""><script>alert(1)</script>"#;
        let page = LoginPage { next: "/", name, fault: Some("<b>") }.html();
        assert!(!page.contains("<script>alert"));
        assert!(!page.contains("<b>"));
        assert!(page.contains("&#34;&#62;&#60;script&#62;"));
    }
}
