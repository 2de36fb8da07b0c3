/** Files and functions that are still too long. They may only get shorter, and then leave this list. */
export const DEBTS: Readonly<
  Record<string, { readonly file?: number; readonly function?: number }>
> = {
  "src/app/config/config.ts": { file: 275 },
  "src/app/config/describe.ts": { function: 46 },
  "src/cli/demo/setup.ts": { function: 49 },
};
