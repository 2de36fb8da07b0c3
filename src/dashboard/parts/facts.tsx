import { Accounts } from "../../accounts/tables/accounts.ts";
import { StrongEnds } from "../../base/strong_ends.tsx";
import type { Child, Component } from "../../base/html.ts";
import { BASE, type Visit } from "../visit.ts";
import { ageText } from "../words/ages.ts";
import { shownAmount, shownQuote } from "../words/amounts.ts";
import { stateWord } from "../words/states.ts";
import { isoUtc } from "../../domain/time.ts";

interface TimeProps {
  readonly atMs: number | null;
  readonly none?: string;
  /** Beside it, how long ago that was. */
  readonly hasAge?: boolean;
}

/** In UTC; scripts show the local time, and UTC on hover. */
export const Time: Component<TimeProps> = ({ atMs, none = "–", hasAge }) => {
  if (atMs === null) return <span class="quiet">{none}</span>;
  const iso = isoUtc(atMs);
  return (
    <time datetime={iso.replace("+00:00", "Z")} data-age={hasAge ? "too" : undefined}>
      {utcText(atMs)}
    </time>
  );
};

/** How long ago it was; the time itself on hover. */
export const Age: Component<{ atMs: number | null; nowMs: number; none?: string }> = (
  { atMs, nowMs, none = "–" },
) => {
  if (atMs === null) return <span class="quiet">{none}</span>;
  const iso = isoUtc(atMs);
  return <time datetime={iso} title={utcText(atMs)} data-age="only">{ageText(nowMs - atMs)}</time>;
};

export function utcText(atMs: number): string {
  const iso = isoUtc(atMs);
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

interface MoneyProps {
  readonly amount: string;
  readonly currency?: string;
  /** The currency of an invoice or a report, which may be a state's: "€19.90". */
  readonly quote?: string;
  /** What is missing is rounded up, so that it and what has come still add up. */
  readonly isMissing?: boolean;
  /** To the nearest, however small: what was paid, or is estimated. */
  readonly isRounded?: boolean;
  /** Of the element that an open page updates, unless all digits are shown. */
  readonly id?: string;
  /** No more are shown. */
  readonly decimals?: number | undefined;
  /** All digits, in as many lines as they take. */
  readonly isWhole?: boolean;
}

/** Points stand below each other in a column; digits that are left out are shown on hover. */
export const Money: Component<MoneyProps> = (props) => {
  const { amount, quote, currency = quote, isMissing, isRounded, id, isWhole } = props;
  const decimals = props.decimals ?? (isRounded ? Infinity : undefined);
  const rounding = isWhole ? "exact" : isMissing ? "up" : isRounded ? "nearest" : "down";
  const ofState = quote === undefined
    ? undefined
    : shownQuote(amount, { currency: quote, rounding });
  const { whole, fraction, exact } = ofState ?? shownAmount(amount, { decimals, isRounded });
  const unit = currency && !ofState && (
    <>
      {" "}
      <small>{currency}</small>
    </>
  );
  if (isWhole) {
    const [units = "", part] = (exact ?? whole + fraction).split(".");
    return (
      <span class="money whole">
        {units}
        <i>{part && `.${part}`}</i>
        {unit}
      </span>
    );
  }
  // A power of ten has no point to align, so it needs no room behind it.
  const shown = id === undefined && whole.includes("×") ? whole : (
    <>
      {whole}
      <i>{fraction}</i>
    </>
  );
  const isPlain = id === undefined && exact === undefined;
  return (
    <span class="money">
      {isPlain ? shown : <span id={id} title={exact}>{shown}</span>}
      {unit}
    </span>
  );
};

/** What fits into the column that a list begins with; more of it on hover, and all on its page. */
const NAME_MAX = 60;
const NAME_TITLE_MAX = 100;

/** What something is called, with a link to it that covers its card on a phone. */
export const Name: Component<{ text: string; href: string }> = ({ text, href }) => {
  const title = text.length <= WHOLE_MAX ? undefined : shortText(text, NAME_TITLE_MAX);
  return (
    <a class="row-link" href={href}>
      <bdi class="cut name" title={title}>{shortText(text, NAME_MAX)}</bdi>
    </a>
  );
};

/** Somebody else's text: as long as it likes, in any direction; complete on hover. */
export const Long: Component<{ text: string; href?: string | undefined }> = ({ text, href }) => {
  const shown = <Cut text={text} />;
  return href === undefined ? shown : <a class="row-link" href={href}>{shown}</a>;
};

/** Shorter ones are never cut. */
const WHOLE_MAX = 20;
/** No column is wider. */
const CUT_MAX = 22;

export const Cut: Component<{ text: string }> = ({ text }) => {
  if (text.length <= WHOLE_MAX) return <bdi class="cut">{text}</bdi>;
  return <bdi class="cut" title={text}>{shortText(text)}</bdi>;
};

export function shortText(text: string, max = CUT_MAX): string {
  return text.length > max ? `${[...text].slice(0, max).join("")}…` : text;
}

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
  "paid",
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
  "stalled",
  "suspended",
  "underpaid",
];
const UNDER_WAY = [
  "partly paid",
  "order cancelled",
  "detected",
  "pending",
  "broadcasted",
  "sweep_pending",
  "behind",
  "waiting",
  "processing",
];

type Tone = "good" | "bad" | "under-way" | "plain";

/** The word carries the meaning; shape and colour only help. */
export const Status: Component<{ value: string; id?: string; tone?: Tone }> = (
  { value, id, tone = toneOf(value) },
) => <span id={id} class={`status ${tone}`}>{stateWord(value)}</span>;

function toneOf(value: string): Tone {
  if (GOOD.includes(value)) return "good";
  if (BAD.includes(value)) return "bad";
  return UNDER_WAY.includes(value) ? "under-way" : "plain";
}

/** A long text to compare: shown short, but complete on hover. A script adds a button to copy it. */
export const Hash: Component<{ text: string; href?: string | undefined; isWhole?: boolean }> = (
  { text, href, isWhole },
) => {
  const shown = isWhole || text.length <= 16 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`;
  const code = <code class={isWhole ? "whole" : undefined} title={text}>{shown}</code>;
  return (
    <span class="hash">
      {href ? <a href={href}>{code}</a> : code}
    </span>
  );
};

/** To pay to, or to compare character by character. */
export const Address: Component<{ text: string }> = ({ text }) => (
  <span class="hash">
    <StrongEnds text={text} />
  </span>
);

/** Visible only if scripts run. */
export const CopyButton: Component<{ text: string; label?: string }> = (
  { text, label = "Copy" },
) => <button type="button" class="copy" data-copy={text} hidden>{label}</button>;

export const AccountLink: Component<{ id: number | null; name?: string | undefined }> = (
  { id, name },
) => <a href={`${BASE}/accounts/${id}`}>{name === undefined ? id : <Cut text={name} />}</a>;

/** All of a page share one look-up. */
export const NamedAccount: Component<{ visit: Visit; id: number | null }> = async (
  { visit, id },
) => {
  if (id === null) return "–";
  const account = await visit.deps.db.find(Accounts, [id]);
  return <AccountLink id={id} name={account?.name} />;
};

export type Fact = readonly [name: string, value: Child];

/** Shown to operators only. */
export function accountFact(visit: Visit, { accountId }: { accountId: number | null }): Fact[] {
  return visit.seesAll ? [["Account", <NamedAccount visit={visit} id={accountId} />]] : [];
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

interface FoldProps {
  readonly title: string;
  /** How many there are. */
  readonly count?: number;
  readonly actions?: Child;
  readonly children?: Child;
  readonly id?: string | undefined;
  readonly isOpen?: boolean | undefined;
}

/** What few look for on a page: it opens with a click. */
export const Fold: Component<FoldProps> = ({ title, count, actions, children, id, isOpen }) => (
  <details class="card fold" id={id} open={isOpen}>
    <summary>
      <h2>{title}</h2> {count !== undefined && <span class="quiet">{count}</span>}
    </summary>
    {actions && <p>{actions}</p>}
    {children}
  </details>
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

/** Nothing here yet, and what comes next. */
export const EmptyState: Component<{ title: string; children?: Child; next?: Child }> = (
  { title, children, next },
) => (
  <div class="empty-state">
    <strong>{title}</strong>
    {children && <p>{children}</p>}
    {next && <p class="actions">{next}</p>}
  </div>
);

export const Copied = ({ id, text }: { id: string; text: string }) => (
  <span class="hash">
    <code class="whole" id={id}>{text}</code>
    <CopyButton text={text} />
  </span>
);
