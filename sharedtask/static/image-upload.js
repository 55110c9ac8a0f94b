// Submits an image of a team or a scorer of organisers, in a way that survives broken connections (`resumable.js`). The server checks everything itself.

"use strict";

const handIn = document.querySelector("form[data-image-upload]");

function showImageProgress(text, fraction) {
  const place = document.getElementById("image-progress");
  place.hidden = false;
  place.querySelector("progress").value = fraction;
  place.querySelector("[role=status]").textContent = text;
}

function showImageError(text) {
  const notice = document.createElement("p");
  notice.className = "notice bad";
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  document.getElementById("image-error").replaceChildren(notice);
  document.getElementById("image-progress").hidden = true;
  handIn.querySelector("button").disabled = false;
}

async function sendImage(file) {
  // Besides the image and the token, a form has what the server wants to know: the system or the task, and a note.
  const fields = new FormData(handIn);
  fields.delete("image");
  fields.delete("csrfmiddlewaretoken");
  const metadata = { purpose: handIn.dataset.imageUpload, filename: file.name, ...Object.fromEntries(fields) };
  const percent = (loaded) => Math.floor((loaded / file.size) * 10) * 10;
  const upload = new ResumableUpload({
    endpoint: handIn.dataset.endpoint,
    token: handIn.elements.csrfmiddlewaretoken.value,
    files: [file],
    metadata,
    onProgress: (loaded) => showImageProgress(`${percent(loaded)}% uploaded.`, loaded / file.size),
    onWaiting: (loaded) => showImageProgress(
      `The connection was lost at ${percent(loaded)}%. The upload will continue automatically.`, loaded / file.size),
  });
  const receipt = await upload.send();
  if (receipt) window.location.assign(receipt);
}

if (handIn) {
  handIn.addEventListener("submit", (event) => {
    event.preventDefault();
    const file = handIn.elements.image.files[0];
    if (!file) return;
    handIn.querySelector("button").disabled = true;
    document.getElementById("image-error").replaceChildren();
    sendImage(file).catch((error) => showImageError(error.message));
  });
}
