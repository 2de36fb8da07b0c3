import { RequestLog, type RequestLogRow } from "../table.ts";
import { SIGNED_LINES } from "../../domain/signed_lines.ts";
import { Card, Facts, Hash, Time } from "../../dashboard/parts/facts.tsx";
import { docsUrlOf } from "../../dashboard/environment.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";

/** The one that the query names; somebody else's is not found. */
export async function shownRequest(visit: Visit): Promise<RequestLogRow | undefined> {
  const text = visit.query.get("show");
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new NotFound();
  return visit.own(await visit.deps.db.find(RequestLog, [Number(text)]));
}

export const Rejected = ({ visit, row }: { visit: Visit; row: RequestLogRow }) => (
  <Card title={`${row.method} ${row.path}`} id="request">
    <p class="message warn">{`HTTP ${row.status}: ${row.message}. ${whyOf(row)}`}</p>
    {row.canonical !== null && <Canonical visit={visit} text={row.canonical} />}
    <Facts
      rows={[
        ["Time", <Time atMs={row.atMs} />],
        ["Query", row.query === "" ? "none" : <code class="whole">{row.query}</code>],
        ["Code", <code>{row.code}</code>],
        ["Key", <code class="whole">{row.keyId}</code>],
        ["From", <code class="whole">{row.ip}</code>],
        ["Request id", <Hash text={row.requestId} isWhole />],
        ["Body", <Body row={row} />],
      ]}
    />
  </Card>
);

/** In words, with what to do. */
function whyOf({ reason, skewS }: RequestLogRow): string {
  switch (reason) {
    case "bad_signature":
      return "These are the five lines that the signature should have covered, as they arrived here.";
    case "clock_skew":
      return skewS === null
        ? "The timestamp must be Unix time in seconds."
        : `The sender's clock was ${Math.abs(skewS)} s ${skewS > 0 ? "ahead" : "behind"}.`;
    case "revoked_key":
      return "The key has been revoked.";
    case "ip_not_listed":
      return "The key may not be used from this address.";
    default:
      return "";
  }
}

/** What the signature was compared with. The signature itself is never kept. */
const Canonical = ({ visit, text }: { visit: Visit; text: string }) => {
  const docs = docsUrlOf(visit.facts);
  return (
    <>
      <div id="canonical">
        <Facts rows={text.split("\n").map((line, i) => [nameOf(i), <Line text={line} />])} />
      </div>
      <p>
        {docs && (
          <>
            Sign the same request on <a href={`${docs}/sign`}>/docs/sign</a> and compare the lines.
            {" "}
          </>
        )}
        If you sign the same five lines, the secret is wrong.
      </p>
    </>
  );
};

function nameOf(line: number): string {
  return `${line + 1}. ${SIGNED_LINES[line]?.[0] ?? "More"}`;
}

const Line = ({ text }: { text: string }) =>
  text === "" ? <span class="quiet">empty</span> : <code class="whole">{text}</code>;

const Body = ({ row: { body, bodyBytes } }: { row: RequestLogRow }) => {
  if (bodyBytes === 0) return "none";
  if (body === null) return `${bodyBytes} bytes that are no text`;
  return (
    <>
      <pre>{body}</pre>
      {bodyBytes > 2_048 && <p class="quiet small">{`The first 2 KiB of ${bodyBytes} bytes`}</p>}
    </>
  );
};
