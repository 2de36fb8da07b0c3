export const ICON =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4740d4"/><path d="M21.5 12.2A6.6 6.6 0 1 0 21.5 19.8" fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round"/><circle cx="22.5" cy="16" r="2" fill="#fff"/></svg>`;
