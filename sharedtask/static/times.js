// Adds the local time to every deadline and counts down to future ones. Without JavaScript the page shows UTC
// and AoE, and the time left when the page was rendered.

"use strict";

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
const pageAge = () => performance.now();

function showLocalTimes(root) {
  for (const place of root.querySelectorAll("[data-local-time]:empty")) {
    const moment = new Date(place.dataset.localTime);
    if (Number.isNaN(moment.getTime())) continue;
    const options = {
      day: "numeric", month: "short", year: "numeric",
      hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short",
    };
    if (moment.getSeconds()) options.second = "2-digit";
    place.textContent = "your time: " + new Intl.DateTimeFormat("en-GB", options).format(moment);
  }
}

// The two largest units: 3 days 4 hours, 59 minutes 3 seconds.
function formatDuration(seconds) {
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  if (first < 0) return "no time";
  const parts = [];
  for (const [name, size] of UNITS.slice(first, first + 2)) {
    const number = Math.floor(seconds / size);
    seconds -= number * size;
    if (number) parts.push(`${number} ${name}${number === 1 ? "" : "s"}`);
  }
  return parts.join(" ");
}

// Counts from the time left according to the server, so that a wrong local clock does not matter.
function updateCountdowns() {
  for (const place of document.querySelectorAll("[data-seconds-left]")) {
    const elapsed = (pageAge() - Number(place.dataset.from || 0)) / 1000;
    const left = Math.ceil(Number(place.dataset.secondsLeft) - elapsed);
    const text = left > 0 ? formatDuration(left) : place.dataset.over || "now";
    if (place.textContent !== text) place.textContent = text;
  }
}

function initialise(root) {
  showLocalTimes(root);
  // Content that htmx inserts later counts from the time of insertion.
  for (const place of root.querySelectorAll("[data-seconds-left]:not([data-from])")) {
    place.dataset.from = root === document ? 0 : pageAge();
  }
  updateCountdowns();
}

initialise(document);
setInterval(updateCountdowns, 1000);
document.addEventListener("htmx:load", (event) => initialise(event.detail.elt));
