import { makeDatabaseFolder } from "./folder.ts";
import { type Sqld, startSqld } from "./sqld.ts";
import { MIGRATED, type Template } from "./template.ts";

export const TEST_MASTER_KEY = "11".repeat(32);

/** "file", or "sqld" for the same tests on a real database server that asks for a token. */
const KIND = Deno.env.get("CPG_TEST_DATABASE") ?? "file";

/** A database of the test's own, as the environment of a gateway names it. */
export interface Place extends AsyncDisposable {
  readonly env: {
    readonly CPG_DATABASE_URL: string;
    readonly CPG_DATABASE_TOKEN: string;
    readonly CPG_MASTER_KEY: string;
  };
  readonly remove: () => Promise<void>;
}

interface PlaceOptions {
  /** The present migrations are applied; otherwise nothing is there yet. */
  readonly isMigrated?: boolean;
  /** It begins as a copy of this one. */
  readonly template?: Template | undefined;
}

function templateIn({ isMigrated = false, template }: PlaceOptions): Template | undefined {
  return template ?? (isMigrated ? MIGRATED : undefined);
}

export function makePlace(options: PlaceOptions = {}): Promise<Place> {
  if (KIND === "sqld") return makeServerPlace(options);
  if (KIND === "file") return makeFilePlace(options);
  throw new Error(`CPG_TEST_DATABASE is file or sqld, not ${KIND}`);
}

export async function makeFilePlace(options: PlaceOptions = {}): Promise<Place> {
  const folder = await makeDatabaseFolder("cpg-test-");
  await templateIn(options)?.copyToFile(folder);
  const url = `file:${folder}/cpg.db`;
  return placeOf({ url, token: "", remove: () => Deno.remove(folder, { recursive: true }) });
}

interface ServerPlace extends Place {
  readonly sqld: Sqld;
}

export async function makeServerPlace(options: PlaceOptions = {}): Promise<ServerPlace> {
  const sqld = await startSqld({ isGuarded: true, fill: templateIn(options)?.copyToServer });
  const { url, token } = sqld;
  const place = placeOf({ url, token, remove: async () => await sqld[Symbol.asyncDispose]() });
  return { ...place, sqld };
}

function placeOf(
  { url, token, remove }: { url: string; token: string; remove: () => Promise<void> },
): Place {
  const env = {
    CPG_DATABASE_URL: url,
    CPG_DATABASE_TOKEN: token,
    CPG_MASTER_KEY: TEST_MASTER_KEY,
  };
  return { env, remove, [Symbol.asyncDispose]: remove };
}
