// The arrow keys lead to the previous and next sentence, like the links above the trees. In form fields and
// scrollable regions they keep their usual meaning. Letters are not used as shortcuts, because speech input
// would trigger them.
document.addEventListener("keydown", (event) => {
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (!rel || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea, [tabindex='0'], summary")) return;
  const link = document.querySelector(`a[rel="${rel}"]`);
  if (link) { event.preventDefault(); link.click(); }
});
