/** Sends a form with what the browser makes of a passkey. Keys and ids are base64url in JSON. */
export const PASSKEYS = `
  every("[data-passkey]", (button) => {
    const { form, dataset: { passkey: how, origin } } = button;
    const note = form.querySelector("[data-passkey-note]");
    const FAULTS = {
      NotAllowedError: "That was cancelled, or it took too long. Try again.",
      InvalidStateError: "This device already has a passkey for this login.",
      SecurityError: "Passkeys only work at " + origin,
    };
    if (!window.PublicKeyCredential) return;
    if (location.origin !== origin) return note.textContent = FAULTS.SecurityError;
    note.textContent = "";
    button.hidden = false;
    form.addEventListener("submit", (event) => {
      if (form.elements.passkey.value) return;
      event.preventDefault();
      button.click();
    });
    button.addEventListener("click", async () => {
      if (!form.reportValidity()) return;
      button.disabled = true;
      note.textContent = "";
      try {
        const publicKey = optionsOf(button.dataset.options);
        const made = await navigator.credentials[how]({ publicKey });
        form.elements.passkey.value = JSON.stringify(answerOf(made));
        form.requestSubmit();
      } catch (error) {
        note.textContent = FAULTS[error.name] ?? error.message;
        button.disabled = false;
      }
    });
  });

  function optionsOf(text) {
    const options = JSON.parse(text);
    options.challenge = bytesOf(options.challenge);
    if (options.user) options.user.id = bytesOf(options.user.id);
    for (const one of options.allowCredentials ?? []) one.id = bytesOf(one.id);
    for (const one of options.excludeCredentials ?? []) one.id = bytesOf(one.id);
    return options;
  }

  function answerOf({ id, type, response: made }) {
    const response = {};
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature"]) {
      if (made[name]) response[name] = textOf(made[name]);
    }
    if (made.attestationObject) response.transports = made.getTransports?.() ?? [];
    return { id, rawId: id, type, response };
  }

  function bytesOf(text) {
    const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
  }

  function textOf(buffer) {
    const plain = btoa(String.fromCharCode(...new Uint8Array(buffer)));
    return plain.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }
`;
