/* Suggested changes: what somebody types stays, whatever comes meanwhile. Without it each page still works. */
"use strict";

(() => {
  const TEXT = "textarea, input:not([type=hidden], [type=checkbox], [type=radio])";
  const FIELDS = ":is(input:not([type=hidden]), select, textarea)";
  const isChanged = (field) => {
    if (/^(checkbox|radio)$/.test(field.type)) return field.checked !== field.defaultChecked;
    if (!field.matches("select")) return field.value !== field.defaultValue;
    return field.selectedIndex !== Math.max(0, [...field.options].findIndex((one) => one.defaultSelected));
  };

  /* ── An evaluation ends: the page is drawn anew, but under nobody who types in it ── */
  // What came back with something wrong was typed, too.
  const isTyped = () =>
    document.activeElement?.matches(TEXT) ||
    [...document.querySelectorAll(`#main form ${FIELDS}`)].some(
      (field) => isChanged(field) || (field.form.method === "post" && field.matches("textarea") && field.value));
  const asksAgain = (asked) => asked.matches?.("[data-quiet]");
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (asksAgain(detail.elt) && isTyped()) detail.parameters.typed = "yes";
  });
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    // Who has begun since it was asked is told when it asks next.
    const { elt, xhr } = event.detail;
    if (asksAgain(elt) && xhr.getResponseHeader("HX-Refresh") && isTyped()) event.preventDefault();
  });

  /* ── Drafting: nothing is typed into a form that is about to be another; then one is where one was ── */
  const draft = () => document.querySelector("#draft > form");
  const lock = (is) => {
    draft()?.toggleAttribute("inert", is);
    if (is) draft().setAttribute("aria-busy", "true");
    else draft()?.removeAttribute("aria-busy");
  };
  let pressed = "";
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt, requestConfig } = event.detail;
    if (elt !== draft() || event.defaultPrevented) return;
    pressed = (requestConfig.triggeringEvent?.submitter ?? document.activeElement)?.id;
    lock(true);
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (!detail.requestConfig.elt.matches("#draft > form") || detail.xhr.getResponseHeader("HX-Redirect")) return;
    lock(false);
    // Where something is wrong, that has the focus.
    if (document.activeElement === document.body) document.getElementById(pressed)?.focus();
  });
  addEventListener("pageshow", ({ persisted }) => persisted && lock(false));

  /* ── What can be done: a form that is answered leaves the others as they were ── */
  let others = [];
  document.addEventListener("htmx:beforeSwap", ({ detail: { requestConfig, target } }) => {
    const all = target.id === "change" ? [...target.querySelectorAll(`form ${FIELDS}[id]`)] : [];
    others = all.filter((field) => field.form !== requestConfig.elt && (isChanged(field) || field.value));
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const was of others.splice(0)) {
      const field = document.getElementById(was.id);
      if (!field) continue;
      if (was.type === "checkbox") field.checked = was.checked;
      else field.value = was.value;
      const fold = field.closest("details");
      if (fold && isChanged(field)) fold.open = true;
    }
  });
})();
