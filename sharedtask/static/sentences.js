// The arrow keys lead to the sentence before and the next one, as the links above the trees do.
// Where keys have a meaning already, in fields and in what scrolls, they keep it. Letters are left alone: who
// dictates to a computer would press them by speaking.
document.addEventListener("keydown", (event) => {
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (!rel || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea, [tabindex='0'], summary")) return;
  const link = document.querySelector(`a[rel="${rel}"]`);
  if (link) { event.preventDefault(); link.click(); }
});
