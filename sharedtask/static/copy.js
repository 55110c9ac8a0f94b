// A button with data-copy="id" copies the text of that element. It is hidden where there is no script.

"use strict";

async function copy(button) {
  const words = button.textContent;
  try {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).innerText.trim());
    button.textContent = "Copied";
  } catch {
    // Without a clipboard the text is at least selected, for the keyboard to copy.
    getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = words; }, 2000);
}

function show(root) {
  for (const button of root.querySelectorAll("button[data-copy]")) button.hidden = false;
}

show(document);
document.addEventListener("htmx:load", (event) => show(event.detail.elt));
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-copy]");
  if (button) copy(button);
});
