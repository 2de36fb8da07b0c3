import { present } from "../../base/assert.ts";
import type { Child, Component } from "../../base/html.ts";
import { fieldOf, labelOf, type Operation } from "../../operations/operation.ts";
import { PAGE_ID } from "../doubles.ts";
import { BASE, type Guest } from "../visit.ts";

interface FormProps {
  readonly visit: Guest;
  readonly action: string;
  readonly children?: Child;
  /** One row instead of a column. */
  readonly isInline?: boolean;
  readonly hasFile?: boolean;
}

/**
 * Every POST of the dashboard starts here, so that no token is missing, a double click counts once,
 * and nobody sees a form that would be refused.
 */
export const Form: Component<FormProps> = ({ visit, action, isInline, hasFile, children }) =>
  visit.may("POST", action) && (
    <form
      method="post"
      action={BASE + action}
      class={isInline ? "inline" : "column"}
      enctype={hasFile ? "multipart/form-data" : undefined}
    >
      <Tokens visit={visit} />
      {children}
    </form>
  );

/** One form for all rows of a table: each button names its own `action`. */
export const RowsForm: Component<{ visit: Guest; children?: Child }> = ({ visit, children }) => (
  <form method="post">
    <Tokens visit={visit} />
    {children}
  </form>
);

const Tokens: Component<{ visit: Guest }> = ({ visit: { facts: { csrf, pageId } } }) => (
  <>
    <input type="hidden" name="csrf" value={csrf} />
    <input type="hidden" name={PAGE_ID} value={pageId} />
  </>
);

interface FieldProps {
  readonly visit: Guest;
  readonly name: string;
  readonly label: string;
  readonly hint?: Child;
  readonly type?: "text" | "password" | "email" | "number" | "search" | "url";
  /** The stored value. */
  readonly value?: string;
  readonly isRequired?: boolean;
  readonly autocomplete?: string;
  readonly inputmode?: "numeric" | "decimal" | "email";
  readonly isFocused?: boolean;
  readonly maxlength?: number;
  readonly isMono?: boolean;
  /** Among other filters, where "optional" goes without saying. */
  readonly isFilter?: boolean;
}

export const Field: Component<FieldProps> = (props) => {
  const { visit, name, label, hint, type = "text", value = "" } = props;
  const fault = visit.fault?.fields.get(name);
  const id = `field-${name}`;
  const isOptional = !props.isRequired && !props.isFilter;
  // Lists filter accounts by id, and a name would find nothing.
  const isId = props.isFilter && props.inputmode === "numeric";
  return (
    <div class="field">
      <label for={id}>{label} {isOptional && <span class="quiet">(optional)</span>}</label>
      <input
        id={id}
        name={name}
        type={type}
        value={type === "password" ? undefined : visit.typed(name, value)}
        required={props.isRequired}
        autocomplete={props.autocomplete ?? "off"}
        inputmode={props.inputmode}
        autofocus={props.isFocused}
        maxlength={props.maxlength}
        pattern={isId ? "\\s*[0-9]*\\s*" : undefined}
        title={isId ? "Enter a number" : undefined}
        class={props.isMono ? "mono" : undefined}
        aria-invalid={fault ? "true" : undefined}
        aria-describedby={describedBy(id, { hint, fault })}
      />
      <Notes id={id} hint={hint} fault={fault} />
    </div>
  );
};

interface FlagFieldsProps {
  readonly visit: Guest;
  readonly operation: Pick<Operation, "flags">;
  readonly names: readonly string[];
  readonly needs?: readonly string[];
  /** What can be chosen, if the flag's kind doesn't say it. */
  readonly options?: Readonly<Record<string, readonly Option[]>>;
  /** What is shown at first. */
  readonly values?: Readonly<Record<string, string>>;
  /** Where somebody types first. */
  readonly focused?: string;
}

/** Fields of an operation's flags. */
export const FlagFields: Component<FlagFieldsProps> = (
  { visit, operation: { flags }, names, needs = [], options = {}, values = {}, focused },
) =>
  names.map((name) => {
    const flag = present(flags[name], `No flag ${name}`);
    const { kind, need, hint } = flag;
    const value = values[name] ?? "";
    const common = { visit, name: fieldOf(name), label: labelOf(name, flag) };
    if (kind.json === "boolean") return <Check {...common} isOn={value === "on"} />;
    const choices = options[name] ?? kind.values?.map((one) => ({ value: one, label: one }));
    if (choices) return <Select {...common} options={choices} value={value} hint={hint} />;
    return (
      <Field
        {...common}
        hint={hint}
        value={value}
        isRequired={need === "required" || needs.includes(name)}
        isMono={MONO.includes(kind.word)}
        isFocused={name === focused}
        {...kind.word === "URL" ? { type: "url" } : {}}
        {...kind.json === "number" ? { inputmode: kind.word === "N" ? "numeric" : "decimal" } : {}}
        {...kind.charsMax === undefined ? {} : { maxlength: kind.charsMax }}
      />
    );
  });

const MONO = ["ADDRESS", "POINTER"];

/** A password manager offers a new one here. */
export const NewPassword: Component<Pick<FieldProps, "visit" | "name" | "label" | "hint">> = (
  { visit, name, label, hint },
) => (
  <Field
    visit={visit}
    name={name}
    label={label}
    type="password"
    autocomplete="new-password"
    hint={hint}
    isRequired
  />
);

interface Option {
  readonly value: string;
  readonly label: string;
  /** How a question words it. */
  readonly said?: string | undefined;
  readonly fee?: string | undefined;
  /** JSON for the script that checks while somebody types. */
  readonly rules?: string | undefined;
}

interface SelectProps {
  readonly visit: Guest;
  readonly name: string;
  readonly label: string;
  readonly options: readonly Option[];
  readonly value?: string;
  readonly hint?: Child;
}

export const Select: Component<SelectProps> = (
  { visit, name, label, options, value = "", hint },
) => {
  const fault = visit.fault?.fields.get(name);
  const id = `field-${name}`;
  const current = visit.typed(name, value);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} aria-describedby={describedBy(id, { hint, fault })}>
        {options.map((option) => <Choice option={option} isChosen={option.value === current} />)}
      </select>
      <Notes id={id} hint={hint} fault={fault} />
    </div>
  );
};

const Choice: Component<{ option: Option; isChosen: boolean }> = ({ option, isChosen }) => (
  <option
    value={option.value}
    selected={isChosen}
    data-said={option.said}
    data-fee={option.fee}
    data-rules={option.rules}
  >
    {option.label}
  </option>
);

interface ChecksProps {
  readonly visit: Guest;
  readonly legend: string;
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly label: Child }[];
  readonly values?: readonly string[];
}

/** Checkboxes with one name. */
export const Checks: Component<ChecksProps> = ({ visit, legend, name, options, values = [] }) => {
  const fault = visit.fault?.fields.get(name);
  const chosen = new Set(visit.fault ? visit.form.values.getAll(name) : values);
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      <div class="boxes">
        {options.map(({ value, label }) => (
          <label>
            <input type="checkbox" name={name} value={value} checked={chosen.has(value)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
      {fault && <p class="field-fault">{fault}</p>}
    </fieldset>
  );
};

/** A single checkbox. */
export const Check: Component<{ visit: Guest; name: string; label: Child; isOn?: boolean }> = (
  { visit, name, label, isOn = false },
) => (
  <label class="check">
    <input
      type="checkbox"
      name={name}
      value="on"
      checked={visit.fault ? visit.form.values.has(name) : isOn}
    />
    <span>{label}</span>
  </label>
);

interface SubmitProps {
  readonly children?: Child;
  /**
   * A question to confirm, if scripts run. `{name}` is replaced by that field's text; a line in
   * backticks is an address.
   */
  readonly confirm?: string;
  readonly tone?: "primary" | "plain" | "danger" | "stop" | "link";
  readonly name?: string;
  readonly value?: string;
  /** Where to send the form, instead of its own address. */
  readonly action?: string;
}

export const Submit: Component<SubmitProps> = (
  { children, confirm, tone = "primary", name, value, action },
) => (
  <button
    type="submit"
    class={tone}
    data-confirm={confirm}
    name={name}
    value={value}
    formaction={action && BASE + action}
  >
    {children}
  </button>
);

const Notes: Component<{ id: string; hint?: Child; fault: string | undefined }> = (
  { id, hint, fault },
) => (
  <>
    {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    {fault && <p class="field-fault" id={`${id}-fault`}>{fault}</p>}
  </>
);

function describedBy(id: string, { hint, fault }: { hint?: Child; fault: string | undefined }) {
  const ids = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean);
  return ids.length === 0 ? undefined : ids.join(" ");
}
