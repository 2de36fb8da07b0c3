import { ROW_LINK } from "../style/tables.ts";

/** A row is its link, where its texts are too, which can be selected. */
export const ROWS = `
  onclick = onauxclick = (event) => {
    const { target, button } = event;
    if (event.defaultPrevented || getSelection().type === "Range") return;
    if (target.closest("a, button, input, label, summary, select")) return;
    const link = target.closest("tbody tr")?.querySelector("${ROW_LINK}");
    if (button === 1) link && open(link.href);
    else if (!button) link?.dispatchEvent(new MouseEvent("click", event));
  };
`;

/** Hidden fields are the page's own, and passwords are kept nowhere. */
const KEPT = "a[href], button, summary, select, textarea, " +
  "input:not([type=hidden], [type=password], [type=file])";

/**
 * Keeps the figures of an open page up to date, and loads it again where that isn't enough, as it
 * was left. Must come last: it ends early on other pages.
 */
export const FOLLOWING = `
  const live = document.querySelector("[data-live]");
  if (!live) return;
  let seen = live.dataset.reload;
  let source;
  let later;
  let after;
  let isOld;
  let waitMs = 2000;
  restore();
  watch();
  addEventListener("pageshow", ({ persisted }) => persisted && watch());
  addEventListener("pagehide", () => source.close());
  // To load again would cancel the form or link that was just used. After a download, the page stays.
  // iPhones have no event before a page is left.
  addEventListener("beforeunload", rest);
  addEventListener("submit", rest);
  addEventListener("click", ({ target, ctrlKey, metaKey }) => {
    if (target.closest("a[href]:not(.skip)") && !ctrlKey && !metaKey) rest();
  });

  // A moment later: what the pointer goes to next may be the form's button.
  addEventListener("focusout", soon);
  addEventListener("close", soon, true);

  function soon() {
    clearTimeout(after);
    after = setTimeout(renew, 2000);
  }

  function rest() {
    source.close();
    clearTimeout(after);
    clearTimeout(later);
    later = setTimeout(watch, 30000);
  }

  function watch() {
    source?.close();
    clearTimeout(later);
    source = new EventSource(live.dataset.live);
    source.addEventListener("message", ({ data }) => {
      waitMs = 2000;
      show(JSON.parse(data));
    });
    // The browser reconnects by itself, unless the answer is no stream.
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) return;
      later = setTimeout(watch, waitMs);
      waitMs = Math.min(2 * waitMs, 60000);
    });
  }

  function show(figures) {
    seen ??= figures.reload;
    isOld = figures.reload !== seen;
    renew();
    for (const [id, text] of Object.entries(figures)) {
      const element = document.getElementById(id);
      if (!element || !put(element, text)) continue;
      element.classList.add("changed");
      setTimeout(() => element.classList.remove("changed"), 1500);
    }
  }

  function renew() {
    if (!isOld || isTyping()) return;
    keep();
    location.reload();
  }

  // What can be opened, filled in or focused, by its name or words without what counts up.
  function parts() {
    const found = new Map();
    every("#main :is(${KEPT})", (it) => {
      let name = it.tagName + (it.name || it.textContent).replace(/\\d+/g, "");
      while (found.has(name)) name += "+";
      found.set(name, it);
    });
    return [...found];
  }

  function keep() {
    const states = {};
    let focus;
    for (const [name, it] of parts()) {
      const { value, checked } = it;
      if (it === document.activeElement) focus = name;
      if (it.matches("summary")) states[name] = { open: it.parentElement.open };
      else if (isField(it)) states[name] = { value, checked };
    }
    const [path, top, marked] = [location.href, scrollY, String(getSelection())];
    sessionStorage.left = JSON.stringify({ path, top, marked, focus, states });
  }

  function restore() {
    const { path, top, marked, focus, states } = JSON.parse(sessionStorage.left ?? "{}");
    delete sessionStorage.left;
    if (path !== location.href) return;
    for (const [name, it] of parts()) {
      Object.assign(it.matches("summary") ? it.parentElement : it, states[name]);
      if (name === focus) it.focus();
    }
    if (marked) find(marked);
    scrollTo(0, top);
  }

  // An amount keeps its point below those of other rows, and all its digits in its title.
  function put(element, text) {
    const part = element.querySelector("i");
    const [whole, fraction = "", exact] = part ? amount(text) : [text];
    if (element.textContent === whole + fraction) return false;
    element.textContent = whole;
    if (!part) return true;
    part.textContent = fraction;
    element.append(part);
    if (exact) element.title = exact;
    else element.removeAttribute("title");
    return true;
  }

  function isTyping() {
    return isField(document.activeElement) || document.querySelector("dialog[open]") !== null;
  }

  function isField(it) {
    return it !== null && /^(INPUT|SELECT|TEXTAREA)$/.test(it.tagName);
  }
`;
