import type { Component } from "../../../base/html.ts";
import {
  ALL_TIME,
  calendarPeriod,
  monthOf,
  type Period,
  periodBetween,
  RECENT_PERIODS,
  recentPeriod,
} from "../../../domain/money/period.ts";
import { isoUtc } from "../../../domain/time.ts";
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
    ? named(period, visit.nowMs)
    : isAsked
    ? periodBetween({ from, until })
    : undefined;
  return {
    ...found ?? named(otherwise, visit.nowMs) ?? ALL_TIME,
    isMisread: isAsked && found === undefined,
  };
}

function named(text: string, nowMs: number): Period | undefined {
  if (text === "all") return ALL_TIME;
  const recent = RECENT_PERIODS.find((one) => one === text);
  return recent === undefined ? calendarPeriod(text) : recentPeriod(recent, nowMs);
}

/** Links to the usual times, in UTC; any other is entered beside the other filters. */
export const DatePresets: Component<{ visit: Guest }> = ({ visit }) => {
  const isBetween = ["from", "until"].some((name) => (visit.query.get(name) ?? "") !== "");
  const chosen = visit.query.get("period") || (isBetween ? "" : "all");
  const others = { from: null, until: null, cursor: null };
  return (
    <nav class="presets" aria-label="Period">
      {["all", ...RECENT_PERIODS].map((one) => (
        <a
          href={withQuery(visit, { period: one === "all" ? null : one, ...others })}
          aria-current={one === chosen ? "true" : undefined}
        >
          {one === "all" ? "All time" : titleOf(one)}
        </a>
      ))}
    </nav>
  );
};

function titleOf(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("-", " ")}`;
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
            {preset === "all" ? "All time" : named(preset, nowMs)!.name}
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

const DateField: Component<{ visit: Guest; name: "from" | "until"; label: string }> = (
  { visit, name, label },
) => (
  <div class="field">
    <label for={`field-${name}`}>{label}</label>
    <input
      id={`field-${name}`}
      name={name}
      type="date"
      value={dateShown(visit, name)}
    />
  </div>
);

/** A preset's dates too, so that it stays when another filter is set. */
function dateShown(visit: Guest, name: "from" | "until"): string {
  const preset = visit.query.get("period") ?? "";
  const period = preset === "" ? undefined : named(preset, visit.nowMs);
  if (!period) return (visit.query.get(name) ?? "").slice(0, 10);
  const atMs = name === "from" ? period.fromMs : period.untilMs && period.untilMs - 1;
  return atMs === null ? "" : isoUtc(atMs).slice(0, 10);
}
