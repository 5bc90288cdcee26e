/* Conveniences of a run's content: unfold every step at once, and copy what is longer than the page shows. */
"use strict";

(() => {
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-unfold]");
    const within = button && document.getElementById(button.dataset.unfold);
    if (!within) return;
    const steps = [...within.querySelectorAll(".steps > li > details")];
    const open = !steps.every((step) => step.open);
    for (const step of steps) step.open = open;
    const other = button.dataset.fold;
    button.dataset.fold = button.textContent;
    button.textContent = other;
  });

  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-copy-from]");
    if (!button) return;
    const answer = await fetch(button.dataset.copyFrom, { credentials: "same-origin" });
    if (!answer.ok) return;
    await navigator.clipboard.writeText(await answer.text());
    button.dataset.copied = "true";
    document.dispatchEvent(new Event("copied"));
    setTimeout(() => delete button.dataset.copied, 2000);
  });

  /* A step that an address names, or a link in the form, is opened. */
  const open = () => {
    const named = location.hash.startsWith("#call-") && document.getElementById(location.hash.slice(1));
    const step = named && named.querySelector("details");
    if (step) step.open = true;
  };
  addEventListener("hashchange", open);
  document.addEventListener("DOMContentLoaded", open);
})();
