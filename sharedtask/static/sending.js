// Sends an upload and shows the progress: in a way that survives broken connections (`resumable.js`), or with the
// form itself if the files cannot be sent so.

"use strict";

// The field Upload-Metadata of the server has this many characters at most.
const MAX_METADATA = 7500;
const FIELDS = ["phase", "track", "system", "amends", "note", "reason", "training_size", "training_sample"];

function showProgress(text, fraction) {
  const place = document.getElementById("upload-progress");
  place.hidden = false;
  place.querySelector("progress").value = fraction;
  place.querySelector("[role=status]").textContent = text;
}

// Takes the error message out of the page that the server sent.
function showError(page) {
  const message = new DOMParser().parseFromString(page, "text/html").querySelector("main .notice.bad");
  const place = document.getElementById("upload-error");
  place.replaceChildren(
    message
      ? document.importNode(message, true)
      : createElement("p", "The server did not accept the upload. Please try again.", "notice bad"),
  );
  place.scrollIntoView({ block: "nearest" });
}

function resetForm() {
  showContents();
  document.getElementById("upload-progress").hidden = true;
  form.querySelector("button.button").disabled = false;
}

// What the server needs to know about the chosen files and the other fields; null if they can only be sent with the
// form: archives and single files together, or too many of them to be listed.
function uploadMetadata(chosen) {
  const isSingle = chosen.every((file) => file.name.endsWith(SUFFIX));
  if (!chosen.length || (chosen.length > 1 && !isSingle)) return null;
  const metadata = { purpose: "run", task: form.dataset.task, filename: chosen[0].name };
  if (form.dataset.team) metadata.team = form.dataset.team;
  if (isSingle) metadata.files = JSON.stringify(chosen.map(({ name, size }) => [name, size]));
  for (const name of FIELDS) {
    if (form.elements[name] && form.elements[name].value) metadata[name] = form.elements[name].value;
  }
  return encodeMetadata(metadata).length <= MAX_METADATA ? metadata : null;
}

function sentSoFar() {
  const chosen = [...form.elements.archive.files], metadata = uploadMetadata(chosen);
  const isPartlySent = metadata !== null && remembered.get(fingerprint(chosen, metadata)) !== null;
  return isPartlySent
    ? "A part of it has already been received; the upload will continue from there."
    : "Nothing has been uploaded yet.";
}

function showFraction(loaded, total) {
  const fraction = total ? loaded / total : 0;
  // In steps of ten percent, so that a screen reader is not flooded.
  const percent = Math.floor(fraction * 10) * 10;
  const text = fraction < 1 ? `${percent}% uploaded.` : "Upload complete. Waiting for the receipt.";
  showProgress(text, fraction);
}

function showWaiting(loaded, total) {
  const percent = Math.floor((loaded / total) * 100);
  const reason = navigator.onLine ? "The connection was lost" : "You are offline";
  showProgress(`${reason} at ${percent}%. The upload will continue automatically.`, loaded / total);
}

function showRefusal({ id, detail }) {
  const notice = createElement("div", "", "notice bad"), sentence = createElement("p", "");
  notice.setAttribute("role", "alert");
  sentence.append(createElement("strong", "No run was created."), ` ${detail}`);
  const name = createElement("p", "", "small");
  name.append(createElement("code", id));
  notice.append(sentence, name);
  const place = document.getElementById("upload-error");
  place.replaceChildren(notice);
  place.scrollIntoView({ block: "nearest" });
}

async function sendResumably(files, metadata) {
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const upload = new ResumableUpload({
    endpoint: form.dataset.endpoint,
    token: form.elements.csrfmiddlewaretoken.value,
    files,
    metadata,
    onProgress: (loaded) => showFraction(loaded, total),
    onWaiting: (loaded) => showWaiting(loaded, total),
  });
  document.getElementById("upload-cancel").onclick = () => upload.cancel();
  try {
    const receipt = await upload.send();
    if (receipt) location.assign(receipt); else resetForm();
  } catch (error) {
    resetForm();
    if (!(error instanceof UploadRefusal)) throw error;
    showRefusal(error.problem);
  }
}

function send(event) {
  event.preventDefault();
  form.querySelector("button.button").disabled = true;
  // It says that nothing has been uploaded yet.
  document.getElementById("upload-check").hidden = true;
  document.getElementById("upload-error").replaceChildren();
  showProgress("Starting the upload.", 0);
  const files = [...form.elements.archive.files], metadata = uploadMetadata(files);
  if (metadata) sendResumably(files, metadata); else sendForm();
}

function sendForm() {
  const request = new XMLHttpRequest();
  request.upload.addEventListener("progress", ({ loaded, total }) => showFraction(loaded, total));
  request.addEventListener("load", () => {
    // The receipt is a page of its own; so is the sign-in page if the session has expired.
    if (request.status === 200) {
      location.assign(request.responseURL);
    } else {
      resetForm();
      showError(request.responseText);
    }
  });
  request.addEventListener("error", () => {
    resetForm();
    const text = "The connection was lost. Check your team’s page; if the run is not listed there, please try again.";
    showError(`<main><p class="notice bad">${text}</p></main>`);
  });
  request.addEventListener("abort", resetForm);
  document.getElementById("upload-cancel").onclick = () => request.abort();
  request.open("POST", form.action);
  request.send(new FormData(form));
}
