/** Copies, goes on with what takes several steps, and asks before irreversible actions. */
export const ASKING = `
  every(".hash:not(:has(.copy))", (hash) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    const { title, textContent } = hash.querySelector("code");
    button.dataset.copy = title || textContent;
    button.textContent = "Copy";
    hash.append(button);
  });

  every("[data-copy]", (button) => {
    button.hidden = !navigator.clipboard;
    const label = button.textContent;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
      setTimeout(() => button.textContent = label, 1500);
    });
  });

  every("[data-go-on]", (mark) => mark.closest("form").requestSubmit());

  every("[data-print]", (button) => {
    button.hidden = false;
    button.addEventListener("click", () => print());
  });

  every("button[data-confirm]", (button) => {
    button.addEventListener("click", (event) => {
      if (button.dataset.confirmed || !button.form.reportValidity()) return;
      event.preventDefault();
      ask(filled(button.dataset.confirm, button.form), button, () => {
        button.dataset.confirmed = "yes";
        button.form.requestSubmit(button);
      });
    });
  });

  // The question repeats what was typed, so that it is read once more.
  function filled(question, form) {
    const said = (all, name) => {
      const field = form.elements[name];
      return field ? (field.selectedOptions?.[0] ?? field).dataset.said ?? field.value : all;
    };
    return question.split("\\n").flatMap((line) => {
      const text = line.replace(/\\{(\\w+)\\}/g, said);
      const address = /^\`(.*)\`$/.exec(text)?.[1];
      const shown = document.createElement(address === undefined ? "span" : "code");
      const [name, value] = text.split("\\t");
      shown.textContent = address ?? value ?? text;
      if (value !== undefined) shown.dataset.name = name + ": ";
      return [shown, "\\n"];
    });
  }

  function ask(question, { textContent, className }, go) {
    const dialog = document.createElement("dialog");
    const text = document.createElement("p");
    text.id = "question";
    text.append(...question);
    dialog.setAttribute("aria-labelledby", text.id);
    const row = document.createElement("div");
    row.className = "actions";
    const add = (label, tone, work) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = tone;
      button.textContent = label;
      button.addEventListener("click", () => {
        dialog.close();
        work();
      });
      row.append(button);
    };
    add("Go back", "plain", () => {});
    add(textContent, /stop|danger/.test(className) ? "danger" : "primary", go);
    dialog.append(text, row);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
`;
