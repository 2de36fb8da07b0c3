import assert from "node:assert/strict";
import type { Route } from "../../../src/dashboard/routes.ts";

/** Without the parts that differ each time the page is loaded. */
export const lasting = (html: string) =>
  html.replace(/Request <code>[^<]*|name="page_id" value="[^"]*"/g, "");

export const filled = ({ path }: Route, ids: Readonly<Record<string, string>>) =>
  path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => ids[name] ?? assert.fail(`${path}: ${name}`));
