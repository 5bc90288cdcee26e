/* Correcting a run by keyboard, with a draft that stays until the server has answered. The form works without it. */
"use strict";

(() => {
  const DAYS = 7;
  const HOLD_EVERY = 120_000;
  const RETRY_AFTER = 15_000;
  const form = () => document.getElementById("correction");
  // By the button itself: HTMX sends the name of what was clicked.
  const submit = (value) => button(value)?.click();
  const button = (value) => form()?.querySelector(`button[name="do"][value="${value}"]`) ?? form()?.elements.namedItem("do")[0];

  /* ── Drafts: what was typed, on this device, until it is saved ── */
  const draftKey = (of) => `draft:${of.dataset.person}:${of.dataset.run}`;
  // A form is a list of pairs, in which names come more than once. What was seen is seen anew when it is opened.
  const typedIn = (of) =>
    [...new FormData(of)].filter(([name]) => !/^(csrfmiddlewaretoken|do|seen-.*)$/.test(name));
  let saved = false;
  const keep = () => {
    const open = form();
    if (!open || saved) return;
    try {
      localStorage.setItem(draftKey(open), JSON.stringify({ at: Date.now(), typed: typedIn(open) }));
      said(open.dataset.saidDraft);
    } catch {
      said(""); // no room, or not allowed: then there is no draft, and nothing says that there is
    }
  };
  const said = (text) => {
    const note = form()?.querySelector("[data-draft-note]");
    if (note) note.textContent = text ?? "";
  };
  const forget = (of) => localStorage.removeItem(draftKey(of));
  const forgetOld = () => {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith("draft:")) continue;
      try {
        if (JSON.parse(localStorage.getItem(key)).at > Date.now() - DAYS * 86_400_000) continue;
      } catch { /* what can't be read is no draft */ }
      localStorage.removeItem(key);
    }
  };
  const restore = (open) => {
    let draft;
    try {
      draft = JSON.parse(localStorage.getItem(draftKey(open)));
    } catch { /* none that can be read */ }
    if (!draft || JSON.stringify(draft.typed) === JSON.stringify(typedIn(open))) return;
    // The server draws the form with it: added calls and opened lists are there again.
    const values = { do: "look" };
    for (const { name, value } of open.querySelectorAll("[name^='seen-']")) values[name] = value;
    for (const [name, value] of draft.typed) values[name] = name in values ? [values[name], value].flat() : value;
    htmx.ajax("POST", open.getAttribute("hx-post"), { target: open, swap: "outerHTML", values, source: open.parentNode });
  };
  let keeping;
  const changed = ({ target }) => {
    if (target.form !== form()) return;
    clearTimeout(keeping);
    keeping = setTimeout(keep, 250);
  };
  document.addEventListener("input", changed);
  document.addEventListener("change", changed);

  /* ── Sending: the buttons say so; what is lost on the way is sent again ── */
  let retry;
  const saves = (what) => /^(save|next)/.test(what ?? "");
  const sending = (on) => {
    for (const one of form()?.querySelectorAll(":scope > footer .btn") ?? []) one.disabled = on;
    said(on ? form().dataset.saidSaving : "");
  };
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.elt.id !== "correction") return;
    clearTimeout(retry);
    detail.elt.dataset.sent = detail.requestConfig.parameters.do ?? "look";
    if (saves(detail.elt.dataset.sent)) sending(true);
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.elt.id !== "correction") return;
    if (detail.xhr?.getResponseHeader("HX-Redirect")) {
      saved = true;
      return forget(detail.elt);
    }
    if (saves(detail.elt.dataset.sent)) sending(false);
  });
  document.addEventListener("htmx:sendError", ({ detail }) => {
    if (detail.elt.id !== "correction") return;
    keep();
    const what = detail.elt.dataset.sent;
    const told = document.getElementById("told-offline")?.content.cloneNode(true);
    const place = detail.elt.querySelector(".form-notices");
    if (!told || !place) return;
    place.replaceChildren(told);
    place.querySelector("[data-try-now]")?.addEventListener("click", () => submit(what));
    if (saves(what)) retry = setTimeout(() => submit(what), RETRY_AFTER);
  });
  window.addEventListener("online", () => {
    if (retry) submit(form()?.dataset.sent);
  });

  /* ── The form's own shape: what is chosen is asked for at once ── */
  document.addEventListener("change", ({ target }) => {
    if (target.form !== form() || !form()) return;
    if (target.dataset.do && target.value !== "") return submit(target.dataset.do);
    const edits = target.type === "radio" && target.name.startsWith("m-") && target.value === "instead";
    if (edits && !target.closest("li").querySelector(".expected")) submit("look");
    if (target.type === "checkbox" && target.name.startsWith("t-"))
      target.closest(".arg").classList.toggle("left-out", !target.checked);
  });

  /* ── A mark that is pressed again is taken back ── */
  document.addEventListener("pointerdown", ({ target }) => {
    const radio = target.closest("#correction label")?.querySelector("input[type=radio]");
    if (radio) radio.dataset.was = radio.checked ? "on" : "";
  });
  document.addEventListener("click", ({ target }) => {
    if (!target.matches?.("#correction input[type=radio]:not([name=class])")) return;
    if (target.dataset.was === "on") unmark(target);
    target.dataset.was = "";
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || !event.target.matches?.("#correction input[type=radio]:checked:not([name=class])")) return;
    event.preventDefault();
    unmark(event.target);
  });
  const unmark = (radio) => {
    radio.checked = false;
    radio.dispatchEvent(new Event("change", { bubbles: true }));
  };

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

  /* ── Keys: never while somebody types ── */
  const types = (target) =>
    target.isContentEditable || target.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");
  const choose = (name, value) => {
    const radio = form()?.querySelector(`input[name="${name}"][value="${value}"]`);
    if (!radio) return;
    if (radio.checked) return unmark(radio);
    radio.click();
    radio.focus({ focusVisible: true });
  };
  const both = () => {
    for (const name of ["decisions", "answer"]) {
      const radio = form()?.querySelector(`input[name="${name}"][value="right"]`);
      if (radio && !radio.checked) radio.click();
    }
    button("next")?.focus({ focusVisible: true });
  };
  const nextClass = () => {
    const classes = [...(form()?.querySelectorAll("input[name=class]") ?? [])];
    if (!classes.length) return;
    const next = classes[(classes.findIndex((one) => one.checked) + 1) % classes.length];
    next.click();
    next.focus({ focusVisible: true });
  };
  // The marks of the next call that can be seen, from where one is; then the first again.
  const nextMarks = () => {
    const rows = [...(form()?.querySelectorAll(".about-decisions .trio") ?? [])].filter((one) => one.checkVisibility());
    const here = rows.findIndex((one) => one.contains(document.activeElement));
    const row = rows[(here + 1) % rows.length];
    (row?.querySelector(":checked") ?? row?.querySelector("input"))?.focus({ focusVisible: true });
  };
  const write = () => {
    const text = document.getElementById("should-say");
    (text?.checkVisibility() ? text : document.getElementById("why"))?.focus();
  };
  const follow = (link) => document.querySelector(link)?.click();
  const KEYS = {
    1: () => choose("decisions", "right"),
    2: () => choose("decisions", "wrong"),
    3: () => choose("answer", "right"),
    4: () => choose("answer", "wrong"),
    r: both,
    m: nextMarks,
    s: write,
    c: nextClass,
    j: () => follow("#queue-next"),
    k: () => follow("#queue-previous"),
    "?": () => document.getElementById("keys")?.togglePopover(),
    Escape: () => follow(".crumbs .back"),
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form()) {
      event.preventDefault();
      return submit("next");
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open], [popover]:popover-open") && event.key !== "?") return;
    if (types(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const does = KEYS[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });
  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-both]")) both();
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

  /* ── What a form begins with ── */
  const begin = () => {
    const open = form();
    if (!open || open.dataset.begun) return;
    open.dataset.begun = "true";
    for (const part of open.querySelectorAll("[data-scripted]")) part.hidden = false;
    for (const part of open.querySelectorAll("[data-unscripted]")) part.hidden = true;
  };
  document.addEventListener("htmx:afterSwap", () => {
    begin();
    // What went wrong is where one looks, and what is wrong is what one types into.
    const told = form()?.querySelector(".form-notices .notice");
    if (!told) return;
    const wrong = form().querySelector("[aria-invalid='true'], .expected ~ .error");
    (wrong ?? told).scrollIntoView({ block: "center" });
    wrong?.focus?.();
  });
  document.addEventListener("DOMContentLoaded", () => {
    forgetOld();
    begin();
    hold();
    if (form()) restore(form());
  });
  // A page that comes back as it was left is held again.
  window.addEventListener("pageshow", ({ persisted }) => persisted && hold());
})();
