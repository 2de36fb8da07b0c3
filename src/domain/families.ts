/** The chain families. What a place needs of each is a `Record<FamilyName, …>`. */
export const FAMILY_NAMES = ["evm", "tron"] as const;
export type FamilyName = typeof FAMILY_NAMES[number];
