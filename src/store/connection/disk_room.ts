import { statfs } from "node:fs/promises";
import { OperatorError } from "../../domain/refusal.ts";
import { isEmbedded } from "./connect.ts";
import { filePathOf } from "./database_folder.ts";

/** Nothing was written: somebody has to make room. */
export class DiskFull extends OperatorError {
  override name = "DiskFull";
}

/** Throws if what is to be written there surely doesn't fit. */
export async function assertRoom(url: string, neededBytes: number): Promise<void> {
  const freeBytes = await freeBytesAt(url);
  if (freeBytes !== undefined && freeBytes < neededBytes) throw await diskFull(url, neededBytes);
}

/** With as much about it as this program can find out. */
export async function diskFull(url: string, neededBytes?: number): Promise<DiskFull> {
  const needs = neededBytes === undefined ? "" : `: ${sizeText(neededBytes)} are needed`;
  return new DiskFull(`${capital(await fullText(url))}${needs}`);
}

/** "the disk of /var/lib/cpg is full (0 bytes are free)" */
export async function fullText(url: string): Promise<string> {
  if (!isEmbedded(url)) return "the disk of the database server is full";
  const freeBytes = await freeBytesAt(url);
  const free = freeBytes === undefined ? "" : ` (${sizeText(freeBytes)} are free)`;
  return `the disk of ${folderOf(url)} is full${free}`;
}

/** Whoever wraps the engine's error keeps it as the cause. */
export function isDiskFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DiskFull || /SQLITE_FULL|disk is full/.test(cause.message)) return true;
  }
  return false;
}

/** Undefined: this program may not ask, or the folder is yet to be created. */
async function freeBytesAt(url: string): Promise<number | undefined> {
  if (!isEmbedded(url)) return undefined;
  try {
    const { bavail, bsize } = await statfs(folderOf(url));
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

function folderOf(url: string): string {
  const path = filePathOf(url);
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash) || "/";
}

const UNITS = [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]] as const;

function sizeText(bytes: number): string {
  const unit = UNITS.find(([, size]) => bytes >= size);
  return unit ? `${(bytes / unit[1]).toFixed(1)} ${unit[0]}` : `${bytes} bytes`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
