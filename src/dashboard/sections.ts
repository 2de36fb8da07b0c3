/** The main navigation. Settings is behind a gear, Gateway for operators only. */
export const SECTIONS = [
  "Home",
  "Payments",
  "Payouts",
  "Balances",
  "Developers",
  "Gateway",
  "Settings",
] as const;
export type Section = typeof SECTIONS[number];

/** Their pages show one account, if an operator chose one. */
export const OF_ACCOUNT: readonly Section[] = [
  "Home",
  "Payments",
  "Payouts",
  "Balances",
  "Developers",
];
