// Wide trees scroll sideways. These buttons scale them to the width of their box, or show them on the whole screen.
"use strict";

for (const bar of document.querySelectorAll(".tree-size")) bar.hidden = false;

for (const button of document.querySelectorAll("[data-fit]")) {
  const box = document.getElementById(button.dataset.fit);
  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", box.classList.toggle("fit"));
  });
}

for (const button of document.querySelectorAll("[data-full-screen]")) {
  const box = document.getElementById(button.dataset.fullScreen);
  if (!box.requestFullscreen) button.hidden = true;
  button.addEventListener("click", () => box.requestFullscreen());
}
