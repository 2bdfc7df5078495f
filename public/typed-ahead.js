// Collects what is typed on an agent's page before its field for the user message has the focus: keys are not lost,
// and letters are not taken for shortcuts. `app/src/state/typed_ahead.rs` puts the text into the field.
{
  const page = new URL("rehearse/", document.currentScript.src);
  window.typedAhead = { on: location.pathname.startsWith(page.pathname), text: "" };
}

addEventListener(
  "keydown",
  (event) => {
    const ahead = window.typedAhead;
    const { key } = event;
    if (!ahead.on || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (document.activeElement && !document.activeElement.matches("body, main, section")) {
      return;
    }
    if (key === "Tab" || key === "Escape") {
      ahead.on = false;
      return;
    }
    if (key === "Backspace") {
      ahead.text = [...ahead.text].slice(0, -1).join("");
    } else if (key === "Enter") {
      ahead.text += ahead.text && "\n";
    } else if ([...key].length === 1) {
      ahead.text += key;
    } else {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  true,
);
