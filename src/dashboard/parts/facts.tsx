import type { Child, Component } from "../../base/html.ts";
import { isoUtc } from "../../domain/time.ts";
import { BASE, type Visit } from "../visit.ts";

/** Shows minutes; the title and machines get the full time. */
export const Time: Component<{ atMs: number | null; none?: string }> = ({ atMs, none = "–" }) => {
  if (atMs === null) return <span class="quiet">{none}</span>;
  const iso = isoUtc(atMs);
  return (
    <time datetime={iso} title={iso}>
      {iso.slice(0, 10)} <span class="quiet">{iso.slice(11, 16)}</span>
    </time>
  );
};

/** Aligns digits, and shows the unit less prominently than the number. */
export const Money: Component<{ amount: string; currency?: string; id?: string }> = (
  { amount, currency, id },
) => (
  <span class="money">
    <span id={id}>{amount}</span>
    {currency && <span class="quiet">{` ${currency}`}</span>}
  </span>
);

const GOOD = [
  "confirmed",
  "swept",
  "settled",
  "ok",
  "active",
  "delivered",
  "on",
  "enabled",
  "done",
];
const BAD = [
  "failed",
  "failing",
  "halted",
  "dead",
  "revoked",
  "disabled",
  "parked",
  "low",
  "empty",
  "silent",
  "suspended",
];
const UNDER_WAY = ["detected", "pending", "broadcasted", "sweep_pending", "behind", "waiting"];

/** The word carries the meaning; the colour only helps. */
export const Status: Component<{ value: string; id?: string }> = ({ value, id }) => (
  <span id={id} class={`status ${toneOf(value)}`}>{value.replaceAll("_", " ")}</span>
);

function toneOf(value: string): string {
  if (GOOD.includes(value)) return "good";
  if (BAD.includes(value)) return "bad";
  return UNDER_WAY.includes(value) ? "under-way" : "plain";
}

/** A long text to compare and copy: shown short, but complete on hover and for the clipboard. */
export const Hash: Component<{ text: string; href?: string | undefined; isWhole?: boolean }> = (
  { text, href, isWhole },
) => {
  const shown = isWhole || text.length <= 16 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`;
  const code = <code class={isWhole ? "whole" : undefined} title={text}>{shown}</code>;
  return (
    <span class="hash">
      {href ? <a href={href}>{code}</a> : code}
      <CopyButton text={text} />
    </span>
  );
};

/** Visible only if scripts run. */
export const CopyButton: Component<{ text: string; label?: string }> = ({ text, label }) => (
  <button
    type="button"
    class="copy"
    data-copy={text}
    hidden
    aria-label={label ? undefined : "Copy"}
  >
    {label ?? "Copy"}
  </button>
);

export const AccountLink: Component<{ id: number | null }> = ({ id }) => (
  <a href={`${BASE}/accounts/${id}`}>{id}</a>
);

type Fact = readonly [name: string, value: Child];

/** Shown to operators only. */
export function accountFact(visit: Visit, { accountId }: { accountId: number | null }): Fact[] {
  return visit.seesAll ? [["Account", <AccountLink id={accountId} />]] : [];
}

/** Names and values of one thing. */
export const Facts: Component<{ rows: readonly Fact[] }> = ({ rows }) => (
  <dl class="facts">
    {rows.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

export const Card: Component<{ title?: string; actions?: Child; children?: Child; id?: string }> = (
  { title, actions, children, id },
) => (
  <section class="card" id={id}>
    {title && (
      <div class="card-title">
        <h2>{title}</h2>
        {actions}
      </div>
    )}
    {children}
  </section>
);

export const Empty: Component<{ children?: Child }> = ({ children }) => (
  <p class="empty">{children}</p>
);
