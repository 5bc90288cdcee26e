/* Correcting a run: when the form is drawn anew, the focus is on what was made or pressed, and what was open stays so. */
"use strict";

(() => {
  const form = () => document.getElementById("correction");
  let was = null;

  // A field by its id, else by its name and which of those it is; a button by what it does.
  const alike = (of, name) => [...of.querySelectorAll("[name]")].filter((one) => one.name === name && one.type !== "hidden");
  const placeOf = (element) => {
    if (!element?.name || element.form !== form()) return null;
    if (element.name === "do") return { does: element.value };
    return { name: element.name, index: alike(form(), element.name).indexOf(element) };
  };
  const buttonFor = (does) => [...form().querySelectorAll("button[name='do']")].find((one) => one.value === does && !one.matches(".sr"));
  const again = (place) => {
    if (!place) return null;
    return place.does ? buttonFor(place.does) : alike(form(), place.name)[place.index];
  };

  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.elt.id !== "correction") return;
    was = {
      does: String(detail.requestConfig.parameters.do ?? "look"),
      place: placeOf(document.activeElement),
      added: form().querySelectorAll(".expected.added").length,
      tree: Boolean(form().querySelector("details.tree")?.open),
      items: Boolean(form().querySelector("details.items")?.open),
    };
  });

  /* ── What was made ── */
  const newRow = () => {
    const row = [...form().querySelectorAll(".expected.added")].pop();
    const fields = [...(row?.querySelectorAll("input:not([type=hidden], [type=checkbox]), textarea") ?? [])];
    return fields.find((one) => !one.value) ?? fields[0];
  };
  const besideDropped = (index) => {
    const others = [...form().querySelectorAll("button[name='do'][value^='drop:']")];
    return others[Math.min(Number(index), others.length - 1)] ?? form().querySelector("#add-tool");
  };
  const item = (pointer) => {
    const radios = alike(form(), `i:${pointer}`);
    return radios.find((one) => one.checked) ?? radios[0];
  };
  const MADE = {
    drop: besideDropped,
    item,
    said: () => form().querySelector("#should-say"),
    list: () => form().querySelector("#list"),
    calls: () => form().querySelector(".about-decisions .trio input"),
  };

  /* ── What there is to do about what went wrong ── */
  const wrong = () => form().querySelector("[aria-invalid='true'], .expected ~ .error");
  const toldOf = () => form().querySelector(".form-notices .notice:not(:has([data-draft-restore]))");
  const focusOn = (element) => {
    if (!element) return false;
    if (!element.matches("a, button, input, select, textarea")) element.tabIndex = -1;
    element.focus();
    return document.activeElement === element;
  };
  const tellAbout = (told) => {
    const next = told.querySelector(".btn");
    const invalid = next ? null : wrong();
    (invalid ?? told).scrollIntoView({ block: "center" });
    focusOn(next ?? invalid ?? told) || focusOn(told);
  };

  document.addEventListener("htmx:afterSwap", () => {
    if (!was || !form() || form().dataset.focused) return;
    form().dataset.focused = "true";
    for (const name of ["items", "tree"]) {
      const part = form().querySelector(`details.${name}`);
      if (part && was[name]) part.open = true;
    }
    const { does, place, added } = was;
    was = null;
    const told = toldOf();
    if (told) return tellAbout(told);
    const [what, ...which] = does.split(":");
    // Enter in the field for a tool adds it, too.
    if (form().querySelectorAll(".expected.added").length > added) return focusOn(newRow());
    if (focusOn(MADE[what]?.(which.join(":")))) return;
    if (document.activeElement && document.activeElement !== document.body) return;
    focusOn(again(place)) || focusOn(form().querySelector(".verdicts :checked, .verdicts input"));
  });
  // The form that the page came with was never drawn anew.
  document.addEventListener("DOMContentLoaded", () => form()?.setAttribute("data-focused", "true"));
})();
