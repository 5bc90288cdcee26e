/* What becomes of an answer that isn't one: it is said where it was asked, and what is there stays. */
"use strict";

(() => {
  /* ── Where something is said: what is behind an open dialog can be neither read nor used ── */
  const modal = () => [...document.querySelectorAll("dialog:modal")].pop();
  const within = (dialog) => {
    const there = dialog.querySelector(".dialog-notices");
    if (there) return there;
    const made = document.createElement("div");
    made.className = "dialog-notices";
    made.setAttribute("aria-live", "assertive");
    const head = dialog.querySelector(".dialog-head");
    if (head) head.after(made);
    else dialog.prepend(made);
    return made;
  };
  const placeFor = (asked) => {
    const dialog = modal();
    if (dialog) return within(dialog);
    const form = asked?.isConnected ? asked.closest("form") : null;
    return form?.querySelector(".form-notices") ?? document.getElementById("notices");
  };
  const bringIntoView = (place) => {
    const { top, bottom } = place.getBoundingClientRect();
    if (top < 64 || bottom > innerHeight) place.scrollIntoView({ block: "center" });
  };
  const tell = (which, asked) => {
    const told = document.getElementById(`notice-${which}`);
    const place = placeFor(asked);
    if (!told || !place) return;
    place.replaceChildren(told.content.cloneNode(true));
    bringIntoView(place);
  };

  /* ── Only what this server drew is swapped. A proxy's word, or a fault's, isn't put in the place of a form ── */
  // What looks at a form while it is filled in only says less than it could, for once.
  const looks = (asked) => asked?.matches?.("#correction [hx-target='#correction-checks']");
  const isQuiet = (asked) => asked?.matches?.("[data-quiet]");
  const missed = (which, asked) => {
    if (looks(asked)) document.getElementById("correction-checks")?.setAttribute("hidden", "");
    else if (!isQuiet(asked)) tell(which, asked);
  };
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { detail } = event;
    if (detail.xhr.getResponseHeader("HX-Retarget")) {
      detail.shouldSwap = true;
      const dialog = detail.target.id === "notices" && modal();
      if (dialog) detail.target = within(dialog);
    } else if (detail.xhr.status >= 400 && !detail.shouldSwap) missed("failed", detail.requestConfig.elt);
  });
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target?.matches?.("#notices:not(:empty), .dialog-notices:not(:empty)")) bringIntoView(detail.target);
  });
  // The form for a correction says it in its own way, and sends itself again.
  document.addEventListener("htmx:sendError", ({ detail }) => {
    if (detail.elt.id !== "correction") missed("offline", detail.elt);
  });
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    // What asks by itself, again and again, leaves what was said to be read.
    if (isQuiet(detail.elt) || looks(detail.elt)) return;
    for (const place of document.querySelectorAll("#notices, .dialog-notices")) place.replaceChildren();
  });

  /* ── What only a colour would show is said, too ── */
  document.addEventListener("copied", () => {
    const said = document.getElementById("announced");
    if (!said) return;
    const dialog = modal();
    (dialog ?? document.body).append(said);
    said.textContent = "";
    setTimeout(() => (said.textContent = said.dataset.says), 100);
    setTimeout(() => document.body.append(said), 2000);
  });
})();
