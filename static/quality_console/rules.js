/* Rules: a panel that is closed only leaves the page and its address; nothing is read anew. */
"use strict";

document.addEventListener("click", (event) => {
  const out = event.target.closest("[data-close-panel]");
  if (!out || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  const panel = out.closest(".panel"), row = out.closest("tr.detail");
  const id = panel.id.replace("catch-up-", "");
  panel.remove();
  if (row && !row.querySelector(".panel")) {
    row.previousElementSibling.classList.remove("open");
    row.remove();
  }
  const address = new URL(location.href);
  const left = address.searchParams.getAll("catch-up").filter((one) => one !== id);
  address.searchParams.delete("catch-up");
  for (const one of left) address.searchParams.append("catch-up", one);
  history.replaceState(history.state, "", address);
}, true);
