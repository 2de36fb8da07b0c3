import { TYPED_NUMBER } from "../../../domain/money/typed.ts";

/**
 * Checks a payout while it is typed and shows its fee. The server checks the same again, and
 * decides. Amounts are integers of 40 decimals, so that nothing is rounded.
 */
export const PAYOUT = `
  every("[data-payout]", (line) => {
    const { form } = line.closest("form").elements.amount;
    const { asset, to_address: to, amount, cost } = form.elements;
    const SCALE = 40;
    const read = (text) => {
      const number = ${TYPED_NUMBER}.test(text.trim()) ? text.trim().replace(",", ".") : "";
      const [, whole, part = ""] = /^(\\d{1,78})(?:\\.(\\d{1,36}))?$/.exec(number) ?? [];
      return whole === undefined ? undefined : BigInt(whole + part.padEnd(SCALE, "0"));
    };
    const write = (value) => {
      const digits = value.toString().padStart(SCALE + 1, "0");
      return (digits.slice(0, -SCALE) + "." + digits.slice(-SCALE)).replace(/\\.?0+$/, "");
    };

    const check = () => {
      const chosen = (asset.selectedOptions?.[0] ?? asset).dataset;
      const rules = JSON.parse(chosen.rules);
      const address = to.value.trim();
      const wrong = address !== "" && rules.address && !new RegExp(rules.address).test(address);
      mark(to, wrong ? "This is not an address of that network" : "");
      const value = read(amount.value);
      line.hidden = value === undefined;
      mark(amount, amount.value.trim() === "" ? "" : faultOf(value, rules));
      cost.textContent = "Fee on top: " + chosen.fee + ".";
      if (value === undefined) return;
      const percent = read(rules.percent);
      const fee = read(rules.flat) + value * percent / (100n * 10n ** BigInt(SCALE));
      cost.textContent = "Fee: " + write(fee) + " " + rules.symbol + ". " + write(value + fee) + " " +
        rules.symbol + " leave your balance.";
    };

    function faultOf(value, { symbol, payable, minimum }) {
      if (value === undefined) {
        return "Must be a plain decimal number, without thousands separators";
      }
      if (value === 0n) return "Must be more than 0";
      if (value < read(minimum)) return "The minimum is " + minimum + " " + symbol;
      if (payable === undefined || value <= read(payable)) return "";
      return "Only " + payable + " " + symbol + " can be paid now";
    }

    function mark(field, text) {
      const id = field.id + "-live";
      let note = document.getElementById(id);
      if (!note) {
        note = document.createElement("p");
        note.id = id;
        note.className = "field-fault";
        note.setAttribute("role", "status");
        field.closest(".field").append(note);
      }
      note.textContent = text;
    }

    for (const field of [asset, to, amount]) field.addEventListener("input", check);
    check();
  });
`;
