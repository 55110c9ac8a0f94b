// Before an upload: what is in it, compared with what the task expects. During it: how much is sent. All of
// this is a courtesy; the server checks everything itself, and without this script the form is sent as it is.

"use strict";

const SUFFIX = ".conllu";
const CLUTTER = new Set(["__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", "@eaDir"]);
const form = document.querySelector("form[data-upload]");

function readable(size) {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) { size /= 1024; unit += 1; }
  return `${unit ? size.toFixed(1).replace(".0", "") : size} ${units[unit]}`;
}

function expectedCodes() {
  const phase = form.elements.phase ? form.elements.phase.value : "";
  const places = [...document.querySelectorAll("[data-code]")];
  const ofPhase = places.filter((place) => !phase || place.dataset.phases.split(" ").includes(phase));
  return ofPhase.map((place) => place.dataset.code);
}

function isClutter(name) {
  const parts = name.split("/");
  return parts.some((part) => CLUTTER.has(part)) || parts[parts.length - 1].startsWith("._");
}

// What is meant by the chosen files: null for an archive into which the browser cannot look.
async function contents(chosen) {
  const single = chosen.filter((file) => file.name.endsWith(SUFFIX));
  if (single.length === chosen.length) return chosen.map(({ name, size }) => ({ name, size }));
  return chosen.length === 1 ? filesInArchive(chosen[0]) : null;
}

function compare(chosen, files) {
  const codes = new Set(expectedCodes()), found = new Map(), faults = [];
  const [most, mostOfOne] = [Number(form.dataset.largestArchive), Number(form.dataset.largestFile)];
  if (chosen.length > 1 && chosen.some((file) => !file.name.endsWith(SUFFIX))) {
    faults.push(`Choose one archive, or ${SUFFIX} files, not both.`);
  }
  const total = chosen.reduce((sum, file) => sum + file.size, 0);
  if (total > most) faults.push(`This is ${readable(total)}; at most ${readable(most)} can be sent.`);
  for (const { name, size } of files || []) {
    if (isClutter(name)) continue;
    const base = name.split("/").pop(), code = base.slice(0, -SUFFIX.length);
    if (!base.endsWith(SUFFIX) || !codes.has(code)) faults.push(`${name} is not a file of this task: the whole upload would be refused.`);
    else if (found.has(code)) faults.push(`There are two files for ${code}.`);
    else found.set(code, size);
    if (size > mostOfOne) faults.push(`${name} has ${readable(size)}; a file has at most ${readable(mostOfOne)}.`);
    if (size === 0) faults.push(`${name} is empty.`);
  }
  return { found, faults, missing: [...codes].filter((code) => !found.has(code)), total };
}

function element(name, text, kind) {
  const made = document.createElement(name);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function list(lines, kind) {
  const made = element("ul", "", kind);
  made.append(...lines.map((line) => element("li", line)));
  return made;
}

function fateOfMissing() {
  const amends = form.elements.amends;
  if (amends && amends.value) return "inherited from the run that you amend";
  return form.dataset.missing === "zero" ? "missing, which counts as 0" : "missing";
}

async function tell() {
  const place = document.getElementById("upload-check"), chosen = [...form.elements.archive.files];
  place.replaceChildren();
  place.hidden = !chosen.length;
  if (!chosen.length) return;
  const files = await contents(chosen), { found, faults, missing, total } = compare(chosen, files);
  const names = chosen.length === 1 ? chosen[0].name : `${chosen.length} files`;
  place.append(element("h3", "What is in this upload"), element("p", `${names}, ${readable(total)}. Nothing has been sent yet.`));
  if (faults.length) place.append(element("p", "Please look at this first:", "wrong"), list(faults, "faults"));
  if (files === null) {
    place.append(element("p", "This browser cannot look into it; the server will, as soon as it has arrived."));
    return;
  }
  const all = found.size + missing.length;
  place.append(element("p", `${found.size} of ${all} test sets are in it.`, missing.length ? "" : "complete"));
  if (missing.length) place.append(element("p", `${missing.length === 1 ? "This one is" : "These are"} ${fateOfMissing()}:`), list(missing, "codes"));
}

function progress(words, part) {
  const place = document.getElementById("upload-progress");
  place.hidden = false;
  place.querySelector("progress").value = part;
  place.querySelector("[role=status]").textContent = words;
}

function sayFault(page) {
  const answered = new DOMParser().parseFromString(page, "text/html").querySelector("main .notice.bad");
  const place = document.getElementById("upload-fault");
  place.replaceChildren(answered ? document.importNode(answered, true) : element("p", "The server did not take it. Please try again.", "notice bad"));
  place.scrollIntoView({ block: "nearest" });
}

function done() {
  document.getElementById("upload-progress").hidden = true;
  form.querySelector("button.button").disabled = false;
}

function send(event) {
  event.preventDefault();
  const request = new XMLHttpRequest();
  form.querySelector("button.button").disabled = true;
  document.getElementById("upload-fault").replaceChildren();
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    const part = total ? loaded / total : 0;
    // Told in tenths, so that a screen reader is not flooded.
    progress(part < 1 ? `${Math.floor(part * 10) * 10} % sent.` : "All is sent. Waiting for the receipt.", part);
  });
  request.addEventListener("load", () => {
    // A receipt is a page of its own; so is the one to sign in, after a long time away.
    if (request.status === 200) location.assign(request.responseURL);
    else { done(); sayFault(request.responseText); }
  });
  request.addEventListener("error", () => { done(); sayFault('<main><p class="notice bad">The connection broke. Your team’s page says whether a run arrived; if not, please try again.</p></main>'); });
  request.addEventListener("abort", done);
  document.getElementById("upload-stop").onclick = () => request.abort();
  progress("The upload begins.", 0);
  request.open("POST", form.action);
  request.send(new FormData(form));
}

function acceptDrops() {
  const zone = form.querySelector(".drop");
  zone.querySelector(".drop-hint").hidden = false;
  for (const kind of ["dragenter", "dragover"]) zone.addEventListener(kind, (event) => { event.preventDefault(); zone.classList.add("over"); });
  for (const kind of ["dragleave", "drop"]) zone.addEventListener(kind, () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    form.elements.archive.files = event.dataTransfer.files;
    tell();
  });
}

if (form) {
  acceptDrops();
  form.addEventListener("change", tell);
  form.addEventListener("submit", send);
  tell();
}
