import { BATCH_BYTES_MAX, BATCH_LINES_MAX } from "../rules/read_file.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import type { Visit } from "../../dashboard/visit.ts";

/** What the page lists; a wrong file is usually wrong in the same way everywhere. */
const FAULTS_MAX = 100;
/** Before the line's number, as the name of a field. */
export const FAULT = "line ";

export const Columns = () => (
  <div id="columns" class="hint">
    <p>
      One payout per line:{" "}
      <code>to_address, amount, reference, currency, network</code>. The first two are required. A
      first line with these names may put them in another order. Separate them with commas,
      semicolons or tabs, and write amounts like <code>12.5</code>.
    </p>
    <p>
      At most {BATCH_LINES_MAX} lines and {BATCH_BYTES_MAX / 1024}{" "}
      KiB. Nothing is paid before you have seen all lines and their sums.
    </p>
  </div>
);

export const Faults = ({ visit: { fault } }: { visit: Visit }) => {
  const lines = [...fault?.fields ?? []].filter(([name]) => name.startsWith(FAULT));
  if (lines.length === 0) return null;
  return (
    <Card title={lines.length === 1 ? "One error" : `${lines.length} errors`}>
      <ul class="faults">
        {lines.slice(0, FAULTS_MAX).map(([name, text]) => (
          <li>
            {name !== `${FAULT}0` && <strong>{`Line ${name.slice(FAULT.length)}: `}</strong>}
            <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
      {lines.length > FAULTS_MAX && (
        <p>{`And ${lines.length - FAULTS_MAX} more, shown once these are corrected.`}</p>
      )}
    </Card>
  );
};
