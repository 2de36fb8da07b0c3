/** Everything can be read without it: it copies code, and remembers the chosen language. */
export const SCRIPT = `"use strict";
(() => {
  const every = (selector, work) => document.querySelectorAll(selector).forEach(work);

  every(".copy-code", (button) => {
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = button.closest(".code").querySelector("code");
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
      setTimeout(() => button.textContent = "Copy", 1500);
    });
  });

  const KEY = "language";
  const choose = (language) =>
    every(".tabs input", (input) => input.checked ||= input.value === language);
  try {
    choose(localStorage.getItem(KEY));
    every(".tabs input", (input) =>
      input.addEventListener("change", () => {
        localStorage.setItem(KEY, input.value);
        choose(input.value);
      })
    );
  } catch {
    // Storage may be switched off.
  }
})();
`;
