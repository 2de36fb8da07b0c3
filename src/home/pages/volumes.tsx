import { DAY_MS, HOUR_MS, volumesNow } from "../../accounts/add_up_volumes.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { isoUtc } from "../../domain/time.ts";
import { ALL_ACCOUNTS } from "../../accounts/reads/volumes.ts";
import type { VolumeRow } from "../../accounts/tables/volumes.ts";
import { type Bar, VolumeChart } from "../../dashboard/parts/chart.tsx";
import { Card, EmptyState } from "../../dashboard/parts/facts.tsx";
import { withQuery } from "../../dashboard/parts/table.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { shownText } from "../../dashboard/words/amounts.ts";
import { moneyText } from "../../domain/money/written.ts";
import { type Worth, worthFor } from "../../dashboard/parts/worth_now.tsx";

interface Range {
  readonly label: string;
  readonly name: string;
  /** What it is compared with. */
  readonly before: string;
  readonly span: VolumeRow["span"];
  /** Of one bar. */
  readonly stepMs: number;
  readonly count: number;
}

/** Days are UTC's. */
const RANGES = {
  today: {
    ...{ label: "Today", name: "today", before: "all of yesterday" },
    ...{ span: "hour", stepMs: HOUR_MS, count: 24 },
  },
  "7d": {
    ...{ label: "7 days", name: "in 7 days", before: "the 7 days before" },
    ...{ span: "day", stepMs: DAY_MS, count: 7 },
  },
  "30d": {
    ...{ label: "30 days", name: "in 30 days", before: "the 30 days before" },
    ...{ span: "day", stepMs: DAY_MS, count: 30 },
  },
  "1y": {
    ...{ label: "1 year", name: "in 52 weeks", before: "the 52 weeks before" },
    ...{ span: "day", stepMs: 7 * DAY_MS, count: 52 },
  },
} as const satisfies Record<string, Range>;
const NAMES = ["today", "7d", "30d", "1y"] as const;

/** All coins together in the account's own currency, at the prices of now; or one of them. */
export const VolumeCard = async (
  { visit, accountId }: { visit: Visit; accountId: number | null },
) => {
  const chosen = visit.wanted("range", NAMES) ?? "30d";
  const range = RANGES[chosen];
  const { stepMs, count, span } = range;
  const todayMs = visit.nowMs - visit.nowMs % DAY_MS;
  const startMs = todayMs + DAY_MS - count * stepMs;
  const asked = { accountId: accountId ?? ALL_ACCOUNTS, span, sinceMs: startMs - count * stepMs };
  const rows = await volumesNow(visit.deps, asked);
  const assets = assetsByUse(rows);
  const asset = assets.find((name) => name === visit.query.get("asset"));
  const worth = accountId === null
    ? undefined
    : await worthFor(visit.deps, { accountId, assets: rows });
  const flow = flowOf(rows, { visit, worth, asset: asset ?? (worth ? undefined : assets[0]) });
  return (
    <Card title="What came in" actions={<Ranges visit={visit} chosen={chosen} />}>
      {(assets.length > 1 || worth) && assets.length > 0 && (
        <Assets visit={visit} assets={assets} chosen={flow?.asset} worth={worth} />
      )}
      {flow
        ? <Volume range={range} flow={flow} bars={barsOf(flow, { ...range, startMs })} />
        : (
          <EmptyState title={`No movements ${range.name}`}>
            Payments and payouts are added up here as soon as they are confirmed.
          </EmptyState>
        )}
    </Card>
  );
};

interface Moved {
  readonly startsAtMs: number;
  readonly direction: VolumeRow["direction"];
  readonly amount: Amount;
}

/** What moved, in one currency. */
interface Flow {
  readonly rows: readonly Moved[];
  /** Undefined: all that have a price, in the quote. */
  readonly asset: string | undefined;
  readonly unit: string;
  /** An amount as a person reads it. */
  said(text: string): string;
}

function flowOf(
  rows: readonly VolumeRow[],
  { visit, worth, asset }: { visit: Visit; worth: Worth | undefined; asset: string | undefined },
): Flow | undefined {
  if (rows.length === 0) return undefined;
  const moved = rows.filter((row) => asset === undefined || assetOf(row) === asset)
    .flatMap((row) => {
      const coins = Amount.parse(row.amount, assetOf(row));
      const amount = asset === undefined ? worth?.of(coins) : coins;
      return amount ? [{ ...row, amount }] : [];
    });
  if (asset !== undefined) {
    const symbol = asset.split("/").at(-1)!;
    const said = (text: string) => `${shownText(text)} ${symbol}`;
    return { rows: moved, asset, unit: visit.asset(asset), said };
  }
  const { quote } = worth!;
  const said = (text: string) => moneyText(text, { currency: quote });
  return { rows: moved, asset, unit: quote, said };
}

const Ranges = ({ visit, chosen }: { visit: Visit; chosen: string }) => (
  <span class="segments" role="group" aria-label="Period">
    {NAMES.map((name) => (
      <a
        href={withQuery(visit, { range: name })}
        aria-current={name === chosen ? "true" : undefined}
      >
        {RANGES[name].label}
      </a>
    ))}
  </span>
);

const ASSETS_SHOWN = 8;

const Assets = (
  { visit, assets, chosen, worth }: {
    visit: Visit;
    assets: readonly string[];
    chosen: string | undefined;
    worth: Worth | undefined;
  },
) => (
  <div class="filters-on" role="group" aria-label="Currency">
    {worth && <Chip visit={visit} asset={null} chosen={chosen}>{`All in ${worth.quote}`}</Chip>}
    {assets.slice(0, ASSETS_SHOWN).map((asset) => (
      <Chip visit={visit} asset={asset} chosen={chosen}>{visit.asset(asset)}</Chip>
    ))}
  </div>
);

interface ChipProps {
  readonly visit: Visit;
  readonly asset: string | null;
  readonly chosen: string | undefined;
  readonly children: string;
}

const Chip = ({ visit, asset, chosen, children }: ChipProps) => (
  <a
    class="chip"
    href={withQuery(visit, { asset })}
    aria-current={asset === (chosen ?? null) ? "true" : undefined}
  >
    {children}
  </a>
);

const Volume = (
  { range, flow, bars }: { range: Range; flow: Flow; bars: readonly Bar[] },
) => {
  const sum = (pick: "inText" | "outText" | "beforeText") =>
    bars.reduce((total, bar) => total.plus(Amount.parse(bar[pick], "")), Amount.zero(""));
  const [now, before] = [sum("inText"), sum("beforeText")];
  return (
    <>
      <p class="total">
        <strong class="big">{flow.said(now.toString())}</strong>{" "}
        <span class="quiet">
          {`${range.name}, ${changeText(Number(now), Number(before))} ${range.before}. `}
          {`Paid out: ${flow.said(sum("outText").toString())}`}
        </span>
      </p>
      <VolumeChart
        bars={bars}
        title={`What came in ${range.name}`}
        unit={flow.unit}
        said={flow.said}
      />
    </>
  );
};

/** Rounded, beside the exact amounts. */
function changeText(now: number, before: number): string {
  if (now === before) return "as much as";
  const more = now > before ? "more than" : "less than";
  if (before === 0) return more;
  const percent = Math.round(Math.abs(now - before) / before * 100);
  return percent > 999 ? `much ${more}` : `${percent} % ${more}`;
}

function assetsByUse(rows: readonly VolumeRow[]): string[] {
  const used = new Map<string, number>();
  for (const row of rows) {
    used.set(assetOf(row), (used.get(assetOf(row)) ?? 0) + row.movements);
  }
  return [...used].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([name]) => name);
}

function barsOf(
  { rows }: Flow,
  { startMs, stepMs, count, span }: Range & { startMs: number },
): Bar[] {
  const sums = new Map<string, Amount>();
  for (const { startsAtMs, direction, amount } of rows) {
    const key = `${Math.floor((startsAtMs - startMs) / stepMs)} ${direction}`;
    sums.set(key, sums.get(key)?.plus(amount) ?? amount);
  }
  const text = (place: number, direction: VolumeRow["direction"]) =>
    sums.get(`${place} ${direction}`)?.toString() ?? "0";
  return Array.from({ length: count }, (_, i) => {
    const iso = isoUtc(startMs + i * stepMs);
    return {
      label: span === "hour" ? `${iso.slice(11, 13)}:00` : iso.slice(5, 10),
      inText: text(i, "deposit"),
      outText: text(i, "withdrawal"),
      beforeText: text(i - count, "deposit"),
    };
  });
}
