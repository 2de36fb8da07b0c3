import type { Component } from "../../base/html.ts";
import { Time } from "../../dashboard/parts/facts.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import type { NetworkCursorRow } from "../../following/table.ts";
import { lagOf, stateOf } from "../../networks/pages/network_state.ts";
import { networkHealth } from "../../networks/reads/health.ts";
import { answeredAtMs } from "../../networks/rules/network_health.ts";
import type { NetworkRow } from "../../networks/table.ts";

/** How far a network is read, and what that means for a payment that isn't there. */
export const Reading: Component<{
  visit: Visit;
  network: NetworkRow;
  cursor: NetworkCursorRow | undefined;
}> = ({ visit, network, cursor }) => {
  const { name } = network;
  const state = stateOf(network, cursor, visit.nowMs);
  if (state === "off") {
    return <p class="message warn">{name} is switched off: no blocks are read.</p>;
  }
  if (!cursor) return <p class="message warn">No block of {name} has been read yet.</p>;
  if (state === "halted") {
    return (
      <p class="message fault">
        {name} is halted at block{" "}
        {cursor.scanHeight}. Later payments appear once it is resumed. Nothing is lost.
      </p>
    );
  }
  if (state === "silent" && answeredAtMs(cursor) === null) {
    return (
      <p class="message fault">
        The node of {name} has never answered. Payments appear once it does. Nothing is lost.
      </p>
    );
  }
  if (state === "silent") {
    return (
      <p class="message fault">
        The node of {name} has not answered since <Time atMs={cursor.updatedAtMs} />. Blocks up to
        {" "}
        {cursor.scanHeight} are read; later payments appear once it answers. Nothing is lost.
      </p>
    );
  }
  if (state === "stalled") {
    return (
      <p class="message fault">
        The newest block of {name} is from <Time atMs={cursor.tipAtMs} />. Blocks up to{" "}
        {cursor.scanHeight} are read; later payments appear with the next blocks. Nothing is lost.
      </p>
    );
  }
  const behind = lagOf(cursor, visit.nowMs) ?? 0;
  return (
    <p class="quiet">
      {name} is read up to block {cursor.scanHeight}
      {behind > 0 ? `, ${behind} behind the newest` : ", the newest"}.
    </p>
  );
};

export const Readings: Component<{ visit: Visit; networks: readonly NetworkRow[] }> = async (
  { visit, networks },
) => {
  const cursors = await networkHealth(visit.deps.db);
  return networks.filter(({ isActive }) => isActive).map((network) => (
    <Reading
      visit={visit}
      network={network}
      cursor={cursors.find((one) => one.network === network.code)}
    />
  ));
};
