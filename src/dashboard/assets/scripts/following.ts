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

/** Keeps the figures of an open page up to date. Must come last: it ends early on other pages. */
export const FOLLOWING = `
  const live = document.querySelector("[data-live]");
  if (!live) return;
  let seen = live.dataset.reload;
  let source;
  let later;
  let waitMs = 2000;
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

  function rest() {
    source.close();
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
    if (figures.reload !== seen && !isTyping()) return location.reload();
    for (const [id, text] of Object.entries(figures)) {
      const element = document.getElementById(id);
      if (!element || !put(element, text)) continue;
      element.classList.add("changed");
      setTimeout(() => element.classList.remove("changed"), 1500);
    }
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
    const field = document.activeElement;
    return field !== null && /^(INPUT|SELECT|TEXTAREA)$/.test(field.tagName) ||
      document.querySelector("dialog[open]") !== null;
  }
`;
