import type { Component } from "../../../base/html.ts";
import {
  ALL_TIME,
  calendarPeriod,
  monthOf,
  type Period,
  periodBetween,
} from "../../../domain/money/period.ts";
import type { Guest } from "../../visit.ts";
import { withQuery } from "../table.tsx";

interface PeriodWanted extends Period {
  /** What was asked for is no time, so the default is shown instead. */
  readonly isMisread: boolean;
}

/** From the query: `period` is a month, a year or "all"; otherwise `from` and `until`. */
export function periodWanted(visit: Guest, { otherwise }: { otherwise: string }): PeriodWanted {
  const said = (name: string) => (visit.query.get(name) ?? "").trim();
  const [period, from, until] = [said("period"), said("from"), said("until")];
  const isAsked = [period, from, until].some((text) => text !== "");
  const found = period !== ""
    ? named(period)
    : isAsked
    ? periodBetween({ from, until })
    : undefined;
  return { ...found ?? named(otherwise) ?? ALL_TIME, isMisread: isAsked && found === undefined };
}

function named(text: string): Period | undefined {
  return text === "all" ? ALL_TIME : calendarPeriod(text);
}

const MONTHS_SHOWN = 3;

/** Links to the last months, this year and everything, and fields for any other time. */
export const PeriodChoice: Component<{ visit: Guest; otherwise: string }> = (
  { visit, otherwise },
) => {
  const { nowMs } = visit;
  const months = Array.from({ length: MONTHS_SHOWN }, (_, i) => monthOf(nowMs, i));
  const presets = [...months, monthOf(nowMs).slice(0, 4), "all"];
  const isBetween = ["from", "until"].some((name) => (visit.query.get(name) ?? "") !== "");
  const chosen = visit.query.get("period") || (isBetween ? "" : otherwise);
  return (
    <div class="periods">
      <nav class="presets" aria-label="Period">
        {presets.map((preset) => (
          <a
            href={withQuery(visit, { period: preset, from: null, until: null, cursor: null })}
            aria-current={preset === chosen ? "true" : undefined}
          >
            {preset === "all" ? "All time" : named(preset)!.name}
          </a>
        ))}
      </nav>
      <PeriodForm visit={visit} />
    </div>
  );
};

const PeriodForm: Component<{ visit: Guest }> = ({ visit }) => {
  const kept = [...visit.query].filter(([name]) =>
    !["period", "from", "until", "cursor"].includes(name)
  );
  return (
    <form method="get" action={visit.url.pathname} class="filter">
      {kept.map(([name, value]) => <input type="hidden" name={name} value={value} />)}
      <DateFields visit={visit} />
      <button type="submit" class="plain">Show</button>
    </form>
  );
};

/** Two dates of a filter form. */
export const DateFields: Component<{ visit: Guest }> = ({ visit }) => (
  <>
    <DateField visit={visit} name="from" label="From" />
    <DateField visit={visit} name="until" label="Until (inclusive)" />
  </>
);

const DateField: Component<{ visit: Guest; name: string; label: string }> = (
  { visit, name, label },
) => (
  <div class="field">
    <label for={`field-${name}`}>{label}</label>
    <input
      id={`field-${name}`}
      name={name}
      type="date"
      value={(visit.query.get(name) ?? "").slice(0, 10)}
    />
  </div>
);
