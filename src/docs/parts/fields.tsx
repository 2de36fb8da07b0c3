import type { Component } from "../../base/html.ts";
import { limitsOf, type Named, resolved, type Schema, shapeOf } from "../json_schema.ts";
import { Words } from "./prose.tsx";

/** A field inside a field inside a field is as deep as answers go. */
const DEPTH_MAX = 3;

interface FieldsProps {
  readonly fields: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[] | undefined;
  readonly named: Named;
  /** What is sent says what is required; what is received always has all of its fields. */
  readonly isSent?: boolean;
  readonly depth?: number;
}

export const Fields: Component<FieldsProps> = (
  { fields, required = [], named, isSent = false, depth = 0 },
) => (
  <ul class="fields">
    {Object.entries(fields).map(([name, schema]) => (
      <Field
        name={name}
        schema={schema}
        named={named}
        isSent={isSent}
        isRequired={required.includes(name)}
        depth={depth}
      />
    ))}
  </ul>
);

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly named: Named;
  readonly isRequired: boolean;
  readonly isSent: boolean;
  readonly depth?: number;
  readonly description?: string | undefined;
}

export const Field: Component<FieldProps> = (
  { name, schema, named, isRequired, isSent, depth = 0, description },
) => {
  const shape = shapeOf(schema, named);
  const text = description ?? schema.description ?? shape.schema.description;
  const limits = isSent ? limitsOf({ ...shape.schema, ...schema }) : [];
  const item = shape.schema.items ? resolved(shape.schema.items, named) : shape.schema;
  return (
    <li>
      <p class="field-name">
        <code>{name}</code>
        <span class="quiet">{shape.text}</span>
        {isSent && isRequired && <span class="required">required</span>}
        {!isSent && !isRequired && <span class="quiet">optional</span>}
      </p>
      {text && (
        <p>
          <Words text={text} />
        </p>
      )}
      {limits.length > 0 && <p class="quiet small">{limits.join(", ")}</p>}
      {shape.values.length > 0 && <Values values={shape.values} />}
      {shape.fields && depth < DEPTH_MAX && (
        <Fields
          fields={shape.fields}
          required={item.required}
          named={named}
          isSent={isSent}
          depth={depth + 1}
        />
      )}
    </li>
  );
};

const Values: Component<{ values: readonly unknown[] }> = ({ values }) => (
  <p class="values">
    {values.map((value, i) => [i > 0 ? " " : "", <code>{String(value)}</code>])}
  </p>
);
