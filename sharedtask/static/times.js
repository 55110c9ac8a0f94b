// Adds the reader's own time to every deadline. Without it the page says UTC and AoE, which is enough.

"use strict";

function tellLocalTimes(root) {
  for (const place of root.querySelectorAll("[data-local-time]:empty")) {
    const moment = new Date(place.dataset.localTime);
    if (Number.isNaN(moment.getTime())) continue;
    const options = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" };
    if (moment.getSeconds()) options.second = "2-digit";
    place.textContent = "your time: " + new Intl.DateTimeFormat("en-GB", options).format(moment);
  }
}

tellLocalTimes(document);
// Parts of a page that htmx puts in later get theirs too.
document.addEventListener("htmx:load", (event) => tellLocalTimes(event.detail.elt));
