import type { Child, Component } from "../../../base/html.ts";
import type { AuditRow } from "../../../audit/table.ts";
import type { Visit } from "../../visit.ts";
import { Time } from "../facts.tsx";
import { Person } from "./person.tsx";
import { Ahead, type Step } from "./steps.tsx";

export interface Moment {
  readonly atMs: number;
  readonly shown: Child;
}

/** In the order in which it happened. */
export const Moments: Component<{ of: readonly Moment[]; steps: readonly Step[] }> = (
  { of, steps },
) => (
  <ol class="timeline">
    {of.toSorted((a, b) => a.atMs - b.atMs).map(({ shown }) => shown)}
    <Ahead steps={steps} />
  </ol>
);

/** If it has happened. */
export function reached(words: string, atMs: number | null): Moment[] {
  if (atMs === null) return [];
  const shown = (
    <li>
      <strong>{words}</strong> <Time atMs={atMs} />
    </li>
  );
  return [{ atMs, shown }];
}

/** Those deeds in the audit log that have words, with who did them and why. */
export function deedsOf(
  visit: Visit,
  { audited, words, about }: {
    audited: readonly AuditRow[];
    words: Readonly<Record<string, string>>;
    /** What it was done to, if that isn't the record itself. */
    about?: (entry: AuditRow) => Child;
  },
): Moment[] {
  return audited.filter(({ action }) => action in words).map((entry) => ({
    atMs: entry.atMs,
    shown: <Deed visit={visit} entry={entry} word={words[entry.action]} about={about?.(entry)} />,
  }));
}

const Deed = (
  { visit, entry, word, about }: {
    visit: Visit;
    entry: AuditRow;
    word: string | undefined;
    about: Child;
  },
) => {
  const reason = reasonIn(entry.detail);
  return (
    <li>
      <strong>{word}</strong>
      {about} by <Person visit={visit} actor={entry.actor} />, <Time atMs={entry.atMs} />{" "}
      {reason && (
        <p class="quiet whole">
          <bdi>{reason}</bdi>
        </p>
      )}
    </li>
  );
};

function reasonIn(detail: unknown): string | undefined {
  const isNamed = typeof detail === "object" && detail !== null && "reason" in detail;
  return isNamed && typeof detail.reason === "string" ? detail.reason : undefined;
}
