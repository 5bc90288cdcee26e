/* Correcting a run by keyboard, with a draft that stays until the server has answered. The form works without it. */
"use strict";

(() => {
  const DAYS = 7;
  const RETRY_AFTER = 15_000;
  const form = () => document.getElementById("correction");
  // By the button itself: HTMX sends the name of what was clicked.
  const submit = (value) => {
    // What is asked for while the form is drawn anew is done with the form that comes.
    if (draws && saves(value)) then = value;
    if (!sends && !restoring && !draws) button(value)?.click();
  };
  const button = (value) => form()?.querySelector(`button[name="do"][value="${value}"]`) ?? form()?.elements.namedItem("do")[0];

  /* ── Drafts: what was typed, on this device, until it is saved ── */
  const draftKey = (of) => `draft:${of.dataset.person}:${of.dataset.run}`;
  // A form is a list of pairs, in which names come more than once. What was seen is seen anew when it is opened.
  const typedIn = (of) =>
    [...new FormData(of)].filter(([name]) => !/^(csrfmiddlewaretoken|do|seen-.*)$/.test(name));
  // Nothing is kept once it was saved or given up, while a draft is on its way back, and before it is decided on.
  let over = false, restoring = false, undecided = null, restored = null;
  const keep = () => {
    const open = form();
    clearTimeout(keeping);
    keeping = null;
    if (!open || over || restoring || undecided) return;
    const own = open.elements.namedItem("seen-own")?.value ?? "";
    try {
      localStorage.setItem(draftKey(open), JSON.stringify({ at: Date.now(), own, typed: typedIn(open) }));
      note(open.dataset.saidDraft);
    } catch {
      note(""); // no room, or not allowed: then there is no draft, and nothing says that there is
    }
  };
  // What is said beside Save: that a draft came back, as long as it can be taken back, else what is done with it.
  const note = (text) => {
    const place = form()?.querySelector("[data-draft-note]");
    if (!place) return;
    if (restored && !sends) place.replaceChildren(template("restored", restored));
    else place.textContent = sends ? form().dataset.saidSaving : (text ?? "");
  };
  const template = (which, draft) => {
    const told = document.getElementById(`told-${which}`).content.cloneNode(true);
    const when = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    for (const time of told.querySelectorAll("[data-draft-time]")) {
      time.dateTime = new Date(draft.at).toISOString();
      time.textContent = when.format(draft.at);
    }
    return told;
  };
  const tell = (which, draft) => form()?.querySelector(".form-notices")?.replaceChildren(template(which, draft));
  const hush = () => form()?.querySelector(".form-notices")?.replaceChildren();
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
  const recall = (open) => {
    let draft;
    try {
      draft = JSON.parse(localStorage.getItem(draftKey(open)));
    } catch { /* none that can be read */ }
    if (!draft) return;
    if (JSON.stringify(draft.typed) === JSON.stringify(typedIn(open))) return forget(open);
    if ((draft.own ?? "") === (open.elements.namedItem("seen-own")?.value ?? "")) return restore(open, draft);
    // Something was saved since: which of the two is meant, they say.
    ask("old", draft);
  };
  const ask = (which, draft) => {
    undecided = { ...draft, which };
    tell(which, draft);
  };
  const restore = (open, draft) => {
    // The server draws the form with it: added calls and opened lists are there again.
    const values = { do: "look" };
    for (const { name, value } of open.querySelectorAll("[name^='seen-']")) values[name] = value;
    for (const [name, value] of draft.typed) values[name] = name in values ? [values[name], value].flat() : value;
    restoring = true;
    lock(open, true);
    const ended = () => {
      restoring = false;
      undecided = null;
      if (form() !== open) {
        restored = draft;
        return note();
      }
      lock(open, false);
      ask("unrestored", draft);
    };
    const how = { target: open, swap: "outerHTML", values, source: open.parentNode };
    htmx.ajax("POST", open.getAttribute("hx-post"), how).then(ended, ended);
  };
  const backToForm = () => form()?.querySelector(".verdicts :checked, .verdicts input")?.focus();
  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-draft-restore]")) restore(form(), undecided);
    if (target.closest("[data-draft-discard]")) {
      forget(form());
      undecided = null;
      hush();
      backToForm();
    }
    if (target.closest("[data-draft-start-over]")) {
      over = true;
      forget(form());
      location.reload();
    }
  });
  let keeping = null;
  const changed = ({ target }) => {
    if (target.form !== form()) return;
    // What is typed after a save that didn't arrive isn't finished: it is sent when they say so.
    if (retry) {
      unsent();
      if (saves(form().dataset.sent)) tell("unsent");
      else hush();
    }
    clearTimeout(keeping);
    keeping = setTimeout(keep, 250);
  };
  document.addEventListener("input", changed);
  document.addEventListener("change", changed);
  window.addEventListener("pagehide", () => keeping && keep());

  /* ── Sending: the buttons say so; what is lost on the way is sent again, as it was ── */
  let retry = null, sends = false;
  // While the form is drawn anew nothing can be typed into the one that goes; ``then`` is what follows.
  let draws = false, then = null;
  const unsent = () => {
    clearTimeout(retry);
    retry = null;
  };
  const saves = (what) => /^(save|next)/.test(what ?? "");
  const lock = (of, on) => {
    for (const part of of.querySelectorAll(":scope > .verdicts, :scope > .body")) part.inert = on;
    for (const one of of.querySelectorAll(":scope > footer .btn")) one.disabled = on;
  };
  const sending = (on) => {
    sends = on;
    if (!form()) return;
    lock(form(), on);
    note("");
  };
  const drawing = (on) => {
    draws = on;
    if (!form()) return;
    lock(form(), on);
    form().ariaBusy = on || null;
  };
  let focused;
  // Before anything of it: to send the form once more would give up the sending that is under way.
  document.addEventListener("htmx:confirm", (event) => {
    if ((sends || restoring || draws) && event.detail.elt.closest?.("#correction")) event.preventDefault();
  });
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.elt.id !== "correction") return;
    unsent();
    detail.elt.dataset.sent = detail.requestConfig.parameters.do ?? "look";
    focused = document.activeElement;
    if (!saves(detail.elt.dataset.sent)) return;
    undecided = null; // who saves goes on with what there is
    sending(true);
  });
  // Once everybody has seen where the focus is.
  document.addEventListener("htmx:beforeSend", ({ detail }) => {
    if (detail.elt.id === "correction" && !sends) drawing(true);
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    // The form that asked may be gone by now, for the one that was answered.
    const asked = detail.requestConfig.elt;
    if (asked.id !== "correction") return;
    if (draws) {
      drawing(false);
      if (!detail.successful && focused?.isConnected && document.activeElement === document.body) focused.focus();
      const next = detail.successful && then;
      then = null;
      if (next) submit(next);
      return;
    }
    if (detail.xhr?.getResponseHeader("HX-Redirect")) {
      over = true;
      return forget(asked);
    }
    if (!sends) return;
    sending(false);
    if (!detail.successful) keep();
    if (focused?.isConnected && document.activeElement === document.body) focused.focus();
  });
  document.addEventListener("htmx:sendError", ({ detail }) => {
    if (detail.elt.id !== "correction") return;
    keep();
    const what = detail.elt.dataset.sent;
    tell("offline");
    form()?.querySelector("[data-try-now]")?.addEventListener("click", () => submit(what));
    retry = setTimeout(() => submit(what), RETRY_AFTER);
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
  // What is in front is meant, and never the form behind it.
  const sendFrom = (event, inFront) => {
    const front = inFront ? (event.target.closest("dialog form") ?? inFront.querySelector("form")) : form();
    if (!front) return;
    event.preventDefault();
    if (!inFront) return submit("next");
    if (inFront.matches("dialog")) front.requestSubmit(front.querySelector("button.main[type=submit], button.main"));
  };
  document.addEventListener("keydown", (event) => {
    // Esc that left a dialog leaves nothing more.
    if (event.isComposing || event.defaultPrevented) return;
    const inFront = document.querySelector("dialog[open], [popover]:popover-open");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return sendFrom(event, inFront);
    if (event.ctrlKey || event.metaKey || event.altKey || sends || restoring || draws) return;
    if (inFront && event.key !== "?") return;
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

  /* ── What a form begins with ── */
  const begin = () => {
    const open = form();
    if (!open || open.dataset.begun) return false;
    open.dataset.begun = "true";
    for (const part of open.querySelectorAll("[data-scripted]")) part.hidden = false;
    for (const part of open.querySelectorAll("[data-unscripted]")) part.hidden = true;
    return true;
  };
  document.addEventListener("htmx:afterSwap", () => {
    if (!begin()) return;
    if (restored) note();
    if (undecided && !form().querySelector(".form-notices .notice")) tell(undecided.which, undecided);
  });
  document.addEventListener("DOMContentLoaded", () => {
    forgetOld();
    begin();
    if (form()) recall(form());
  });
})();
