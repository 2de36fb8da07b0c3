import { invariant, present } from "../base/assert.ts";
import { NoRecord, OperatorError, Refused } from "../domain/refusal.ts";
import {
  type Asking,
  fieldOf,
  type Flag,
  type Flags,
  type FlagValues,
  type Input,
  labelOf,
  NO_TERMINAL,
  type Operation,
  UsageError,
} from "../operations/operation.ts";
import type { Proposed } from "../operations/propose.ts";
import { concernsOnly, nobodys, saysWhose } from "../operations/owners.ts";
import type { Fields } from "./form.ts";
import { filled } from "./paths.ts";
import { accountChosen } from "./parts/account.tsx";
import { act, type ActRoute, type Done, done, type Html, type PageRoute } from "./routes.ts";
import { NotFound, type Visit } from "./visit.ts";
import { waitsText } from "../proposals/words.ts";

/** The form has no others. The rest keep their fallback, whatever is sent. */
export interface FieldsOf<F extends Flags> {
  readonly names: readonly (keyof F & string)[];
  /** Those of them that it takes to be filled in, though the operation doesn't. */
  readonly needs?: readonly (keyof F & string)[];
}

interface FormOf<F extends Flags> {
  readonly path: string;
  readonly on: PageRoute;
  readonly isSensitive?: boolean;
  readonly fields?: FieldsOf<F> | ((visit: Visit) => FieldsOf<F>);
  /** What the path names, if that isn't an id. */
  named?(visit: Visit): string;
  /** Refused before the operation is asked for. */
  check?(visit: Visit): Promise<unknown>;
}

interface Said<F extends Flags, A> {
  readonly run?: undefined;
  /** Where the form leads to: ":id" is what its own path names. */
  readonly to: string | ((asked: Input<F>, answer: A) => string);
  /** What is said there, unless dual control made a proposal of it. */
  said(answer: Exclude<A, Proposed>, asked: Input<F>, visit: Visit): string | Promise<string>;
}

/** The form shows more than the operation answers, so it calls the same action itself. */
interface Shown<F extends Flags> {
  run(visit: Visit, asked: Input<F>): Promise<Done | Html>;
}

/** A form of an operation, for those who may ask for it. Its page lays out the fields. */
export function formOf<F extends Flags, A>(
  operation: Operation<F, A>,
  form: FormOf<F> & (Said<F, A> | Shown<F>),
): ActRoute {
  const { path, on, isSensitive, fields = { names: [] } } = form;
  return act({
    path,
    ability: present(operation.changes, "A form changes something"),
    on,
    operation,
    isUrgent: operation.isUrgent === true,
    ...isSensitive === undefined ? {} : { isSensitive },
    run: async (visit) => {
      const named = () => form.named ? form.named(visit) : String(visit.id());
      const positionals = operation.positionals.length === 0 ? [] : [named()];
      const account = operation.flags.account && { account: (await accountChosen(visit)).id };
      await mustExist(visit, operation, { flags: { ...account }, positionals });
      await form.check?.(visit);
      const typed = flagsIn(
        visit,
        operation,
        typeof fields === "function" ? fields(visit) : fields,
      );
      const input = { flags: { ...typed, ...account } as FlagValues<F>, positionals };
      if (form.run) return await form.run(visit, input);
      const answer = await ask(visit, operation, input);
      const text = isProposed(answer)
        ? waitsText({ id: answer.proposal_id })
        : await form.said(answer as Exclude<A, Proposed>, input, visit);
      const to = typeof form.to === "string"
        ? filled(form.to, visit.facts.params)
        : form.to(input, answer);
      return done(to, text);
    },
  });
}

/** The operation's flags as they were typed. All faults are said together. */
function flagsIn<F extends Flags>(
  visit: Visit,
  { flags }: Pick<Operation<F>, "flags">,
  { names, needs = [] }: FieldsOf<F>,
): object {
  const values = visit.form.read((fields) =>
    Object.entries(flags).map(([name, flag]) => [
      name,
      !names.includes(name)
        ? flag.fallback
        : typed(fields, name, needs.includes(name) ? { ...flag, need: "required" } : flag),
    ])
  );
  return Object.fromEntries(values);
}

function typed(fields: Fields, name: string, { kind, need, fallback }: Flag<unknown>): unknown {
  const field = fieldOf(name);
  if (kind.json === "boolean") {
    return fields.ticked(field) || (kind.word === "" ? undefined : false);
  }
  if (need === "repeated") return fields.chosen(field, kind);
  return need === "required"
    ? fields.required(field, kind)
    : fields.optional(field, kind) ?? fallback;
}

/** As the management API does for a key with the user's role. */
async function ask<F extends Flags, A>(
  visit: Visit,
  operation: Operation<F, A>,
  input: Input<F>,
): Promise<A> {
  const { deps, actor, user: { role, accountId } } = visit;
  const asking: Asking = {
    ...NO_TERMINAL,
    actor,
    caller: { role, accountId },
    cursor: undefined,
    deps: () => Promise.resolve(deps),
    answer: () => invariant(false, "A form's operation returns its answer"),
    page: () => {},
    fileOf: () => Promise.resolve(undefined),
    databaseUrl: () => "",
  };
  try {
    return await operation.run(asking, input);
  } catch (error) {
    if (error instanceof NoRecord) throw new NotFound();
    if (error instanceof Refused && error.code === "role_denied") throw new NotFound();
    if (error instanceof UsageError) throw new OperatorError(inPages(error, operation));
    throw error;
  }
}

/** Another account's and what isn't there get the same answer. */
async function mustExist<F extends Flags>(
  { deps, accountId }: Visit,
  operation: Operation<F>,
  input: Input<Flags>,
): Promise<void> {
  if (accountId !== null) {
    const isOwn = saysWhose(operation) && await concernsOnly(accountId, { deps, operation, input });
    if (!isOwn) throw new NotFound();
  } else if (operation.of && operation.of !== nobodys) {
    if (await operation.of(deps, input.positionals) === undefined) throw new NotFound();
  }
}

/** Flags are fields here. */
function inPages({ message }: UsageError, { flags }: Pick<Operation, "flags">): string {
  return message.replaceAll(
    /--([a-z]+(?:-[a-z]+)*)/g,
    (_, name) => `"${labelOf(name, flags[name])}"`,
  );
}

/** Dual control made one instead. */
function isProposed<A>(answer: A | Proposed): answer is Proposed {
  return typeof answer === "object" && answer !== null && "proposal_id" in answer;
}
