/** The parts of docs/*.md that follow from endpoints and commands: deno task openapi writes them. */
import hookPhp from "../docs/examples/php/hook.php" with { type: "text" };
import hookPython from "../docs/examples/python/hook.py" with { type: "text" };
import checkout from "../docs/examples/node/checkout.mjs" with { type: "text" };
import shop from "../docs/examples/node/shop.mjs" with { type: "text" };
import { SDK_FILE } from "../src/domain/sdk_file.ts";
import { allCommands } from "../src/cli/command_table.ts";
import { permissionsOf } from "../src/http/endpoint.ts";
import { refusalAnswers } from "../src/http/error_table.ts";
import { UNIT } from "../src/http/openapi/json_schema.ts";
import { limitsOf, type Named, resolved, type Schema, shapeOf } from "../src/docs/json_schema.ts";
import { eventsOf, type Operation, operationsOf } from "../src/docs/reference.ts";
import { nameOf } from "../src/operations/operation.ts";

export const WRITTEN_DOCS = ["docs/api.md", "docs/operate.md", "docs/shop.md", "docs/webhooks.md"];

const COMMANDS = await allCommands();

const PARTS: Readonly<Record<string, () => string>> = {
  commands: commandTable,
  endpoints: endpointTable,
  fields: fieldLists,
  errors: errorTable,
  events: eventTable,
  hookPython: () => `\`\`\`python\n${hookPython}\`\`\``,
  hookPhp: () => `\`\`\`php\n${hookPhp}\`\`\``,
};

/** Replaces what is between `<!-- written: NAME -->` and `<!-- end -->`, and the SDK's version. */
export function withTables(markdown: string): string {
  return markdown.replace(/cpg-sdk-\d+\.\d+\.\d+\.tgz/g, SDK_FILE).replace(
    /(<!-- written: (\w+) -->\n)[^]*?(\n<!-- end -->)/g,
    (_, begin, name, end) => `${begin}\n${PARTS[name]?.() ?? functionOf(name)}\n${end}`,
  );
}

/** A function of one of the shops, with the comment above it. */
function functionOf(name: string): string {
  const declared = new RegExp(`^(?://.*\n)*(?:async )?function ${name}\\([^]*?^}$`, "m");
  const found = declared.exec(shop) ?? declared.exec(checkout);
  if (!found) throw new Error(`The shops have no function ${name}`);
  return `\`\`\`js\n${found[0]}\n\`\`\``;
}

function tableOf(head: readonly string[], rows: readonly (readonly (number | string)[])[]): string {
  const line = (cells: readonly (number | string)[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** In the order of `help --json`, but for what it lists of one noun in several places. */
function commandTable(): string {
  const byNoun = Map.groupBy(COMMANDS, ({ words }) => words[0]);
  return tableOf(
    ["Command", "What it does"],
    [...byNoun.values()].flat().map((command) => [
      `\`${[nameOf(command), ...command.positionals.map(({ name }) => name)].join(" ")}\``,
      command.summary,
    ]),
  );
}

function endpointTable(): string {
  return tableOf(
    ["Endpoint", "Permission"],
    operationsOf().map(({ endpoint }) => [
      `${endpoint.method} ${endpoint.path}`,
      permissionsOf(endpoint).join(", "),
    ]),
  );
}

function fieldLists(): string {
  return operationsOf().map((operation) => {
    const { method, path } = operation.endpoint;
    return [`### ${method} ${path}\n`, ...sentences(operation)].join("\n");
  }).join("\n\n");
}

function sentences({ endpoint, parameters, body, answer, named }: Operation): string[] {
  const query = parameters.filter((one) => one.in === "query")
    .map(({ name, schema }) => fieldText(name, { schema, named, hasValues: true }));
  const found = endpoint.list ? answer.properties?.data?.items : answer.properties?.data;
  const data = resolved(found ?? {}, named);
  const kinds = [...new Set((data.anyOf ?? [data]).map((kind) => fieldsText(kind, named)))];
  return [
    ...query.length > 0 ? [`- Query: ${query.join(", ")}`] : [],
    ...body ? [`- Body: ${bodyText(body, named)}`] : [],
    ...kinds.some((kind) => kind !== "")
      ? [`- ${endpoint.list ? "Each row" : "Data"}: ${kinds.join("; or ")}`]
      : [],
  ];
}

function bodyText(body: Schema, named: Named): string {
  const names = Object.keys(body.properties ?? {});
  const isRequired = (name: string) => body.required?.includes(name) ?? false;
  const textOf = (name: string) =>
    fieldText(name, { schema: body.properties![name]!, named, hasValues: true });
  const optional = names.filter((name) => !isRequired(name)).map(textOf);
  const required = names.filter(isRequired).map(textOf);
  if (optional.length === 0) return required.join(", ");
  const maybe = `optionally ${optional.join(", ")}`;
  return required.length === 0 ? maybe : `${required.join(", ")}; ${maybe}`;
}

function fieldsText(schema: Schema, named: Named, hasValues = false): string {
  return Object.entries(resolved(schema, named).properties ?? {})
    .map(([name, one]) => fieldText(name, { schema: one, named, hasValues }))
    .join(", ");
}

function fieldText(
  name: string,
  { schema, named, hasValues = false }: { schema: Schema; named: Named; hasValues?: boolean },
): string {
  const shape = shapeOf(schema, named);
  if (shape.fields) {
    const inside = Object.keys(shape.fields).map((field) => `\`${field}\``);
    return `\`${name}\` (${shape.text}: ${inside.join(", ")})`;
  }
  const { values } = shape;
  if (hasValues && values.length > 0) {
    return `\`${name}\` (${values.map((value) => `\`${value}\``).join(", ")})`;
  }
  const hasUnit = hasValues && schema[UNIT] !== undefined;
  return hasUnit ? `\`${name}\` (${limitsOf(schema).join(", ")})` : `\`${name}\``;
}

function errorTable(): string {
  return tableOf(
    ["Status", "`code`", "`message`", "What to do"],
    refusalAnswers().map(({ status, code, message, advice }) => [
      status,
      `\`${code}\``,
      message,
      advice,
    ]),
  );
}

function eventTable(): string {
  const events = eventsOf().map(({ type, schema, named }) => ({
    type: `\`${type}\``,
    fields: fieldsText(resolved(schema, named).properties!.data!, named, true),
  }));
  const byFields = Map.groupBy(events, ({ fields }) => fields);
  return [...byFields].map(([fields, some]) =>
    `- ${some.map(({ type }) => type).join(", ")}: ${fields}`
  ).join("\n");
}
