import { defineTable, text } from "./table.ts";

export const Secrets = defineTable("secrets", {
  columns: {
    name: text(),
    sealed: text(),
  },
  primary: ["name"],
  encrypted: { sealed: ({ name }) => `secrets.${name}` },
});
