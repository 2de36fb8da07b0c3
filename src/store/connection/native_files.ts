import { randomToken } from "../../base/bytes.ts";

/** The only folder where the program itself may make files. */
const OWN_FOLDER = "./data";

/**
 * An empty file that its owner alone may read, where the database may write and this program may not:
 * it takes over the mode of one that is made here.
 */
export async function createPrivately(path: string): Promise<void> {
  const pattern = `${OWN_FOLDER}/mode-${randomToken(8)}`;
  await Deno.mkdir(OWN_FOLDER, { recursive: true });
  (await Deno.open(pattern, { write: true, createNew: true, mode: 0o600 })).close();
  try {
    await attach(path, { modeof: pattern });
  } finally {
    await Deno.remove(pattern);
  }
}

/** Whether the database finds a file there; it makes none. */
export async function isThere(path: string): Promise<boolean> {
  return await attach(path, { mode: "ro" }).then(() => true, (error) => {
    // Of a damaged file the words are the same, and the code is not.
    return error.code !== "SQLITE_CANTOPEN";
  });
}

async function attach(path: string, options: Record<string, string>): Promise<void> {
  const { default: Database } = await import("libsql");
  const name = path.split("/").map(encodeURIComponent).join("/");
  const database = new Database(":memory:");
  try {
    database.exec(`ATTACH 'file:${quoted(name)}?${new URLSearchParams(options)}' AS other`);
  } finally {
    database.close();
  }
}

function quoted(text: string): string {
  return text.replaceAll("'", "''");
}
