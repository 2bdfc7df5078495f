// Sets the remembered theme before the first paint. `app/src/state/theme.rs` switches it.
try {
  // Hosts below other paths of this origin have themes of their own.
  const base = new URL(".", document.currentScript.src).pathname.slice(0, -1);
  const theme = localStorage.getItem(`${base}rehearsal.theme`);
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // A browser without storage follows the system.
}
