export const NOTICE_TOPICS = ["alerts", "approvals", "payouts", "security"] as const;
export type NoticeTopic = typeof NOTICE_TOPICS[number];

export const RECEIVER_KINDS = ["email", "telegram", "webhook"] as const;
export type ReceiverKind = typeof RECEIVER_KINDS[number];

const SECOND_MS = 1_000;
/** A burst is over after this much silence, or it is long enough for a message of its own. */
const QUIET_MS = 10 * SECOND_MS;
const COLLECTED_MAX_MS = 60 * SECOND_MS;
export const REMINDER_MS = 24 * 3_600 * SECOND_MS;

const RETRY_FIRST_MS = 15 * SECOND_MS;
const RETRY_MAX_MS = 300 * SECOND_MS;

interface Interest {
  /** Null: an operator's. */
  readonly accountId: number | null;
  readonly topics: readonly NoticeTopic[];
}

interface About {
  /** Null: it concerns operators only. */
  readonly accountId: number | null;
  readonly topic: NoticeTopic;
}

export function concerns({ accountId, topics }: Interest, notice: About): boolean {
  const isTheirs = accountId === null || accountId === notice.accountId;
  return isTheirs && topics.includes(notice.topic);
}

/** Whether notices that were written between these times are a message now. */
export function isCollected(
  { firstAtMs, lastAtMs, nowMs }: { firstAtMs: number; lastAtMs: number; nowMs: number },
): boolean {
  // A clock that was set back must not keep them for ever.
  if (nowMs < firstAtMs) return true;
  return nowMs - lastAtMs >= QUIET_MS || nowMs - firstAtMs >= COLLECTED_MAX_MS;
}

export function retryMs(failures: number): number {
  return Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(failures - 1, 10));
}

/**
 * What waits for a decision is a message of its own, so that its subject says so, whatever else has
 * happened, and no flood of payouts that wait takes the place of an alert.
 */
export function decisionsApart<N extends About>(
  notices: readonly N[],
): { decisions: N[]; rest: N[] } {
  const decisions = notices.filter(({ topic }) => topic === "approvals");
  return { decisions, rest: notices.filter(({ topic }) => topic !== "approvals") };
}

/** Nobody hides an alert behind a flood of their own payments or keys: a message has an end. */
export function mostUrgentFirst<N extends About>(notices: readonly N[]): N[] {
  return notices.toSorted((a, b) => urgencyOf(a) - urgencyOf(b));
}

function urgencyOf({ topic, accountId }: About): number {
  if (topic === "alerts") return accountId === null ? 0 : 1;
  return topic === "security" ? 2 : 3;
}

interface Told {
  readonly title: string;
  readonly text: string;
  readonly createdAtMs: number;
}

export interface NoticeMessage {
  readonly subject: string;
  readonly text: string;
}

/** Telegram takes 4,096 characters. */
const TEXT_MAX = 3_500;
const LINE_MAX = 500;
const SUBJECT_MAX = 120;

/** One message for all of them, in this order. What doesn't fit is counted. */
export function messageOf(
  notices: readonly Told[],
  { link, isTest = false }: { link: string | null; isTest?: boolean },
): NoticeMessage {
  const [first] = notices;
  const more = notices.length - 1;
  const subject = `${cut(first?.title ?? "", SUBJECT_MAX)}${more > 0 ? ` and ${more} more` : ""}`;
  const pages = notices.map(({ title }) => link === null ? null : pageOf(title, link));
  const end = link === null || !pages.includes(null) ? "" : `\n\n${link}`;
  const lines = linesOf(notices, { pages, max: TEXT_MAX - end.length });
  return { subject: `${isTest ? "CPG test" : "CPG"}: ${subject}`, text: lines + end };
}

/** Of what the title begins with, so that one tap in a mail is enough. */
function pageOf(title: string, link: string): string | null {
  const payout = /^Payout of .+ (?:waits for you|failed): payout (\d{1,15}) /.exec(title)?.[1];
  const proposal = /^Proposal (\d{1,15}) /.exec(title)?.[1];
  if (proposal !== undefined) return `${link}/inbox#proposal-${proposal}`;
  return payout === undefined ? null : `${link}/withdrawals/${payout}`;
}

function linesOf(
  notices: readonly Told[],
  { pages, max }: { pages: readonly (string | null)[]; max: number },
): string {
  const lines: string[] = [];
  let length = 0;
  for (const [i, { title, text, createdAtMs }] of notices.entries()) {
    const time = new Date(createdAtMs).toISOString().slice(0, 19).replace("T", " ");
    const parts = [cut(text, LINE_MAX), pages[i] ?? ""].filter((part) => part !== "");
    const line = [`${time} UTC  ${cut(title, LINE_MAX)}`, ...parts].join("\n");
    length += line.length + 2;
    if (length > max - 40) return [...lines, `… and ${notices.length - i} more`].join("\n\n");
    lines.push(line);
  }
  return lines.join("\n\n");
}

/** One line, by whole characters. */
function cut(text: string, max: number): string {
  const characters = [...text.replaceAll(/\s+/g, " ").trim()];
  return characters.length <= max
    ? characters.join("")
    : `${characters.slice(0, max - 1).join("")}…`;
}
