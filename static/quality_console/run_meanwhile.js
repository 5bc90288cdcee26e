/* Correcting a run: what is typed and marked while the form is drawn anew stays, however slow the network is. */
"use strict";

(() => {
  const form = () => document.getElementById("correction");
  const NOT_TYPED = /^(csrfmiddlewaretoken|do|added|seen-.*|calls-from)$/;
  const said = (of) => {
    const found = new Map();
    for (const [name, value] of new FormData(of))
      if (!NOT_TYPED.test(name)) found.set(name, [...(found.get(name) ?? []), value]);
    return found;
  };
  const alike = (one, other) => JSON.stringify(one ?? []) === JSON.stringify(other ?? []);

  let sent = null, meanwhile = null;
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.elt.id === "correction") sent = { said: said(form()), drops: /^drop:/.test(detail.requestConfig.parameters.do) };
  });
  // After every other listener: one may still say that the answer isn't shown.
  window.addEventListener("htmx:beforeSwap", ({ detail }) => {
    meanwhile = null;
    if (detail.target.id !== "correction" || !detail.shouldSwap || !sent) return;
    const now = said(form()), field = document.activeElement;
    const changed = [...new Set([...now.keys(), ...sent.said.keys()])]
      .filter((name) => !alike(now.get(name), sent.said.get(name)))
      // The rows after one that is dropped have other names.
      .filter((name) => !(sent.drops && name.startsWith("add-")));
    sent = null;
    const typing = changed.includes(field?.name) && field.form === form() && typeof field.selectionStart === "number";
    meanwhile = { changed: changed.map((name) => [name, now.get(name) ?? []]), typing: typing && placeOf(field) };
  });
  const named = (name) => [...form().querySelectorAll("[name]")].filter((one) => one.name === name);
  const placeOf = (field) => ({
    name: field.name, index: named(field.name).indexOf(field), from: field.selectionStart, to: field.selectionEnd,
  });
  const put = (name, values) => {
    const fields = named(name);
    fields.forEach((field, index) => {
      if (/^(radio|checkbox)$/.test(field.type)) field.checked = values.includes(field.value);
      else field.value = values[index] ?? "";
    });
    fields[0]?.dispatchEvent(new Event("input", { bubbles: true }));
  };
  document.addEventListener("htmx:afterSwap", () => {
    if (!meanwhile || !form()) return;
    const { changed, typing } = meanwhile;
    meanwhile = null;
    for (const [name, values] of changed) put(name, values);
    const field = typing && named(typing.name)[typing.index];
    if (!field) return;
    // Who is in the middle of a word goes on there.
    form().dataset.focused = "true";
    field.focus();
    field.setSelectionRange(typing.from, typing.to);
  });
})();
