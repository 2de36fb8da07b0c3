/** Down and up go through what was found, and back to the field. */
export const SEARCH_SCRIPT = `
  const stops = [...document.querySelectorAll("[data-search], [data-hits] li > a:first-child")];
  if (stops.length > 1) {
    document.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const next = stops[stops.indexOf(document.activeElement) + step];
      if (!stops.includes(document.activeElement) || !next) return;
      event.preventDefault();
      next.focus();
    });
  }
`;
