/** The chain families. What is known of each is in its folder of `chains/`. */
export const FAMILY_NAMES = ["evm", "tron", "bitcoin"] as const;
export type FamilyName = typeof FAMILY_NAMES[number];
