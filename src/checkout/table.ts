import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";

export const Checkouts = defineTable("checkouts", {
  columns: {
    accountId: int(),
    expiresInS: int().orNull(),
    tolerancePercent: text().orNull(),
    /** Amounts of coins are rounded up to so many decimals; null: all that the coin has. */
    digits: int().orNull(),
    /** What payers read instead of the account's name. */
    name: text().orNull(),
    colour: text().orNull(),
    logoHash: text().orNull(),
  },
  primary: ["accountId"],
  sealedExcept: [],
});
export type CheckoutRow = RowOf<typeof Checkouts>;

/** Apart, because they are large and few look at them. */
export const CheckoutLogos = defineTable("checkout_logos", {
  columns: {
    accountId: int(),
    mediaType: text<"image/png" | "image/svg+xml">(),
    body: text(),
  },
  primary: ["accountId"],
  sealedExcept: [],
});
