import { allCommands } from "../cli/command_table.ts";
import type { Operation } from "../operations/operation.ts";
import { once } from "../base/once.ts";

const BASE = "/admin/v1";

/** By path. What needs this machine or a person is only a command. */
export const operations = once(async (): Promise<ReadonlyMap<string, Operation>> =>
  new Map(
    (await allCommands()).flatMap((one) => one.here === undefined ? [[pathOf(one), one]] : []),
  )
);

export function pathOf({ words }: Pick<Operation, "words">): string {
  return [BASE, ...words].join("/");
}

export function methodOf({ reads }: Pick<Operation, "reads">): "GET" | "POST" {
  return reads === undefined ? "POST" : "GET";
}
