// Scrolls the navigation bar so that the link to the current page is visible on narrow screens.

"use strict";

for (const current of document.querySelectorAll(".task-nav [aria-current]")) {
  const bar = current.closest("ul");
  bar.scrollLeft = current.offsetLeft - bar.offsetLeft - (bar.clientWidth - current.clientWidth) / 2;
}
