// Sets the remembered theme before the first paint. `app/src/state/theme.rs` switches it.
try {
  const theme = localStorage.getItem("rehearsal.theme");
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // A browser without storage follows the system.
}
