// Where the line of links is wider than the screen, the page that the reader is on is brought into sight.

"use strict";

for (const here of document.querySelectorAll(".task-nav [aria-current]")) {
  const line = here.closest("ul");
  line.scrollLeft = here.offsetLeft - line.offsetLeft - (line.clientWidth - here.clientWidth) / 2;
}
