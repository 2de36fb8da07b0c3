/** What the owner calls states of payments and payouts; programs read the API's words. */
const WORDS: Readonly<Record<string, string>> = {
  detected: "on its way",
  broadcasted: "on its way",
  confirmed: "paid",
  sweep_pending: "moving to your wallet",
  swept: "in your wallet",
};

export function stateWord(value: string): string {
  return WORDS[value] ?? value.replaceAll("_", " ");
}
