import type { Endpoints } from "../endpoints.ts";
import type { Rpc } from "../rpc.ts";

interface Said {
  /** What is said of most batches. */
  readonly isUsual: boolean;
}

/**
 * One endpoint's word, if it is what is usually said. Otherwise all are asked, and one that says
 * something usual is believed: what follows from the other word is dearer, for every account.
 */
export async function usuallySaid<T extends Said>(
  endpoints: Endpoints,
  ask: (rpc: Rpc) => Promise<T>,
): Promise<T> {
  const said = await endpoints.read(ask);
  if (said.isUsual) return said;
  const answers = await endpoints.each(ask, { until: (it) => it.ok && it.value.isUsual });
  const usual = answers.find((it) => it.ok && it.value.isUsual);
  return usual?.ok ? usual.value : said;
}
