import { OperatorError } from "../../domain/refusal.ts";
import { type SystemCalls, systemCalls } from "./native_calls.ts";

const KIND = 0o170000;
const FOLDER = 0o040000;
const ANYBODYS = 0o1002;
const ROOT = 0;
/** Also whoever has no number in this container. */
const NOBODY = 65_534;
const UNKNOWN =
  "its folder is missing, it is a folder itself, or this program may not read and write there";

/** Why a database file can't be opened, and whose it is, as far as this program can find out. */
export function whyClosed(path: string, calls: SystemCalls | null = systemCalls()): string {
  if (!calls) return UNKNOWN;
  const folder = folderOf(path);
  const there = nearestFolder(folder, calls);
  const facts = calls.stat(there);
  if (facts && !isFolder(facts.mode)) return `${there} is not a folder`;
  if (!calls.mayEnter(there)) {
    return `${notAllowed(there, calls)} look into it${advice(there, calls)}`;
  }
  if (there !== folder) return `its folder ${folder} doesn't exist`;
  const file = calls.stat(path);
  if (file && isFolder(file.mode)) return "it is a folder itself";
  for (const name of [path, `${path}-wal`, `${path}-shm`, `${path}.serving`]) {
    const mayUse = calls.mayRead(name) && calls.mayWrite(name);
    if (calls.stat(name) && !mayUse) {
      return `${notAllowed(name, calls)} read and write it${advice(name, calls)}`;
    }
  }
  if (calls.mayWrite(folder)) return UNKNOWN;
  return `${notAllowed(folder, calls)} write there${advice(folder, calls)}`;
}

/**
 * What this program creates, only its own user can read. In the folder of another user, such as
 * that of a service, they couldn't use it, and would learn that only once it is in use.
 */
export function assertOwn(path: string, calls: SystemCalls | null = systemCalls()): void {
  if (!calls) return;
  const there = calls.stat(path) ? path : nearestFolder(folderOf(path), calls);
  const facts = calls.stat(there);
  if (!facts || [calls.userId, ROOT, NOBODY].includes(facts.userId)) return;
  if ((facts.mode & ANYBODYS) === ANYBODYS) return;
  const [owner, self] = [facts.userId, calls.userId].map((id) => userText(id, calls));
  throw new OperatorError(
    `${there} belongs to ${owner}, who couldn't read what this program creates there as ${self}: ` +
      `run it as that user${asUser(facts.userId, calls)}, or give it to this one (chown)`,
  );
}

/** Also one that is there already: a lock, or an update's files, would be the wrong user's. */
export function assertOwnDatabase(path: string, calls: SystemCalls | null = systemCalls()): void {
  // Whoever has served it before may go on.
  const lock = `${path}.serving`;
  assertOwn(calls?.stat(lock) && calls.stat(path) ? lock : path, calls);
}

/** ", for example: sudo -u cpg deno task cpg …" */
function asUser(userId: number, calls: SystemCalls): string {
  const name = calls.userName(userId);
  return name === undefined ? "" : `, for example: sudo -u ${name} deno task cpg …`;
}

/** "root (uid 0)" */
function userText(userId: number, calls: SystemCalls): string {
  const name = calls.userName(userId);
  return name === undefined ? `uid ${userId}` : `${name} (uid ${userId})`;
}

function notAllowed(path: string, calls: SystemCalls): string {
  const { userId, mode } = calls.stat(path) ?? {};
  const whose = userId === undefined || mode === undefined
    ? `${path} is hidden`
    : `${path} belongs to ${userText(userId, calls)} with mode ${octal(mode)}`;
  return `${whose}, and this program, which runs as ${userText(calls.userId, calls)}, may not`;
}

/** What to do about a file or folder that another user may use. */
function advice(path: string, calls: SystemCalls): string {
  const { userId } = calls.stat(path) ?? {};
  if (userId === undefined || userId === ROOT || userId === calls.userId) return "";
  return `: run it as that user${asUser(userId, calls)}`;
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}

function isFolder(mode: number): boolean {
  return (mode & KIND) === FOLDER;
}

export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash) || "/";
}

/** The folder itself, or the one in which it would have to be created. */
export function nearestFolder(folder: string, calls: SystemCalls): string {
  let there = folder;
  // What lies in a folder that this program may not look into isn't seen either.
  while (!calls.stat(there) && there !== "/" && there !== ".") there = folderOf(there);
  return there;
}
