import { DAY_MS, volumesNow } from "../../accounts/add_up_volumes.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { ALL_ACCOUNTS } from "../../accounts/reads/volumes.ts";
import type { VolumeRow } from "../../accounts/tables/volumes.ts";
import { Card, Money } from "../../dashboard/parts/facts.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { assetText } from "../../dashboard/words/assets.ts";

const WEEK_MS = 7 * DAY_MS;
const ASSETS_SHOWN = 3;
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Today so far, beside the whole of the same day last week. */
export const TodayCard = async ({ visit, accountId }: {
  visit: Visit;
  accountId: number | null;
}) => {
  const todayMs = visit.nowMs - visit.nowMs % DAY_MS;
  const asked = { accountId: accountId ?? ALL_ACCOUNTS, sinceMs: todayMs - WEEK_MS };
  const rows = await volumesNow(visit.deps, { ...asked, span: "day" });
  const today = rows.filter(({ startsAtMs }) => startsAtMs === todayMs);
  const before = rows.filter(({ startsAtMs }) => startsAtMs === todayMs - WEEK_MS);
  if (today.length + before.length === 0) return null;
  const assets = [...new Set([...today, ...before].map(assetOf))].slice(0, ASSETS_SHOWN);
  const day = DAYS[new Date(todayMs).getUTCDay()];
  return (
    <Card
      title="Today"
      actions={<span class="quiet small">{`UTC, compared with all of last ${day}`}</span>}
    >
      <dl class="compare">
        <Compared
          name="Payments"
          now={<>{countOf(today)}</>}
          then={String(countOf(before))}
          change={changeOf(countOf(today), countOf(before))}
        />
        {assets.flatMap((asset) =>
          SIDES.map((side) => <Moved asset={asset} side={side} today={today} before={before} />)
        )}
      </dl>
    </Card>
  );
};

interface MovedProps {
  readonly asset: string;
  readonly side: typeof SIDES[number];
  readonly today: readonly VolumeRow[];
  readonly before: readonly VolumeRow[];
}

const Moved = ({ asset, side: { direction, name }, today, before }: MovedProps) => {
  const now = sumOf(today, { asset, direction });
  const then = sumOf(before, { asset, direction });
  return (
    <Compared
      name={`${name}, ${assetText(asset)}`}
      now={<Money amount={now.toString()} />}
      then={then.toString()}
      change={changeOf(Number(now), Number(then))}
    />
  );
};

const SIDES = [
  { direction: "deposit", name: "Received" },
  { direction: "withdrawal", name: "Paid out with fees" },
] as const;

const Compared = (
  { name, now, then, change }: {
    name: string;
    now: ReturnType<typeof Money>;
    then: string;
    change: string;
  },
) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {now}
      <span class="than">
        {change} <Money amount={then} />
      </span>
    </dd>
  </div>
);

function countOf(rows: readonly VolumeRow[]): number {
  return rows.filter(({ direction }) => direction === "deposit")
    .reduce((sum, { movements }) => sum + movements, 0);
}

function sumOf(
  rows: readonly VolumeRow[],
  { asset, direction }: { asset: string; direction: string },
): Amount {
  return rows.filter((row) => row.direction === direction && assetOf(row) === asset)
    .reduce((sum, { amount }) => sum.plus(Amount.parse(amount, asset)), Amount.zero(asset));
}

/** Rounded, beside the exact amounts. */
function changeOf(now: number, then: number): string {
  if (now === then) return "same as";
  const percent = then === 0 ? "" : ` ${Math.round(Math.abs(now - then) / then * 100)} %`;
  return `${now > then ? "▲" : "▼"}${percent} from`;
}
