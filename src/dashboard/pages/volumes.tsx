import { DAY_MS, HOUR_MS } from "../../actions/accounts/add_up_volumes.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { isoUtc } from "../../domain/time.ts";
import { ALL_ACCOUNTS, volumesSince } from "../../store/reads/pages/volumes.ts";
import type { VolumeRow } from "../../store/tables/volumes.ts";
import { type Bar, VolumeChart } from "../parts/chart.tsx";
import { Card, Empty } from "../parts/facts.tsx";
import { Select } from "../parts/form.tsx";
import { Filter } from "../parts/table.tsx";
import type { Visit } from "../visit.ts";

const HOURS = 24;
const DAYS = 30;

/** One currency at a time, because amounts of different ones are never added. */
export const VolumeCard = async ({ visit }: { visit: Visit }) => {
  const { deps, nowMs } = visit;
  const accountId = visit.accountId ?? ALL_ACCOUNTS;
  const hourMs = nowMs - nowMs % HOUR_MS - (HOURS - 1) * HOUR_MS;
  const dayMs = nowMs - nowMs % DAY_MS - (DAYS - 1) * DAY_MS;
  const [hours, days] = await Promise.all([
    volumesSince(deps.db, { accountId, span: "hour", sinceMs: hourMs }),
    volumesSince(deps.db, { accountId, span: "day", sinceMs: dayMs }),
  ]);
  const assets = assetsByUse(days);
  const asset = assets.find((name) => name === visit.query.get("asset")) ?? assets[0];
  if (asset === undefined) {
    return (
      <Card title="Volume">
        <Empty>No deposits or withdrawals in the last 30 days.</Empty>
      </Card>
    );
  }
  const options = assets.map((value) => ({ value, label: value }));
  const hourBars = bars(hours, { asset, startMs: hourMs, stepMs: HOUR_MS, count: HOURS });
  const dayBars = bars(days, { asset, startMs: dayMs, stepMs: DAY_MS, count: DAYS });
  return (
    <Card title="Volume">
      {assets.length > 1 && (
        <Filter visit={visit}>
          <Select visit={visit} name="asset" label="Currency" options={options} value={asset} />
        </Filter>
      )}
      <div class="grid">
        <Volume title="Last 24 hours" asset={asset} bars={hourBars} />
        <Volume title="Last 30 days" asset={asset} bars={dayBars} />
      </div>
    </Card>
  );
};

const Volume = ({ title, asset, bars }: { title: string; asset: string; bars: readonly Bar[] }) => {
  const sum = (pick: "inText" | "outText") =>
    bars.reduce((total, bar) => total.plus(Amount.parse(bar[pick], asset)), Amount.zero(asset))
      .toString();
  const currency = asset.split("/")[1];
  return (
    <div>
      <h3>{title}</h3>
      <p class="small">
        {sum("inText")} {currency} in, {sum("outText")} {currency} out
      </p>
      <VolumeChart bars={bars} title={title} unit={asset} />
    </div>
  );
};

function assetsByUse(rows: readonly VolumeRow[]): string[] {
  const used = new Map<string, number>();
  for (const row of rows) {
    used.set(assetOf(row), (used.get(assetOf(row)) ?? 0) + row.movements);
  }
  return [...used].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([name]) => name);
}

function bars(
  rows: readonly VolumeRow[],
  { asset, startMs, stepMs, count }: {
    asset: string;
    startMs: number;
    stepMs: number;
    count: number;
  },
): Bar[] {
  const own = rows.filter((row) => assetOf(row) === asset);
  const amounts = new Map(own.map((row) => [`${row.startsAtMs} ${row.direction}`, row.amount]));
  return Array.from({ length: count }, (_, i) => {
    const atMs = startMs + i * stepMs;
    const iso = isoUtc(atMs);
    return {
      label: stepMs === HOUR_MS ? `${iso.slice(11, 13)}:00` : iso.slice(5, 10),
      inText: amounts.get(`${atMs} deposit`) ?? "0",
      outText: amounts.get(`${atMs} withdrawal`) ?? "0",
    };
  });
}
