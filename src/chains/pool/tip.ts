import type { BlockRef, Tip, TipOptions } from "../chain.ts";
import { NodeError } from "../faults.ts";
import { sortBranches } from "./branches.ts";
import { finalOf, isRemembered } from "./_finality.ts";
import { readAgreed } from "./agreed.ts";
import type { Answered } from "./asking/survey.ts";
import type { Pool } from "./endpoints.ts";
import { hashAt, type Head } from "./head.ts";
import type { HeadAsked, Named } from "./protocol.ts";
import { chooseHead, type Polled } from "./_choose_head.ts";

/** The highest block that enough endpoints have reached, on the majority's chain. */
export async function readTip<N extends Named>(
  pool: Pool<N>,
  { finalEveryBlocks = 0 }: TipOptions = {},
): Promise<Tip> {
  const together = await askHeads(pool, finalEveryBlocks);
  const { head } = await chooseHead(pool, together);
  pool.followed = { height: head.height, hash: head.hash };
  const final = finalOf(pool, { answered: together, tip: head });
  return {
    height: head.height,
    hash: head.hash,
    atMs: head.atMs,
    finalizedHeight: final ? Math.min(final.height, head.height) : null,
    finalizedAgeMs: final ? Math.max(0, head.atMs - final.atMs) : null,
  };
}

/**
 * Each endpoint also reports its blocks at the last poll's tip and at the others' heads of then.
 * That shows branches, even one that is far ahead of the others.
 */
async function askHeads<N extends Named>(
  pool: Pool<N>,
  finalEveryBlocks: number,
): Promise<readonly Polled<N>[]> {
  const { followed } = pool;
  const known = pool.endpoints.length > 1 ? knownHeights(pool) : [];
  const polled = await poll(pool, { heights: known, finalEveryBlocks, isPatient: false });
  const together = sortOut(pool, { polled, heights: known });
  const isSettled = pool.endpoints.length === 1 ||
    (followed
      ? together.some(({ head }) => hashAt(head, followed.height) === followed.hash)
      : isOneHead(polled));
  if (isSettled) return believed(pool, { polled, together });
  // First poll or change of branch: wait for everyone and ask all about each other's heads.
  const heights = [...new Set([...known, ...polled.map(({ head }) => head.height)])];
  const again = await poll(pool, { heights, finalEveryBlocks, isPatient: true });
  return believed(pool, { polled: again, together: sortOut(pool, { polled: again, heights }) });
}

function knownHeights<N extends Named>(pool: Pool<N>): number[] {
  const { followed, endpoints } = pool;
  const heads = endpoints.filter((one) => isRemembered(pool, one))
    .flatMap(({ seen }) => seen.head?.height ?? []);
  return [...new Set([...followed ? [followed.height] : [], ...heads])];
}

async function poll<N extends Named>(
  pool: Pool<N>,
  { isPatient, ...asked }: Omit<HeadAsked, "expected"> & { isPatient: boolean },
): Promise<Polled<N>[]> {
  const { followed, expected } = pool;
  for (const { seen } of pool.endpoints) seen.silentSinceMs ??= pool.nowMs();
  const answers = await pool.survey(async (node, { seen }) => {
    const askedAtMs = pool.nowMs();
    seen.head = await pool.protocol.headOn(node, { ...asked, expected });
    seen.headSeenAtMs = pool.nowMs();
    seen.headAskedAtMs = askedAtMs;
    seen.silentSinceMs = null;
    return seen.head;
  }, { isPatient });
  const late = lateAnswers(pool, answers);
  return [...answers, ...late].map((answer) => {
    const { endpoint, value: head } = answer;
    const agrees = followed !== undefined && hashAt(head, followed.height) === followed.hash;
    return {
      endpoint,
      head,
      order: pool.endpoints.indexOf(endpoint),
      isContradicted: !agrees && pool.isContradicted(endpoint),
      isLate: late.includes(answer),
    };
  });
}

/** Of those that are still being asked the last one counts, or the quick ones would decide alone. */
function lateAnswers<N extends Named>(
  pool: Pool<N>,
  answers: readonly Answered<N, Head>[],
): Answered<N, Head>[] {
  const answered = new Set(answers.map(({ endpoint }) => endpoint));
  return pool.endpoints.flatMap((endpoint) => {
    const { seen: { head, isBeingAsked } } = endpoint;
    const isLate = isBeingAsked && !answered.has(endpoint) && isRemembered(pool, endpoint);
    return head && isLate && !endpoint.unfitness() ? [{ endpoint, value: head }] : [];
  });
}

function isOneHead<N extends Named>(polled: readonly Polled<N>[]): boolean {
  const [first] = polled;
  return polled.every(({ head }) =>
    head.hash === first?.head.hash && head.height === first.head.height
  );
}

function sortOut<N extends Named>(
  pool: Pool<N>,
  { polled, heights }: { polled: readonly Polled<N>[]; heights: readonly number[] },
): readonly Polled<N>[] {
  const all = [...heights, ...polled.map(({ head }) => head.height)];
  return sortBranches(polled, { heights: all, followed: pool.followed });
}

function believed<N extends Named>(
  pool: Pool<N>,
  { polled, together }: { polled: readonly Polled<N>[]; together: readonly Polled<N>[] },
): readonly Polled<N>[] {
  if (together.length === 0) {
    const hosts = polled.map(({ endpoint }) => endpoint.host).join(", ");
    throw new NodeError(`Only endpoints answer that others contradicted: ${hosts}`);
  }
  // Earlier answers may be from before a reorganisation, so they decide, but discredit nobody.
  const heard = polled.filter(({ isLate }) => !isLate);
  const agreeing = heard.filter((one) => together.includes(one)).length;
  const isTold = agreeing > 0 && 2 * agreeing >= heard.length;
  for (const one of polled) {
    if (together.includes(one)) pool.acquit(one.endpoint);
    else if (isTold) pool.convict(one.endpoint, one.head.height);
  }
  return together;
}

/** A reorganisation is undone or stops a network by it, so a quorum must agree. */
export async function readRef<N extends Named>(
  pool: Pool<N>,
  height: number,
): Promise<BlockRef | undefined> {
  return await readAgreed(pool, {
    height,
    ask: (node) => pool.protocol.refOn(node, height),
    textOf: (ref) => ref?.hash ?? "",
  });
}

/** An endpoint that doesn't answer is no witness. Late ones are waited for if they could be. */
export async function countWitnesses<N extends Named>(
  pool: Pool<N>,
  { height, hash }: { height: number; hash: string },
): Promise<number> {
  const count = (answers: readonly Answered<N, BlockRef | undefined>[]) =>
    answers.filter(({ value }) => value?.hash === hash).length;
  const ask = (node: N) => pool.protocol.refOn(node, height);
  return count(await pool.survey(ask, { until: (answers) => count(answers) >= pool.quorum }));
}
