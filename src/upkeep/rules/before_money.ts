/** What an owner should have seen to before real money comes. */
export const BEFORE_MONEY = ["factor", "phrase", "wallet", "rule", "backup", "notify"] as const;

export type BeforeMoney = typeof BEFORE_MONEY[number];
