import type { Finding } from "./fuzz.ts";
import { describeRecipe, type Recipe, requestOf, smallestRecipe } from "./recipe.ts";

type Handle = (request: Request, remoteIp: string) => Response | Promise<Response>;

export interface Target {
  readonly handle: Handle;
  /** Faults that were logged since this was last asked. */
  takeFaults(): readonly string[];
}

const ANSWER_MS_MAX = 250;
/** Tries for a request that took too long, because the machine may be busy. */
const TRIES = 4;

interface Shot {
  readonly status: number;
  readonly ms: number;
  /** A fault that no request may cause. */
  readonly wrong: string | undefined;
}

/** Sends them together, and looks closer at each that went wrong. */
export async function shoot(target: Target, recipes: readonly Recipe[]): Promise<Finding[]> {
  const shots = await Promise.all(recipes.map((recipe) => send(target, recipe)));
  const faults = target.takeFaults();
  const findings: Finding[] = [];
  for (const [i, shot] of shots.entries()) {
    const finding = await findingOf(target, { recipe: recipes[i]!, shot });
    if (finding) findings.push(finding);
  }
  if (faults.length > 0 && findings.length === 0) {
    findings.push({
      what: `It logged ${faults[0]}`,
      reproduction: recipes.slice(0, 5).map(describeRecipe).join("\n"),
    });
  }
  return findings;
}

async function send(target: Target, recipe: Recipe): Promise<Shot | undefined> {
  const request = requestOf(recipe);
  if (!request) return undefined;
  const startedAt = performance.now();
  try {
    const response = await target.handle(request, recipe.ip);
    const isStream = response.headers.get("content-type") === "text/event-stream";
    if (isStream) await response.body!.cancel();
    else await response.arrayBuffer();
    const { status } = response;
    const wrong = status === 500
      ? "500"
      : response.headers.get("x-request-id")
      ? undefined
      : `${status} without X-Request-Id`;
    return { status, wrong, ms: performance.now() - startedAt };
  } catch (error) {
    const wrong = `It threw ${error instanceof Error ? error.stack : error}`;
    return { status: 0, wrong, ms: performance.now() - startedAt };
  }
}

async function findingOf(
  target: Target,
  { recipe, shot }: { recipe: Recipe; shot: Shot | undefined },
): Promise<Finding | undefined> {
  if (shot?.wrong) {
    const isSame = async (smaller: Recipe) =>
      firstLine((await send(target, smaller))?.wrong) === firstLine(shot.wrong);
    // A fault that happens only once, or only among others, is reported with its own request.
    const least = await isSame(recipe) ? await smallestRecipe(recipe, isSame) : recipe;
    target.takeFaults();
    return {
      what: `${shot.wrong} for ${nameOf(recipe)}`,
      reproduction: describeRecipe(least),
    };
  }
  if (!shot || shot.ms <= ANSWER_MS_MAX || isPatient(recipe, shot)) return undefined;
  const ms = await leastMs(target, recipe);
  if (ms <= ANSWER_MS_MAX) return undefined;
  const isSlow = async (smaller: Recipe) => await leastMs(target, smaller) > ANSWER_MS_MAX;
  const least = await smallestRecipe(recipe, isSlow);
  return {
    what: `${Math.round(ms)} ms for ${nameOf(recipe)}`,
    reproduction: describeRecipe(least),
  };
}

/** Sends it alone, and takes the fastest of a few: among others it would wait for them. */
async function leastMs(target: Target, recipe: Recipe): Promise<number> {
  let ms = Infinity;
  for (let tries = 0; tries < TRIES && ms > ANSWER_MS_MAX; tries++) {
    ms = Math.min(ms, (await send(target, recipe))?.ms ?? 0);
  }
  return ms;
}

/** A password is slow to check on purpose, and in another thread. */
const PASSWORDS = /^\/dashboard\/(sign-in|prove|set-up|profile)\b/;

/** Its answer waits for somebody else, or is slow on purpose. */
function isPatient({ method, target }: Recipe, { status }: Shot): boolean {
  if (method === "POST" && PASSWORDS.test(target)) return true;
  if (method === "POST" && target.startsWith("/v1/webhooks")) return status === 200;
  return method === "POST" && target.startsWith("/v1/withdrawals") && [200, 502].includes(status);
}

function firstLine(text: string | undefined): string | undefined {
  return text?.split("\n")[0];
}

function nameOf({ method, target }: Recipe): string {
  return `${method} ${target.slice(0, 200)}`;
}
