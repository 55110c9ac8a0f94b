// Adds the reader's own time to every deadline, and counts down to those that are to come. Without it the
// page says UTC and AoE, and how far off a deadline was when the page was made; that is enough.

"use strict";

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
const pageAge = () => performance.now();

function tellLocalTimes(root) {
  for (const place of root.querySelectorAll("[data-local-time]:empty")) {
    const moment = new Date(place.dataset.localTime);
    if (Number.isNaN(moment.getTime())) continue;
    const options = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" };
    if (moment.getSeconds()) options.second = "2-digit";
    place.textContent = "your time: " + new Intl.DateTimeFormat("en-GB", options).format(moment);
  }
}

// The two largest units: 3 days 4 hours, 59 minutes 3 seconds.
function inWords(seconds) {
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  if (first < 0) return "no time";
  const words = [];
  for (const [name, size] of UNITS.slice(first, first + 2)) {
    const number = Math.floor(seconds / size);
    seconds -= number * size;
    if (number) words.push(`${number} ${name}${number === 1 ? "" : "s"}`);
  }
  return words.join(" ");
}

// Counted from what the server said was left, so that a wrong clock at the reader's does no harm.
function count() {
  for (const place of document.querySelectorAll("[data-seconds-left]")) {
    const left = Math.ceil(Number(place.dataset.secondsLeft) - (pageAge() - Number(place.dataset.from || 0)) / 1000);
    const words = left > 0 ? inWords(left) : place.dataset.over || "now";
    if (place.textContent !== words) place.textContent = words;
  }
}

function begin(root) {
  tellLocalTimes(root);
  // What htmx puts in later counts from the moment it came.
  for (const place of root.querySelectorAll("[data-seconds-left]:not([data-from])")) {
    place.dataset.from = root === document ? 0 : pageAge();
  }
  count();
}

begin(document);
setInterval(count, 1000);
document.addEventListener("htmx:load", (event) => begin(event.detail.elt));
