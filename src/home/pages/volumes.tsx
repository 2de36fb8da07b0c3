import { DAY_MS, HOUR_MS, volumesNow } from "../../accounts/add_up_volumes.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { isoUtc } from "../../domain/time.ts";
import { ALL_ACCOUNTS } from "../../accounts/reads/volumes.ts";
import type { VolumeRow } from "../../accounts/tables/volumes.ts";
import { type Bar, VolumeChart } from "../../dashboard/parts/chart.tsx";
import { Card, EmptyState, Money } from "../../dashboard/parts/facts.tsx";
import { withQuery } from "../../dashboard/parts/table.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { assetText } from "../../dashboard/words/assets.ts";

interface Range {
  readonly label: string;
  readonly name: string;
  readonly span: VolumeRow["span"];
  /** Of one bar. */
  readonly stepMs: number;
  readonly count: number;
}

const RANGES = {
  "24h": { label: "24 h", name: "24 hours", span: "hour", stepMs: HOUR_MS, count: 24 },
  "7d": { label: "7 d", name: "7 days", span: "day", stepMs: DAY_MS, count: 7 },
  "30d": { label: "30 d", name: "30 days", span: "day", stepMs: DAY_MS, count: 30 },
  "1y": { label: "1 y", name: "52 weeks", span: "day", stepMs: 7 * DAY_MS, count: 52 },
} as const satisfies Record<string, Range>;
const NAMES = ["24h", "7d", "30d", "1y"] as const;

/** One currency at a time, because amounts of different ones are never added. */
export const VolumeCard = async (
  { visit, accountId }: { visit: Visit; accountId: number | null },
) => {
  const chosen = visit.wanted("range", NAMES) ?? "30d";
  const range = RANGES[chosen];
  const { stepMs, count, span } = range;
  const startMs = visit.nowMs - visit.nowMs % Math.min(stepMs, DAY_MS) + Math.min(stepMs, DAY_MS) -
    count * stepMs;
  const asked = { accountId: accountId ?? ALL_ACCOUNTS, span, sinceMs: startMs - count * stepMs };
  const rows = await volumesNow(visit.deps, asked);
  const assets = assetsByUse(rows);
  const asset = assets.find((name) => name === visit.query.get("asset")) ?? assets[0];
  const bars = asset && barsOf(rows, { ...range, asset, startMs });
  return (
    <Card title="Volume" actions={<Ranges visit={visit} chosen={chosen} />}>
      {assets.length > 1 && <Assets visit={visit} assets={assets} chosen={asset} />}
      {bars
        ? <Volume range={range} asset={asset!} bars={bars} />
        : (
          <EmptyState title={`No movements in the last ${range.name}`}>
            Deposits and payouts are added up here as soon as they are confirmed.
          </EmptyState>
        )}
    </Card>
  );
};

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
  { visit, assets, chosen }: {
    visit: Visit;
    assets: readonly string[];
    chosen: string | undefined;
  },
) => (
  <div class="filters-on" role="group" aria-label="Currency">
    {assets.slice(0, ASSETS_SHOWN).map((asset) => (
      <a
        class="chip"
        href={withQuery(visit, { asset })}
        aria-current={asset === chosen ? "true" : undefined}
      >
        {assetText(asset)}
      </a>
    ))}
  </div>
);

const Volume = (
  { range, asset, bars }: { range: Range; asset: string; bars: readonly Bar[] },
) => {
  const sum = (pick: "inText" | "outText" | "beforeText") =>
    bars.reduce((total, bar) => total.plus(Amount.parse(bar[pick], asset)), Amount.zero(asset))
      .toString();
  return (
    <>
      <p>
        <Money amount={sum("inText")} /> in and <Money amount={sum("outText")} /> out,{" "}
        {assetText(asset)}, in {range.name}; <Money amount={sum("beforeText")} /> in before that
      </p>
      <VolumeChart bars={bars} title={`Volume of ${range.name}`} unit={assetText(asset)} />
    </>
  );
};

function assetsByUse(rows: readonly VolumeRow[]): string[] {
  const used = new Map<string, number>();
  for (const row of rows) {
    used.set(assetOf(row), (used.get(assetOf(row)) ?? 0) + row.movements);
  }
  return [...used].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([name]) => name);
}

function barsOf(
  rows: readonly VolumeRow[],
  { asset, startMs, stepMs, count, span }: Range & { asset: string; startMs: number },
): Bar[] {
  const sums = new Map<string, Amount>();
  for (const row of rows) {
    if (assetOf(row) !== asset) continue;
    const key = `${Math.floor((row.startsAtMs - startMs) / stepMs)} ${row.direction}`;
    const amount = Amount.parse(row.amount, asset);
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
