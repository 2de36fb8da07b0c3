import type { Component } from "../../base/html.ts";
import type { ErrorAnswer } from "../../http/error_table.ts";
import { Words } from "./prose.tsx";

export const RefusalTable: Component<{ refusals: readonly ErrorAnswer[]; label: string }> = (
  { refusals, label },
) => (
  <div class="scroll" tabindex="0" role="region" aria-label={label}>
    <table class="refusals">
      <thead>
        <tr>
          <th>Status</th>
          <th>Code and message</th>
          <th>What to do</th>
        </tr>
      </thead>
      <tbody>
        {refusals.map(({ status, code, message, advice }) => (
          <tr>
            <td>{status}</td>
            <td>
              <code>{code}</code>
              <br />
              {message}
            </td>
            <td>
              <Words text={advice} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
