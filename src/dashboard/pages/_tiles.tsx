import { COUNTED_MAX, type UnderWay } from "../../store/reads/pages/overview.ts";
import { BASE, type Visit } from "../visit.ts";

export const Tiles = ({ visit, counts }: { visit: Visit; counts: UnderWay }) => (
  <div class="tiles">
    <Tile
      id="count-deposits"
      count={counts.deposits}
      label="deposits confirming"
      path="/deposits?status=detected"
    />
    <Tile
      id="count-withdrawals"
      count={counts.withdrawals}
      label="withdrawals in progress"
      path="/withdrawals"
    />
    {visit.seesAll && (
      <Tile
        id="count-alerts"
        count={counts.alerts}
        label="open alerts"
        path="/alerts"
      />
    )}
  </div>
);

const Tile = (
  { id, count, label, path }: { id: string; count: number; label: string; path: string },
) => (
  <a class="tile" href={BASE + path}>
    <span class="figure" id={id}>{countText(count)}</span> {label}
  </a>
);

export function countText(count: number): string {
  return count >= COUNTED_MAX ? `${COUNTED_MAX}+` : String(count);
}
