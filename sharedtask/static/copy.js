// A button with data-copy="id" copies the text of that element. Without JavaScript it stays hidden.

"use strict";

async function copy(button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).innerText.trim());
    button.textContent = "Copied";
  } catch {
    // Without access to the clipboard, select the text so that it can be copied with the keyboard.
    getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = label; }, 2000);
}

function showButtons(root) {
  for (const button of root.querySelectorAll("button[data-copy]")) button.hidden = false;
}

showButtons(document);
document.addEventListener("htmx:load", (event) => showButtons(event.detail.elt));
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-copy]");
  if (button) copy(button);
});
