// Judging by keyboard. An answer that could not be sent is kept in this browser and sent again until the server has it.
"use strict";

const form = document.getElementById("judgement");
const saving = document.getElementById("saving");
const began = performance.now();
const RETRY_MS = 2000;
const PENDING = "judgement-to-send";

function toggleHighlight() {
  const box = document.getElementById("trees-box"), button = document.getElementById("highlight");
  if (box && button) button.setAttribute("aria-pressed", box.classList.toggle("highlight"));
}

function toggleDetails(id) {
  const details = document.getElementById(id);
  if (details) details.open = !details.open;
  return details;
}

function press(answer) {
  const button = form && form.querySelector(`button[value="${answer}"]`);
  if (button && !button.disabled) button.click();
}

const KEYS = {
  1: () => press("1"),
  2: () => press("2"),
  "=": () => press("="),
  d: toggleHighlight,
  u: () => document.querySelector("#undo button")?.click(),
  s: () => toggleDetails("skipping")?.querySelector("input[name=reason]")?.focus(),
  "?": () => toggleDetails("keys"),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.getElementById("highlight")?.addEventListener("click", toggleHighlight);

// Sends a kept answer; the server ignores an answer that it has already.
async function send(pending) {
  try {
    const response = await fetch(pending.address, {
      method: "POST",
      body: new URLSearchParams(pending.fields),
      credentials: "same-origin",
    });
    if (response.status >= 500) throw new Error(String(response.status));
    localStorage.removeItem(PENDING);
    location.assign(response.ok ? response.url : location.href);
  } catch {
    saving.textContent = "Your answer has not been saved yet. Trying again …";
    saving.hidden = false;
    setTimeout(() => send(pending), RETRY_MS);
  }
}

if (form && form.action && form.hasAttribute("action")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    document.getElementById("seconds").value = ((performance.now() - began) / 1000).toFixed(1);
    const fields = Object.fromEntries(new FormData(form, event.submitter));
    const pending = { address: form.action, fields };
    localStorage.setItem(PENDING, JSON.stringify(pending));
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    send(pending);
  });
  // The page was closed before the answer had been saved.
  const kept = JSON.parse(localStorage.getItem(PENDING) || "null");
  if (kept && kept.address === form.action) send(kept);
}
