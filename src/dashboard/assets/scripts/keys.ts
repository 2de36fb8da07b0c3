/**
 * "/" and Ctrl-K go to the search, which shows what it finds while somebody types; Escape and a
 * click elsewhere close it and menus.
 */
export const KEYS = `
  addEventListener("keydown", (event) => {
    const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
    const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isTyped = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (event.key === "Escape") return close(null);
    if (!isCommand && !(isSlash && !isTyped)) return;
    if (!field) return;
    event.preventDefault();
    field.focus();
    field.select();
    look();
  });
  addEventListener("click", ({ target }) => close(target));

  function close(except) {
    closeMenus(except);
    if (!except?.closest(".search")) clearFound();
  }

  const field = document.querySelector("[data-search]");
  const clearFound = () => document.querySelector("#found")?.remove();
  let typedAt = 0;
  field?.addEventListener("input", look);
  field?.form.addEventListener("focusout", ({ relatedTarget }) => {
    if (!field.form.contains(relatedTarget)) clearFound();
  });
  field?.form.addEventListener("keydown", (event) => {
    const stops = [field, ...field.form.querySelectorAll("#found a")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = stops[stops.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
  });

  async function look() {
    const at = ++typedAt;
    await new Promise((go) => setTimeout(go, 200));
    if (at !== typedAt) return;
    const query = new URLSearchParams({ q: field.value, list: "" });
    const answer = await fetch(field.form.action + "?" + query).catch(() => null);
    if (!answer?.ok || at !== typedAt || !field.form.contains(document.activeElement)) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const links = [...page.querySelectorAll("[data-hits] li > a:first-child")].slice(0, 9);
    clearFound();
    if (links.length === 0) return;
    const found = document.createElement("div");
    found.id = "found";
    found.className = "menu";
    found.append(...links);
    field.form.append(found);
  }

  function closeMenus(except) {
    every("details:is(.me, .switch)[open]", (menu) => {
      if (except && menu.contains(except)) return;
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
      menu.open = false;
    });
  }
`;
