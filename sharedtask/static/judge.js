// Judging by keyboard. An answer that could not be sent is kept in this browser and sent again until the server has it.
"use strict";

const form = document.getElementById("judgement");
const saving = document.getElementById("saving");
const began = performance.now();
const RETRY_MS = 2000;
const PENDING = `judgement-to-send ${location.pathname}`;
const REFUSED = "judgement-refused";

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
  // A key that is held down must not answer the items that follow.
  if (event.repeat) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// A sentence that is written from right to left begins at the right.
const trees = document.getElementById("trees-box");
if (trees && document.querySelector(".sentence-text[dir=rtl]")) trees.scrollLeft = trees.scrollWidth;

document.getElementById("highlight")?.addEventListener("click", toggleHighlight);

// Sends what was kept; the server ignores a decision that it has already.
async function send(pending) {
  let response;
  try {
    // The token of this page: signing in again has changed it.
    const token = document.querySelector("input[name=csrfmiddlewaretoken]").value;
    response = await fetch(pending.address, {
      method: "POST",
      body: new URLSearchParams({ ...pending.fields, csrfmiddlewaretoken: token }),
      credentials: "same-origin",
    });
    if (response.status >= 500) throw new Error(String(response.status));
  } catch {
    const what = pending.address.endsWith("/undo/") ? "taken back" : "saved";
    say(`Your answer has not been ${what} yet. Trying again …`);
    setTimeout(() => send(pending), RETRY_MS);
    return;
  }
  const wasSaved = response.ok && new URL(response.url).pathname === location.pathname;
  // Whoever has been signed out gets another page; the answer is sent after signing in.
  if (wasSaved || !response.ok) localStorage.removeItem(PENDING);
  if (!response.ok) sessionStorage.setItem(REFUSED, await reasonOf(response));
  location.reload();
}

async function reasonOf(response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return page.querySelector("[role=alert] p")?.textContent || "Your answer could not be saved.";
}

function say(text) {
  saving.textContent = text;
  saving.hidden = false;
}

function sendReliably(event) {
  event.preventDefault();
  const sent = event.target;
  if (sent === form) document.getElementById("seconds").value = ((performance.now() - began) / 1000).toFixed(1);
  const pending = { address: sent.action, fields: Object.fromEntries(new FormData(sent, event.submitter)) };
  localStorage.setItem(PENDING, JSON.stringify(pending));
  for (const button of document.querySelectorAll("main form button")) button.disabled = true;
  send(pending);
}

const forms = [...document.querySelectorAll("#judgement[action], #skipping form, #undo")];
for (const each of forms) each.addEventListener("submit", sendReliably);
// The page was closed, or the annotator signed out, before the answer had been saved.
const kept = JSON.parse(localStorage.getItem(PENDING) || "null");
if (kept && forms.some((each) => each.action === kept.address)) send(kept);
else if (kept && forms.length) localStorage.removeItem(PENDING);
const refused = sessionStorage.getItem(REFUSED);
if (refused) say(refused);
sessionStorage.removeItem(REFUSED);
