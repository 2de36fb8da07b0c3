const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["cli", "Command line"],
  ["worker", "Gateway"],
]);

/** Of an actor that is no person and no key. */
export function programName(actor: string): string | undefined {
  return PROGRAMS.get(actor);
}

/** The actor that has this name, in any case. */
export function programNamed(folded: string): string | undefined {
  return [...PROGRAMS].find(([, name]) => name.toLowerCase() === folded)?.[0];
}

/** "user:1" as "user" and "1". */
export function partsOf(name: string): readonly [kind: string, id: string] {
  const at = name.indexOf(":");
  return at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at + 1)];
}

/** What people call the things of the log. */
const THINGS: readonly (readonly [said: string, kind: string])[] = [
  ["payout", "withdrawal"],
  ["withdrawal", "withdrawal"],
  ["deposit", "transaction"],
  ["rule", "policy"],
  ...["sweep", "batch", "webhook", "account", "payee", "alert"].map((one) => [one, one] as const),
];

/** "payout 12" as "withdrawal:12". */
export function subjectOf(text: string): string | undefined {
  const [, thing = "", id] = /^([a-z]+)[ #]+(\d+)$/.exec(text.toLowerCase()) ?? [];
  const found = THINGS.find(([said]) => said === thing);
  return found && `${found[1]}:${id}`;
}

/** "withdrawal:12" as "payout 12". */
export function subjectSaid(subject: string): string | undefined {
  const [, kind = "", id] = /^([a-z]+):(\d+)$/.exec(subject) ?? [];
  const thing = THINGS.find(([, one]) => one === kind);
  return thing && `${thing[0]} ${id}`;
}
