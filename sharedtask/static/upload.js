// Before an upload: compares its contents with what the task expects; `sending.js` sends it. The server checks
// everything itself, and without this script the form is submitted as usual.

"use strict";

const SUFFIX = ".conllu";
const CLUTTER = new Set(["__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", "@eaDir"]);
const form = document.querySelector("form[data-upload]");

function readableSize(size) {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) { size /= 1024; unit += 1; }
  return `${unit ? size.toFixed(1).replace(".0", "") : size} ${units[unit]}`;
}

function expectedCodes() {
  const phase = form.elements.phase ? form.elements.phase.value : "";
  const items = [...document.querySelectorAll("[data-code]")];
  const ofPhase = items.filter((item) => !phase || item.dataset.phases.split(" ").includes(phase));
  return ofPhase.map((item) => item.dataset.code);
}

function isClutter(name) {
  const parts = name.split("/");
  return parts.some((part) => CLUTTER.has(part)) || parts[parts.length - 1].startsWith("._");
}

// Name and size of the files in this upload; null for an archive that the browser cannot read.
async function listFiles(chosen) {
  const single = chosen.filter((file) => file.name.endsWith(SUFFIX));
  if (single.length === chosen.length) return chosen.map(({ name, size }) => ({ name, size }));
  return chosen.length === 1 ? filesInArchive(chosen[0]) : null;
}

function compare(chosen, files) {
  const codes = new Set(expectedCodes()), sizes = new Map(), errors = [];
  const [uploadLimit, fileLimit] = [Number(form.dataset.largestArchive), Number(form.dataset.largestFile)];
  if (chosen.length > 1 && chosen.some((file) => !file.name.endsWith(SUFFIX))) {
    errors.push(`Choose either one archive or ${SUFFIX} files, not both.`);
  }
  const total = chosen.reduce((sum, file) => sum + file.size, 0);
  if (total > uploadLimit) {
    errors.push(`The upload is ${readableSize(total)}; the limit is ${readableSize(uploadLimit)}.`);
  }
  for (const { name, size } of files || []) {
    if (isClutter(name)) continue;
    const base = name.split("/").pop(), code = base.slice(0, -SUFFIX.length);
    if (!base.endsWith(SUFFIX) || !codes.has(code)) {
      const similar = similarName(base, [...codes].map((each) => each + SUFFIX));
      const suggestion = similar ? ` (did you mean ${similar}?)` : "";
      errors.push(`${name}${suggestion} does not belong to this task; the upload would be refused.`);
    } else if (sizes.has(code)) {
      errors.push(`There are two files for ${code}.`);
    } else {
      sizes.set(code, size);
    }
    if (size > fileLimit) {
      errors.push(`${name} is ${readableSize(size)}; the limit per file is ${readableSize(fileLimit)}.`);
    }
    if (size === 0) errors.push(`${name} is empty.`);
  }
  return { present: sizes.size, errors, missing: [...codes].filter((code) => !sizes.has(code)), total };
}

async function otherFormat(chosen) {
  return chosen.length === 1 ? refusedFormat(chosen[0], JSON.parse(form.dataset.otherFormats)) : "";
}

function createElement(name, text, className) {
  const element = document.createElement(name);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}

function createList(lines, className) {
  const list = createElement("ul", "", className);
  list.append(...lines.map((line) => createElement("li", line)));
  return list;
}

function missingHeading() {
  const amends = form.elements.amends;
  if (amends && amends.value) return "Inherited from the amended run:";
  return form.dataset.missing === "zero" ? "Missing, counted as 0:" : "Missing:";
}

async function showContents() {
  const summary = document.getElementById("upload-check"), chosen = [...form.elements.archive.files];
  summary.replaceChildren();
  summary.hidden = !chosen.length;
  if (!chosen.length) return;
  const files = await listFiles(chosen), format = files ? "" : await otherFormat(chosen);
  const { present, errors, missing, total } = compare(chosen, files);
  const title = chosen.length === 1 ? chosen[0].name : `${chosen.length} files`;
  summary.append(
    createElement("h3", "Contents of this upload"),
    createElement("p", `${title}, ${readableSize(total)}. ${sentSoFar()}`),
  );
  if (format) {
    errors.push(`This file is ${format}. Pack the ${SUFFIX} files into a .zip, .tar.gz or .tar.xz archive.`);
  }
  if (errors.length) {
    summary.append(createElement("p", "Please fix these problems first:", "wrong"));
    summary.append(createList(errors, "errors"));
  }
  if (format) return;
  if (files === null) {
    const text = "Your browser cannot read this archive; the server will check it after the upload.";
    summary.append(createElement("p", text));
    return;
  }
  const text = `${present} of ${present + missing.length} test sets included.`;
  summary.append(createElement("p", text, missing.length ? "" : "complete"));
  if (missing.length) {
    summary.append(createElement("p", missingHeading()), createList(missing, "codes"));
  }
}

function acceptDrops() {
  const zone = form.querySelector(".drop");
  zone.querySelector(".drop-hint").hidden = false;
  for (const type of ["dragenter", "dragover"]) {
    zone.addEventListener(type, (event) => { event.preventDefault(); zone.classList.add("over"); });
  }
  for (const type of ["dragleave", "drop"]) {
    zone.addEventListener(type, () => zone.classList.remove("over"));
  }
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    form.elements.archive.files = event.dataTransfer.files;
    showContents();
  });
}

// A team that may not upload now gets the form disabled, with the reason above it.
if (form && !form.querySelector("fieldset").disabled) {
  acceptDrops();
  form.addEventListener("change", showContents);
  form.addEventListener("submit", send);
  showContents();
}
