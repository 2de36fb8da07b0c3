import type { AuditRow } from "../table.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { type Change, changesOf } from "../words/changes.ts";
import { NamedAccount } from "../../dashboard/parts/facts.tsx";

const SHOWN_MAX = 4;

/** Each line is a name, what it was and what it is now. */
export const Changes = ({ visit, row }: { visit: Visit; row: AuditRow }) => {
  const lines = changesOf(row);
  if (lines.length === 0) return <span class="quiet">–</span>;
  if (lines.length <= SHOWN_MAX) return <Lines visit={visit} lines={lines} />;
  return (
    <details>
      <summary>{`${lines.length} fields`}</summary>
      <Lines visit={visit} lines={lines} />
    </details>
  );
};

const Lines = ({ visit, lines }: { visit: Visit; lines: readonly Change[] }) => (
  <dl class="changes">
    {lines.map((line) => (
      <>
        <dt>{line.name}</dt>
        <dd>
          {line.before !== undefined && (
            <>
              <del>{valueOf(visit, line, line.before)}</del>
              {" → "}
            </>
          )}
          {line.before === undefined
            ? valueOf(visit, line, line.after)
            : <ins>{valueOf(visit, line, line.after)}</ins>}
        </dd>
      </>
    ))}
  </dl>
);

function valueOf(visit: Visit, { isAccount }: Change, value: string) {
  if (!isAccount || !/^\d{1,15}$/.test(value)) return <bdi>{value}</bdi>;
  return <NamedAccount visit={visit} id={Number(value)} />;
}
