import { ApiKeys } from "../../access/tables/keys.ts";
import { actorName } from "./actor.ts";
import { partsOf } from "../rules/names.ts";
import type { AuditRow } from "../table.ts";
import { NamedAccount } from "../../dashboard/parts/facts.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";

interface Props {
  readonly visit: Visit;
  readonly row: AuditRow;
}

/** A person's email, a key's label, the command line or the gateway itself. */
export const Who = async ({ visit, row: { actor, ip } }: Props) => {
  const [kind, id] = partsOf(actor);
  const key = kind === "api" ? await visit.deps.db.find(ApiKeys, [id]) : undefined;
  return (
    <>
      <a href={`${BASE}/audit?${new URLSearchParams({ actor })}`}>
        <bdi class="cut">{key ? `Key "${key.label}"` : await actorName(visit, actor)}</bdi>
      </a>{" "}
      {(key || ip !== null) && (
        <div class="small quiet">
          {key && <NamedAccount visit={visit} id={key.accountId} />}
          {key && ip !== null && " · "}
          {ip}
        </div>
      )}
    </>
  );
};
