/** "/" and Ctrl-K go to the search; Escape and a click elsewhere close menus. */
export const KEYS = `
  addEventListener("keydown", (event) => {
    const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
    const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isTyped = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (event.key === "Escape") return closeMenus(null);
    if (!isCommand && !(isSlash && !isTyped)) return;
    const search = document.querySelector("[data-search]");
    if (!search) return;
    event.preventDefault();
    search.focus();
    search.select();
  });
  addEventListener("click", ({ target }) => closeMenus(target));

  function closeMenus(except) {
    every("details:is(.me, .switch)[open]", (menu) => {
      if (except && menu.contains(except)) return;
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
      menu.open = false;
    });
  }
`;
