import { ApiKeys } from "../../../access/tables/keys.ts";
import { Users } from "../../../access/tables/users.ts";
import type { Component } from "../../../base/html.ts";
import { PAYER } from "../../../books/trail.ts";
import { BASE, type Visit } from "../../visit.ts";

interface PersonProps {
  readonly visit: Visit;
  /** As in the audit log. */
  readonly actor: string | null;
}

/** Who did it, as far as the reader may know: merchants see their own people, and "the operator". */
export const Person: Component<PersonProps> = async ({ visit, actor }) => {
  const { deps: { db }, accountId } = visit;
  if (actor === PAYER) return "the payer";
  const [, kind, id = ""] = /^(user|api):(.+)$/.exec(actor ?? "") ?? [];
  if (kind === "api") return <KeyName visit={visit} keyId={id} />;
  const user = kind === "user" ? await db.find(Users, [Number(id)]) : undefined;
  if (accountId !== null && user?.accountId !== accountId) return "the operator";
  if (!user) return <bdi>{actor ?? "somebody"}</bdi>;
  const name = <bdi class="whole">{user.email}</bdi>;
  return visit.may("GET", "/users") ? <a href={`${BASE}/users`}>{name}</a> : name;
};

export const KeyName: Component<{ visit: Visit; keyId: string }> = async ({ visit, keyId }) => {
  const key = await visit.deps.db.find(ApiKeys, [keyId]);
  if (!visit.seesAll && key?.accountId !== visit.accountId) return "the operator";
  const account = visit.seesAll && key ? `?account=${key.accountId}` : "";
  return (
    <>
      API key{" "}
      <a href={`${BASE}/keys${account}`}>
        <bdi>{key?.label ?? keyId}</bdi>
      </a>{" "}
      <code class="whole">{keyId}</code>
    </>
  );
};
