import type { WhyNotAllowed } from "../../payouts/why_unsigned.ts";
import { heldBackText } from "../../payouts/rules/held_back.ts";

const WORDS: Readonly<Record<Exclude<WhyNotAllowed["code"], "held_back">, string>> = {
  stopped: "Nothing is signed until an operator resumes",
  suspended: "The account is suspended",
  paused: "Withdrawals of this currency are paused until an alert has been looked at",
  approval: "It waits for an approval",
};

export function whyUnsignedText(why: WhyNotAllowed): string {
  return why.code === "held_back" ? heldBackText(why.why) : WORDS[why.code];
}
