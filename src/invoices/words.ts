import { moneyText } from "../domain/money/written.ts";
import type { Refunded } from "./rules/sums.ts";
import type { InvoiceStatus } from "./rules/status.ts";

interface Standing {
  readonly status: InvoiceStatus;
  readonly amount: string;
  readonly currency: string;
  readonly paid: string;
  readonly due: string;
  readonly overpaid: string;
  readonly refunded?: Refunded | undefined;
}

/** Where an invoice stands and what the merchant can do about it, in one sentence or two. */
export function invoiceSentence(standing: Standing): string {
  const { refunded } = standing;
  if (refunded === undefined) return sentence(standing);
  const part = refunded === "refunded" ? "All" : "Part";
  return `${sentence(standing)} ${part} of what was credited has been refunded.`;
}

function sentence({ status, amount, currency, paid, due, overpaid }: Standing): string {
  const come = moneyText(paid, { currency, rounding: "down" });
  const whole = moneyText(amount, { currency, rounding: "exact" });
  const missing = `${moneyText(due, { currency, rounding: "up" })} of ${whole} are missing`;
  switch (status) {
    case "open":
      return paid === "0"
        ? "Waiting for the payment. Nothing has been seen yet."
        : `${come} have been seen, ${missing}.`;
    case "processing":
      return "Enough has been seen. It is paid once it has enough confirmations.";
    case "paid":
      return overpaid === "0"
        ? "Paid."
        : `Paid, and ${moneyText(overpaid, { currency, rounding: "down" })} too much.`;
    case "underpaid":
      return `Time is up, and ${missing}. Extend it, or accept what has come.`;
    case "expired":
      return "Time is up, and nothing has come. Extend it if the payer still wants to pay.";
    case "cancelled":
      return paid === "0"
        ? "Cancelled. What arrives now is still credited and listed here."
        : `Cancelled, although ${come} have come.`;
  }
}
