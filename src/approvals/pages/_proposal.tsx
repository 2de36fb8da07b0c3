import { changeOf, proposalSentence } from "../../proposals/changes.ts";
import { durationText } from "../../domain/time.ts";
import type { ProposalRow } from "../../proposals/table.ts";
import { accountFact, Card, Facts, Time, utcText } from "../../dashboard/parts/facts.tsx";
import type { Names } from "../../dashboard/parts/payment/names.ts";
import { LookAlike } from "../../dashboard/parts/payment/payout_look.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { Decision } from "./_decision.tsx";

interface Item {
  readonly visit: Visit;
  readonly names: Names;
  readonly row: ProposalRow;
  readonly whyNot: string | null;
}

export const ProposalItem = ({ visit, names, row, whyNot }: Item) => {
  const known = valueOf(row.after, "looksLike");
  const { held } = changeOf(row);
  return (
    <Card id={`proposal-${row.id}`} title={`Proposal ${row.id}`}>
      <p class="whole">
        <strong>{sentence(proposalSentence(row))}</strong>
      </p>
      {typeof known === "string" && <LookAlike address={known} />}
      {held !== undefined && <p class="message warn">{held}</p>}
      <Facts
        rows={[
          ...accountFact(visit, row),
          ["Asked for by", <Asker names={names} row={row} />],
          ["Now", <Fields row={row} of={row.before} />],
          ["Then", <Fields row={row} of={row.after} />],
          ["Expires", <Time atMs={row.expiresAtMs} />],
        ]}
      />
      <Decision visit={visit} path={`/inbox/proposals/${row.id}`} whyNot={whyNot} />
    </Card>
  );
};

const Asker = ({ names, row }: Pick<Item, "names" | "row">) => {
  const { name, ip } = names({ person: row.askedBy, ip: row.askedIp });
  return (
    <>
      {name}
      {ip !== null && (
        <>
          , from <code>{ip}</code>
        </>
      )}, <Time atMs={row.createdAtMs} />
    </>
  );
};

const SHOWN_ABOVE = ["accountId", "looksLike"];

/** Only what differs, if there is something to compare with. */
const Fields = ({ row, of }: { row: ProposalRow; of: object | null }) => {
  if (of === null) return "Nothing";
  const other = of === row.before ? row.after : row.before;
  const fields = Object.entries(of).filter(([name, value]) =>
    !SHOWN_ABOVE.includes(name) &&
    (other === null || name in other && textOf(value) !== textOf(valueOf(other, name)))
  );
  if (fields.length === 0) return "The same";
  return (
    <ul class="plain">
      {fields.map(([name, value]) => (
        <li>
          <span class="quiet">{wordsOf(name)}</span> <bdi class="whole">{shown(name, value)}</bdi>
        </li>
      ))}
    </ul>
  );
};

/** Whose login it is. */
export function loginIn({ before, after }: Pick<ProposalRow, "before" | "after">): string {
  return String(valueOf(after, "email") ?? valueOf(before, "email") ?? "The user");
}

function valueOf(fields: object | null, name: string): unknown {
  return fields && Object.entries(fields).find(([one]) => one === name)?.[1];
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) {
    return value.join(", ") || "any";
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

function shown(name: string, value: unknown): string {
  if (typeof value !== "number" || !name.endsWith("Ms")) return textOf(value);
  return name.endsWith("AtMs") ? utcText(value) : durationText(value);
}

/** "usableAfterMs" as "usable after". */
function wordsOf(name: string): string {
  return name.replace(/Ms$/, "").replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
