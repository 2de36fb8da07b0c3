"use strict";
const order = document.getElementById("order");
if (order) {
  for (const button of document.querySelectorAll("[data-copy]")) {
    // Browsers keep it from pages without TLS.
    if (!navigator.clipboard) break;
    button.hidden = false;
    const label = button.textContent;
    // A tap on the text itself is enough.
    for (const one of [button, button.parentElement.querySelector(".all, .ends")]) {
      one.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(button.dataset.copy);
        } catch {
          // It can still be selected.
          return;
        }
        button.textContent = order.dataset.copied;
        setTimeout(() => button.textContent = label, 2000);
      });
    }
  }
  const print = document.getElementById("print");
  if (print) {
    print.hidden = false;
    print.addEventListener("click", () => globalThis.print());
  }
  const until = document.querySelector("[data-left]");
  const two = (value) => String(value).padStart(2, "0");
  if (until) {
    const end = performance.now() + Number(until.dataset.left);
    setInterval(() => {
      const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
      const hours = Math.floor(seconds / 3600);
      const minutes = Math.floor(seconds / 60) % 60;
      until.textContent = `${hours > 0 ? `${hours}:` : ""}${two(minutes)}:${two(seconds % 60)}`;
    }, 1000);
  }
  const { version, again } = order.dataset;
  if (again) {
    const look = async () => {
      try {
        // To load a page that isn't there would leave the browser's own, which never looks again.
        const { status } = await fetch(location.href, {
          method: "HEAD",
          cache: "no-store",
          signal: AbortSignal.timeout(10000),
        });
        // This page may be a form's answer, and nothing must be sent again.
        if (status !== 429 && status !== 503) {
          location.replace(location.pathname + location.search);
        }
      } catch {
        // The next look may succeed.
      }
      setTimeout(look, again * 1000);
    };
    setTimeout(look, again * 1000);
  }
  if (version) {
    // To load this page again would cancel the form or link that was just used. Links to wallet apps
    // keep the page. iPhones have no event before a page is left.
    let leftAt = -Infinity;
    const leave = () => leftAt = performance.now();
    addEventListener("submit", leave);
    addEventListener("change", ({ target }) => target.closest(".languages") && leave());
    addEventListener("click", ({ target }) => {
      const link = target.closest("a");
      if (/^https?:$/.test(link?.protocol) && link.target === "") leave();
    });
    addEventListener("pageshow", () => leftAt = -Infinity);
    const watch = async () => {
      let waitMs = 1000;
      try {
        const response = await fetch(`${location.pathname}/state`, {
          cache: "no-store",
          signal: AbortSignal.timeout(10000),
        });
        const isNew = response.ok && (await response.json()).version !== version;
        if (isNew && performance.now() - leftAt > 20000) {
          // What is used meanwhile may cancel this and keep the page.
          waitMs = 20000;
          location.reload();
        }
      } catch {
        // The next look may succeed.
      }
      setTimeout(watch, waitMs);
    };
    setTimeout(watch, 1000);
  }
  const wallets = document.getElementById("wallets");
  if (wallets) {
    const answer = document.getElementById("wallet-answer");
    const { chain: chainId, to, value, data } = wallets.dataset;
    const known = new Set();
    const pay = async (provider) => {
      answer.textContent = "";
      try {
        const [from] = await provider.request({ method: "eth_requestAccounts" });
        const onChain = async () =>
          BigInt(await provider.request({ method: "eth_chainId" })) === BigInt(chainId);
        if (!await onChain()) {
          await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] })
            .catch(() => {});
        }
        if (!await onChain()) {
          answer.textContent = order.dataset.wrongChain;
          return;
        }
        await provider.request({
          method: "eth_sendTransaction",
          params: [{ from, to, value, data }],
        });
      } catch {
        answer.textContent = order.dataset.notSent;
      }
    };
    addEventListener("eip6963:announceProvider", ({ detail: { info, provider } }) => {
      if (known.has(info.uuid)) return;
      known.add(info.uuid);
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = order.dataset.payWith.replace(
        "{wallet}",
        String(info.name).slice(0, 40),
      );
      button.addEventListener("click", () => pay(provider));
      wallets.append(button);
    });
    dispatchEvent(new Event("eip6963:requestProvider"));
  }
}
const languages = document.querySelector(".languages select");
if (languages) {
  languages.form.querySelector("button").hidden = true;
  languages.addEventListener("change", () => {
    const url = new URL(location.href);
    url.searchParams.set("lang", languages.value);
    location.href = url.href;
  });
}
