import { DAY_MS, HOUR_MS } from "../../actions/accounts/add_up_volumes.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { isoUtc } from "../../domain/time.ts";
import { ALL_ACCOUNTS, volumesSince } from "../../store/reads/pages/volumes.ts";
import type { VolumeRow } from "../../store/tables/volumes.ts";
import { type Bar, VolumeChart } from "../parts/chart.tsx";
import { Card, EmptyState } from "../parts/facts.tsx";
import { Select } from "../parts/form.tsx";
import { Filter } from "../parts/table.tsx";
import type { Visit } from "../visit.ts";

const HOURS = 24;
const DAYS = 30;

/** One currency at a time, because amounts of different ones are never added. */
export const VolumeCard = async ({ visit }: { visit: Visit }) => {
  const [hours, days] = await Promise.all([
    spanOf(visit, { span: "hour", stepMs: HOUR_MS, count: HOURS }),
    spanOf(visit, { span: "day", stepMs: DAY_MS, count: DAYS }),
  ]);
  const assets = assetsByUse(days.rows);
  const asset = assets.find((name) => name === visit.query.get("asset")) ?? assets[0];
  if (asset === undefined) return <NoVolume />;
  return (
    <Card title="Volume">
      {assets.length > 1 && <AssetChoice visit={visit} assets={assets} asset={asset} />}
      <div class="grid">
        <Volume title="Last 24 hours" asset={asset} bars={barsOf(hours, asset)} />
        <Volume title="Last 30 days" asset={asset} bars={barsOf(days, asset)} />
      </div>
    </Card>
  );
};

interface Span {
  readonly span: VolumeRow["span"];
  readonly stepMs: number;
  readonly count: number;
}

interface Spanned extends Span {
  readonly startMs: number;
  readonly rows: readonly VolumeRow[];
}

async function spanOf({ deps, nowMs, accountId }: Visit, wanted: Span): Promise<Spanned> {
  const { span, stepMs, count } = wanted;
  const startMs = nowMs - nowMs % stepMs - (count - 1) * stepMs;
  const asked = { accountId: accountId ?? ALL_ACCOUNTS, span, sinceMs: startMs };
  return { ...wanted, startMs, rows: await volumesSince(deps.db, asked) };
}

const NoVolume = () => (
  <Card title="Volume">
    <EmptyState title="No movements in the last 30 days">
      Deposits and withdrawals are added up here as soon as they are confirmed.
    </EmptyState>
  </Card>
);

interface ChoiceProps {
  readonly visit: Visit;
  readonly assets: readonly string[];
  readonly asset: string;
}

const AssetChoice = ({ visit, assets, asset }: ChoiceProps) => (
  <Filter visit={visit}>
    <Select
      visit={visit}
      name="asset"
      label="Currency"
      options={assets.map((value) => ({ value, label: value }))}
      value={asset}
    />
  </Filter>
);

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

function barsOf({ rows, startMs, stepMs, count }: Spanned, asset: string): Bar[] {
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
