/* Correcting a run: what is typed is checked and counted while it is typed; who has the run open holds it. */
"use strict";

(() => {
  const HOLD_EVERY = 120_000;
  const form = () => document.getElementById("correction");

  /* ── JSON, checked while it is typed; a value that is edited is compared ── */
  document.addEventListener("input", ({ target }) => {
    if (!target.matches?.("[data-json]")) return;
    const line = target.closest(".arg");
    const tick = line.querySelector("input[type=checkbox]");
    if (tick && !tick.checked) tick.click();
    const shown = line.querySelector(".error");
    let wrong = "";
    if (target.value.trim()) {
      try {
        JSON.parse(target.value);
      } catch {
        wrong = form().dataset.saidJson;
      }
    }
    target.toggleAttribute("aria-invalid", Boolean(wrong));
    if (wrong) target.setAttribute("aria-invalid", "true");
    shown.textContent = wrong;
    shown.hidden = !wrong;
  });
  document.addEventListener("input", ({ target }) => {
    const counted = target.id === "should-say" && document.getElementById("say-n");
    if (counted) counted.textContent = form().dataset.saidCount.replace("{n}", target.value.length.toLocaleString());
  });

  /* ── Who has a run open holds it, until they leave ── */
  const token = () => document.cookie.split("; ").find((one) => one.startsWith("csrftoken="))?.slice(10) ?? "";
  const hold = () => {
    const held = document.querySelector("[data-hold]");
    if (!held || document.visibilityState === "hidden") return;
    fetch(held.dataset.hold, { method: "POST", headers: { "X-CSRFToken": token(), "HX-Request": "true" } })
      .then(({ ok }) => {
        if (ok && !("other" in held.dataset)) held.textContent = held.dataset.yours;
      })
      .catch(() => {}); // it is tried again before what there is ends
  };
  setInterval(hold, HOLD_EVERY);
  window.addEventListener("pagehide", () => {
    const held = document.querySelector("[data-hold]");
    if (!held) return;
    const sent = new FormData();
    sent.set("csrfmiddlewaretoken", token());
    navigator.sendBeacon(held.dataset.release, sent);
  });
  document.addEventListener("DOMContentLoaded", hold);
  // A page that comes back as it was left is held again.
  window.addEventListener("pageshow", ({ persisted }) => persisted && hold());
})();
