// The name that somebody probably meant, found as the server finds it (difflib.get_close_matches in Python).

"use strict";

const SIMILAR_ENOUGH = 0.8;

// The number of characters in common blocks: the longest one, and those before and after it.
function charactersInCommon(first, second) {
  let best = 0, inFirst = 0, inSecond = 0;
  for (let i = 0; i < first.length; i += 1) {
    for (let j = 0; j < second.length; j += 1) {
      let length = 0;
      while (i + length < first.length && j + length < second.length && first[i + length] === second[j + length]) {
        length += 1;
      }
      if (length > best) [best, inFirst, inSecond] = [length, i, j];
    }
  }
  if (!best) return 0;
  return best
    + charactersInCommon(first.slice(0, inFirst), second.slice(0, inSecond))
    + charactersInCommon(first.slice(inFirst + best), second.slice(inSecond + best));
}

function similarName(name, names) {
  const wanted = name.toLowerCase().slice(0, 100);
  const rated = names.map((other) => (
    [2 * charactersInCommon(other, wanted) / (other.length + wanted.length), other]
  ));
  const [similarity, closest] = rated.sort((a, b) => b[0] - a[0])[0] || [0, ""];
  return similarity >= SIMILAR_ENOUGH ? closest : "";
}
