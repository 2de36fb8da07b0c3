import type { Ability } from "../access/rules/roles.ts";
import { durationText } from "../domain/time.ts";
import type { ProposalRow } from "../proposals/table.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import type { Mandate } from "./guard.ts";

/** Who asks for a change, and that somebody else has approved it. */
export interface By {
  readonly actor: Actor;
  readonly mandate?: Mandate | undefined;
}

/** What was shown to whoever asked, and is stored only as hashes or encrypted. */
export type Made = Partial<
  Pick<ProposalRow, "passwordHash" | "linkHash" | "keyId" | "secretSealed">
>;

/** A change that dual control covers, declared next to the function that makes it. */
export interface Guarded<Wanted extends object = object, Result = unknown> {
  /** Stored in proposals, like what is wanted: neither changes. */
  readonly kind: string;
  /** Which of the account's own users may do it themselves, and so decide; null: operators only. */
  readonly ability: Ability | null;
  /**
   * A login: whoever proposes it never holds its password or link, and whoever approves it passes one
   * on. A key: whoever asks gets the start of its secret, and whoever approves it the end.
   */
  readonly makes?: "login" | "key";
  /** For whoever decides: who knows the secret of what is created or may do more. */
  readonly held?: string;
  /** What will be done, in a few words: details are in before and after. */
  sentence(wanted: Wanted, before: Fields): string;
  /** The one way to it, with or without a proposal. */
  run(deps: Deps, wanted: Wanted, how: By & { readonly made?: Made | undefined }): Promise<Result>;
}

export function guarded<Wanted extends object, Result>(
  change: Guarded<Wanted, Result>,
): Guarded<Wanted, Result> {
  return change;
}

/** Of what is there before. */
type Fields = Readonly<Record<string, unknown>>;

/** "" if it isn't a text. */
export function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** Each field that is set, with its new value. */
export function changedText<Change extends object>(
  change: Change,
  names: { readonly [Field in keyof Change]-?: string },
): string {
  const nameOf = new Map(Object.entries<string>(names));
  return Object.entries(change)
    .map(([field, value]) => `${nameOf.get(field)} ${shown(field, value)}`)
    .join("; ");
}

function shown(name: string, value: unknown): string {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (name === "coolingMs" || name === "expiresMs") return durationText(Number(value));
  if (Array.isArray(value)) return value.join(", ") || "any";
  return String(value);
}
