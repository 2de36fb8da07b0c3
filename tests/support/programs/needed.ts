/** What tests need besides Deno, and what is left out where it is missing. */

interface Need {
  /** One of these, on the PATH. */
  readonly programs: readonly string[];
  /** Of Debian and Ubuntu. */
  readonly packages: string;
}

/** Other programs are in packages of their own name. */
const NEEDS: Readonly<Record<string, Need>> = {
  Chromium: {
    // The same browser without windows takes half the time.
    programs: ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"],
    packages: "chromium-headless-shell",
  },
  script: { programs: ["script"], packages: "bsdutils" },
  node: { programs: ["node"], packages: "nodejs" },
  php: { programs: ["php"], packages: "php-cli" },
  go: { programs: ["go"], packages: "golang-go" },
};

/** A folder in which each test that is left out adds to the file of what it needs. */
const LEFT_OUT = "TESTS_LEFT_OUT";

export function packagesOf(needed: string): string {
  return NEEDS[needed]?.packages ?? needed;
}

/** Where it is; undefined if it isn't there. */
export async function findProgram(needed: string): Promise<string | undefined> {
  const folders = (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "");
  for (const name of NEEDS[needed]?.programs ?? [needed]) {
    for (const folder of folders) {
      const file = await Deno.stat(`${folder}/${name}`).catch(() => undefined);
      if (file?.isFile) return `${folder}/${name}`;
    }
  }
  return undefined;
}

/** Asked once for each test that is ignored without it, or for so many of them. */
export async function hasProgram(needed: string, { tests = 1 } = {}): Promise<boolean> {
  if (await findProgram(needed) !== undefined) return true;
  noteLeftOut(needed, tests);
  return false;
}

export function noteLeftOut(needed: string, tests: number): void {
  const folder = Deno.env.get(LEFT_OUT);
  if (folder === undefined) return;
  Deno.writeTextFileSync(`${folder}/${needed}`, "x".repeat(tests), { append: true });
}

/** How many tests were left out for want of what. */
export async function countLeftOut(folder: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const { name } of Deno.readDir(folder)) {
    counts.set(name, (await Deno.stat(`${folder}/${name}`)).size);
  }
  return counts;
}
