import { nobodys } from "../../operations/owners.ts";
import type { MigrationReport } from "../../store/upkeep/migrate.ts";
import { command } from "../../operations/command.ts";
import { operation } from "../../operations/operation.ts";
import { findExplained, helpShape, renderCommand, renderOverview } from "../help.ts";
import { untilEnded } from "../../operations/until_ended.ts";
import { VERSION } from "../../domain/version.ts";

export const SERVE_COMMAND = command({
  words: ["serve"],
  here: "it is the server",
  summary: "Serves the API and follows the chains until it is stopped",
  flags: {},
  examples: ["serve"],
  run: async (context) => {
    const { host } = context;
    const server = await host.serve();
    // Before the "Listening" line: whoever reads it may stop the server at once.
    const stopped = host.untilStopped();
    const { url, created, dashboardUrl } = server;
    if (created) context.note(created);
    const setUpUrl = await server.setUpUrl();
    const lines = [
      `Listening on ${url}`,
      ...(dashboardUrl === null ? [] : [`Dashboard at ${dashboardUrl}`]),
      ...(setUpUrl === null ? [] : [`Create the first operator here, once: ${setUpUrl}`]),
    ];
    const shape = { url, dashboard_url: dashboardUrl, set_up_url: setUpUrl };
    context.answer(shape, () => lines.map((line) => `${line}\n`).join(""));
    await untilEnded(server, stopped).finally(server.stop);
  },
});

export const VERSION_COMMAND = operation({
  words: ["version"],
  reads: "see",
  of: nobodys,
  summary: "Shows the version; so does --version",
  flags: {},
  examples: ["version"],
  run: () => {
    const { deno } = Deno.version;
    return Promise.resolve({ version: VERSION, deno, target: Deno.build.target });
  },
});

export const MIGRATE_COMMAND = command({
  words: ["migrate"],
  here: "it changes the database under a server",
  summary: "Creates the database or brings it up to date; serve does that automatically",
  flags: {},
  examples: ["migrate"],
  run: async (context) => {
    const { created, migrated } = await context.gateway({ mayCreate: true });
    if (created) context.note(created);
    context.answer(migrated, () => `${migratedText(migrated)}\n`);
  },
});

function migratedText({ applied, version }: MigrationReport): string {
  if (applied.length === 0) return `Nothing to do: the database is at version ${version}`;
  if (applied[0]?.startsWith("0001_")) return `The database is new, at version ${version}`;
  const changes = applied.length === 1 ? "1 change" : `${applied.length} changes`;
  return `${changes} applied: the database is at version ${version}`;
}

export const HELP_COMMAND = command({
  words: ["help"],
  here: "it explains commands",
  summary: "Lists the commands, or explains one",
  positionals: [{ name: "COMMAND", help: "a command, such as network add", isRest: true }],
  flags: {},
  examples: ["help network add"],
  run: async (context, { positionals }) => {
    const explained = findExplained(await context.commands(), positionals);
    const { screen } = context.host;
    const text = positionals.length === 0
      ? renderOverview(explained, screen)
      : explained.map((command) => renderCommand(command, screen)).join("\n");
    context.answer(explained.map(helpShape), () => text);
  },
});
