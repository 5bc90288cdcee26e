/* Conveniences of every page. Without them each page still works: links are links, and forms are sent. */
"use strict";

(() => {
  const cookie = (name) =>
    document.cookie.split("; ").find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";

  /* ── The viewer's time zone: said once, and the page is drawn again in it ── */
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && cookie("timezone") !== zone) {
    document.cookie = `timezone=${zone}; path=/; max-age=31536000; samesite=lax`;
    if (cookie("timezone") === zone && document.querySelector("time")) location.reload();
  }

  /* ── HTMX: the token that is valid now, also after somebody signed in anew in another tab ── */
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.verb === "get") return;
    delete detail.parameters.csrfmiddlewaretoken;
    detail.headers["X-CSRFToken"] = cookie("csrftoken");
  });
  document.addEventListener("htmx:sendError", ({ detail }) => notice("offline", detail.elt));
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    // What asks by itself, again and again, leaves what was said to be read.
    if (!detail.elt.matches("[data-quiet]")) document.getElementById("notices")?.replaceChildren();
  });

  const notice = (which) => {
    const told = document.getElementById(`notice-${which}`);
    if (told) document.getElementById("notices")?.replaceChildren(told.content.cloneNode(true));
  };

  /* ── Forms that are sent as soon as something in them is chosen ── */
  document.addEventListener("change", ({ target }) => {
    target.closest("form[data-submit-on-change]")?.requestSubmit();
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

  /* ── Dialogs: the server sends them open; a script makes them modal, and Esc follows their way out ── */
  const raise = (root) => {
    for (const dialog of root.querySelectorAll("dialog[open]:not(:modal)")) {
      dialog.removeAttribute("open");
      dialog.showModal();
      (dialog.querySelector("[aria-invalid='true']") ?? dialog.querySelector("[autofocus]"))?.focus();
    }
    for (const part of document.querySelectorAll(".top, #main")) part.inert = false;
  };
  document.addEventListener("htmx:load", ({ target }) => raise(target.matches?.("dialog") ? target.parentNode : target));
  document.addEventListener("DOMContentLoaded", () => raise(document));
  document.addEventListener("cancel", (event) => {
    const out = event.target.querySelector?.("[data-close]");
    if (!out) return;
    event.preventDefault();
    out.click();
  }, true);
  document.addEventListener("click", (event) => {
    const out = event.target.closest("[data-close]");
    const slot = out?.closest("#dialog");
    if (!slot || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    out.closest("dialog").close();
    slot.replaceChildren();
    // The page under it stays as it is; only its address comes back.
    history.replaceState(history.state, "", out.href);
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
      if (shown) shown.textContent = `${left} s`;
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
    setTimeout(() => delete button.dataset.copied, 2000);
  });
})();
