import type { Component } from "../../../base/html.ts";
import * as kind from "../../../domain/kinds.ts";
import type { Guest } from "../../visit.ts";
import { withQuery } from "../table.tsx";

const HOUR_MS = 3_600_000;
const PRESETS = [
  { last: "1h", name: "Last hour", ms: HOUR_MS },
  { last: "24h", name: "24 hours", ms: 24 * HOUR_MS },
  { last: "7d", name: "7 days", ms: 7 * 24 * HOUR_MS },
] as const;
/** For what is kept longer. */
const LONGER_PRESETS = [
  ...PRESETS,
  { last: "30d", name: "30 days", ms: 30 * 24 * HOUR_MS },
  { last: "365d", name: "A year", ms: 365 * 24 * HOUR_MS },
  { last: "all", name: "All time", ms: Number.MAX_SAFE_INTEGER },
] as const;

/** As a date field sends it, in UTC; or any ISO 8601 time. */
export const utcMoment: kind.Kind<number> = {
  ...kind.moment,
  is: "a date and time",
  read: (text) =>
    kind.moment.read(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text) ? `${text}Z` : text,
    ),
};

interface Moments {
  readonly fromMs: number;
  readonly untilMs: number;
  /** What was asked for is no time, so it is ignored. */
  readonly isMisread: boolean;
}

/** From the query: `from` and `until`, each of which may be missing; otherwise `last` is a preset. */
export function momentsWanted(
  visit: Guest,
  { otherwise }: { otherwise: Omit<Moments, "isMisread"> },
): Moments {
  const said = ["from", "until"].map((name) => (visit.query.get(name) ?? "").trim());
  const isBetween = said.some((text) => text !== "");
  const preset = LONGER_PRESETS.find(({ last }) => !isBetween && last === visit.query.get("last"));
  // A minute later than now, because other instances' clocks may be ahead.
  const untilMs = visit.nowMs + 60_000;
  if (preset) return { fromMs: visit.nowMs - preset.ms, untilMs, isMisread: false };
  const [from, until] = said.map((text) => text === "" ? undefined : utcMoment.read(text));
  const given = [from, until].filter((atMs) => atMs !== undefined).length;
  return {
    fromMs: from ?? otherwise.fromMs,
    untilMs: until ?? otherwise.untilMs,
    isMisread: given < said.filter((text) => text !== "").length,
  };
}

/** Links for the usual times; others are entered beside the other filters. */
export const MomentPresets: Component<
  { visit: Guest; otherwise?: string; isLong?: boolean }
> = ({ visit, otherwise, isLong }) => {
  const isBetween = ["from", "until"].some((name) => (visit.query.get(name) ?? "") !== "");
  const chosen = isBetween ? "" : visit.query.get("last") || otherwise;
  return (
    <nav class="presets" aria-label="Time">
      {(isLong ? LONGER_PRESETS : PRESETS).map(({ last, name }) => (
        <a
          href={withQuery(visit, { last, from: null, until: null, cursor: null })}
          aria-current={last === chosen ? "true" : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  );
};

/** Two times of a filter form. */
export const MomentFilters: Component<{ visit: Guest }> = ({ visit }) => (
  <>
    {visit.query.has("last") && (
      <input
        type="hidden"
        name="last"
        value={visit.query.get("last")!}
      />
    )}
    {(["from", "until"] as const).map((name) => (
      <MomentField
        visit={visit}
        name={name}
        label={name === "from" ? "From (UTC)" : "Until (UTC)"}
        value={(visit.query.get(name) ?? "").replace(/Z$/, "")}
      />
    ))}
  </>
);

interface FieldProps {
  readonly visit: Guest;
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly isRequired?: boolean;
}

/** A date and time, chosen from the browser's calendar. */
export const MomentField: Component<FieldProps> = (
  { visit, name, label, value = "", isRequired },
) => {
  const id = `field-${name}`;
  const fault = visit.fault?.fields.get(name);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="datetime-local"
        value={visit.typed(name, value)}
        required={isRequired}
        aria-describedby={fault && `${id}-fault`}
      />
      {fault && <p class="field-fault" id={`${id}-fault`}>{fault}</p>}
    </div>
  );
};
