import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import type { Visit } from "../../dashboard/visit.ts";

interface Decision {
  readonly visit: Visit;
  /** "/inbox/payouts/7" */
  readonly path: string;
  readonly whyNot: string | null;
}

/** Within reach of a thumb: approve is one tap, and reject asks why. */
export const Decision = ({ visit, path, whyNot }: Decision) =>
  whyNot !== null ? <p class="quiet">{whyNot}</p> : (
    <div class="decide">
      <Form visit={visit} action={`${path}/approve`}>
        <Submit>Approve</Submit>
      </Form>
      <details>
        <summary class="button plain">Reject</summary>
        <Form visit={visit} action={`${path}/reject`}>
          <Field visit={visit} name="reason" label="Reason" maxlength={500} />
          <Submit tone="danger">Reject</Submit>
        </Form>
      </details>
    </div>
  );
