/** Asks without creating a file. */
export async function isThere(path: string): Promise<boolean> {
  return await attach(path, { mode: "ro" }).then(() => true, (error) => {
    // For a damaged file the message is the same, but the code differs.
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
