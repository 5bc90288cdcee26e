/* The queue: how many runs are ticked, and all of a page at once. Without it each is ticked by itself. */
"use strict";

(() => {
  const ticks = (form) => [...form.querySelectorAll(".pick input")];

  const say = (form) => {
    const all = ticks(form);
    const picked = all.filter((tick) => tick.checked).length;
    const said = form.querySelector("[data-picked]");
    if (said) said.textContent = said.dataset.picked.replace("#", picked);
    const whole = form.querySelector("[data-pick-all]");
    if (!whole) return;
    whole.hidden = all.length === 0;
    whole.firstElementChild.checked = picked > 0 && picked === all.length;
    whole.firstElementChild.indeterminate = picked > 0 && picked < all.length;
  };

  document.addEventListener("change", ({ target }) => {
    const form = target.closest("form.picking");
    if (!form) return;
    if (target.closest("[data-pick-all]")) for (const tick of ticks(form)) tick.checked = target.checked;
    say(form);
  });
  // The form is cleared only after its event.
  document.addEventListener("reset", ({ target }) => {
    if (target.matches("form.picking")) setTimeout(() => say(target));
  });

  const begin = () => document.querySelectorAll("form.picking").forEach(say);
  document.addEventListener("htmx:load", begin);
  // A page that was left and is come back to has its ticks again.
  addEventListener("pageshow", begin);
})();
