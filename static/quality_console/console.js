/* Conveniences of every page. Without them each page still works: links are links, and forms are sent. */
"use strict";

(() => {
  const cookie = (name) =>
    document.cookie.split("; ").find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";

  /* ── The viewer's time zone: said once, and the page is drawn again in it ── */
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && cookie("timezone") !== zone) {
    document.cookie = `timezone=${zone}; path=/; max-age=31536000; samesite=lax`;
    // Where cookies are refused the page stays as it is.
    if (cookie("timezone") === zone) location.reload();
  }

  /* ── HTMX: the token that is valid now, also after somebody signed in anew in another tab ── */
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.verb === "get") return;
    delete detail.parameters.csrfmiddlewaretoken;
    detail.headers["X-CSRFToken"] = cookie("csrftoken");
  });

  /* ── Forms that are sent as soon as something in them is chosen ── */
  document.addEventListener("change", ({ target }) => {
    target.closest("form[data-submit-on-change]")?.requestSubmit();
  });

  /* ── Forms that narrow a list: it is swapped under whoever chooses, and a menu that was open stays so ── */
  const asked = new WeakMap();
  const says = (form) => new URLSearchParams(new FormData(form)).toString();
  let left = null;
  document.addEventListener("htmx:beforeRequest", ({ detail: { elt } }) => {
    if (elt.matches("form[data-narrows]")) asked.set(elt, says(elt));
  });
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const form = detail.requestConfig.elt;
    if (!asked.has(form)) return;
    // What was chosen since then is asked for in a moment.
    if (asked.get(form) !== says(form)) detail.shouldSwap = false;
    const menu = form.closest("[popover]");
    left = detail.shouldSwap && menu?.matches(":popover-open") ? [menu.id, document.activeElement?.id] : null;
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (!left) return;
    const [menu, field] = left, button = document.querySelector(`[popovertarget="${menu}"]`);
    left = null;
    // By its button, which it stands beside and gives the focus back to.
    button?.focus();
    button?.click();
    if (field) document.getElementById(field)?.focus();
  });
  // A page that was kept as it was left has what was chosen when leaving it.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) for (const form of document.querySelectorAll(".filters form")) form.reset();
  });

  /* ── Theme: at once, and remembered ── */
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-theme-form]");
    if (!form) return;
    event.preventDefault();
    const chosen = event.submitter?.value ?? "";
    if (chosen) document.documentElement.dataset.theme = chosen;
    else delete document.documentElement.dataset.theme;
    const sent = new FormData(form);
    sent.set("theme", chosen);
    fetch(form.action, { method: "POST", body: sent, headers: { "HX-Request": "true", "X-CSRFToken": cookie("csrftoken") } });
    for (const button of document.querySelectorAll("[data-theme-form] button"))
      button.toggleAttribute("aria-current", button.value === chosen);
    form.closest("[popover]")?.hidePopover();
  });

  /* ── A form is sent once: until its answer is there, sending it again does nothing ── */
  const sending = new Set();
  const busy = (form, submitter, is) => {
    if (is) sending.add(form);
    else sending.delete(form);
    const all = is ? [submitter ?? form.querySelector("[type=submit]")] : form.querySelectorAll("[aria-disabled][data-busy]");
    for (const button of all) {
      button?.toggleAttribute("data-busy", is);
      if (is) button?.setAttribute("aria-disabled", "true");
      else button?.removeAttribute("aria-disabled");
    }
  };
  const free = () => {
    for (const form of [...sending]) busy(form, null, false);
  };
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post" || form.target) return;
    if (sending.has(form)) event.preventDefault();
    // Only when it is sent: a button that is disabled before doesn't go along.
    else busy(form, event.submitter, true);
  });
  addEventListener("pageshow", free);
  document.addEventListener("htmx:beforeRequest", (event) => {
    const form = event.detail.elt;
    if (!form.matches("form[hx-post][hx-sync='this:drop']")) return;
    if (sending.has(form)) event.preventDefault();
    else busy(form, event.detail.requestConfig.triggeringEvent?.submitter, true);
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    // One that goes on to another page is busy until that is there.
    const goesOn = ["HX-Location", "HX-Redirect"].some((name) => detail.xhr.getResponseHeader(name));
    if (detail.elt.matches?.("form") && !goesOn) busy(detail.elt, null, false);
  });
  for (const name of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) document.addEventListener(name, free);

  /* ── Dialogs: the server sends them open; a script makes them modal, and Esc follows their way out ── */
  const raise = (root) => {
    for (const dialog of root.querySelectorAll("dialog[open]:not(:modal)")) {
      dialog.removeAttribute("open");
      dialog.showModal();
      (dialog.querySelector("[aria-invalid='true']") ?? dialog.querySelector("[autofocus]"))?.focus();
    }
    for (const part of document.querySelectorAll(".top, #main")) part.inert = false;
  };
  document.addEventListener("htmx:load", ({ target }) =>
    raise((target.matches?.("dialog") && target.parentNode) || target));
  document.addEventListener("DOMContentLoaded", () => raise(document));
  let opener = null;
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.target?.id !== "dialog" || detail.elt.closest("dialog")) return;
    const focused = document.activeElement;
    opener = focused && focused !== document.body ? focused : detail.elt;
  });
  // Back to what opened it, also where that was drawn anew; else to the page's content.
  const giveFocusBack = () => {
    const place = opener?.isConnected ? opener : opener?.id && document.getElementById(opener.id);
    opener = null;
    if (place) place.focus();
    if (!place || document.activeElement !== place) document.getElementById("main")?.focus();
  };
  const leave = (out) => {
    const slot = out.closest("#dialog");
    out.closest("dialog").close();
    slot.replaceChildren();
    // The page under it stays as it is; only its address comes back.
    history.replaceState(history.state, "", out.href);
  };
  document.addEventListener("click", (event) => {
    const out = event.target.closest("#dialog [data-close]");
    if (!out || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    leave(out);
    giveFocusBack();
  });
  // What was saved from a dialog leaves its address too, so that Back doesn't open it again; nor can it be sent twice.
  document.addEventListener("htmx:beforeOnLoad", ({ detail }) => {
    const goesOn = ["HX-Location", "HX-Redirect"].some((name) => detail.xhr.getResponseHeader(name));
    const out = goesOn && document.querySelector("#dialog dialog [data-close]");
    if (!out) return;
    leave(out);
    document.addEventListener("htmx:afterSettle", giveFocusBack, { once: true });
  });

  /* ── Esc leaves a dialog; one in which something was typed asks first ── */
  const typed = ({ target }) => target.closest?.("dialog:has([data-leave])")?.setAttribute("data-typed", "");
  document.addEventListener("input", typed);
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target?.id === "dialog" && detail.requestConfig?.verb === "post")
      detail.target.querySelector("dialog:has([data-leave])")?.setAttribute("data-typed", "");
  });
  let typedIn = null;
  const ask = (question, asks) => {
    question.hidden = !asks;
    if (asks) {
      typedIn = document.activeElement;
      question.querySelector("[data-keep]").focus();
    } else typedIn?.focus();
  };
  const escape = (event, dialog) => {
    const out = dialog.querySelector("[data-close]");
    if (!out) return;
    event.preventDefault();
    const question = dialog.matches("[data-typed]") && dialog.querySelector("[data-leave]");
    if (question) ask(question, question.hidden);
    else out.click();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
    // One that has just come is made modal only once HTMX has settled it.
    const dialog = [...document.querySelectorAll("dialog:modal, #dialog dialog[open]")].pop();
    if (dialog && !document.querySelector(":popover-open")) escape(event, dialog);
  });
  document.addEventListener("cancel", (event) => {
    if (event.target.matches?.("dialog")) escape(event, event.target);
  }, true);
  document.addEventListener("click", ({ target }) => {
    const question = target.closest("[data-keep]")?.closest("[data-leave]");
    if (question) ask(question, false);
  });

  /* ── Older browsers: buttons that open what they name ── */
  if (!("commandForElement" in HTMLButtonElement.prototype))
    document.addEventListener("click", ({ target }) => {
      const button = target.closest("button[commandfor]");
      const dialog = button && document.getElementById(button.getAttribute("commandfor"));
      if (!dialog) return;
      if (button.getAttribute("command") === "show-modal") dialog.showModal();
      else dialog.close();
    });

  /* ── Toasts: Undo for 10 seconds, which stop while somebody reads it ── */
  const SECONDS = 10;
  const live = (toast) => {
    let left = SECONDS;
    const close = toast.querySelector("[data-close-toast]");
    close.hidden = false;
    close.addEventListener("click", () => toast.remove());
    const shown = toast.querySelector("[data-countdown]");
    const tick = () => {
      if (!toast.isConnected) return clearInterval(timer);
      if (toast.matches(":hover, :focus-within")) return;
      if (shown) shown.textContent = shown.dataset.countdown.replace("#", left);
      if (left-- <= 0) toast.remove();
    };
    const timer = setInterval(tick, 1000);
    tick();
  };
  document.addEventListener("htmx:load", ({ target }) => {
    for (const toast of target.parentNode?.querySelectorAll("[data-toast]:not([data-live])") ?? []) {
      toast.dataset.live = "true";
      live(toast);
    }
  });

  /* ── Copying what a button names ── */
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-copy]");
    const source = button && document.getElementById(button.dataset.copy);
    if (!source) return;
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    button.dataset.copied = "true";
    document.dispatchEvent(new Event("copied"));
    setTimeout(() => delete button.dataset.copied, 2000);
  });
})();
