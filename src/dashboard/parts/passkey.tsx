import type { Child, Component } from "../../base/html.ts";
import type { Given } from "../../access/passkeys/check.ts";
import { askToProve } from "../../access/passkeys/offer.ts";
import type { LiveSession } from "../../access/manage_sessions.ts";
import type { RelyingParty } from "../../access/rules/relying_party.ts";
import { ASSET_PATHS } from "../assets/assets.ts";
import type { Guest } from "../visit.ts";
import { Form } from "./form.tsx";

export const NEEDS_SCRIPT = "Passkeys need JavaScript, and a browser that supports them.";
export const NEEDS_ADDRESS = "Passkeys need https and a domain name in CPG_PUBLIC_URL.";

const ANSWER = "passkey";

interface ButtonProps {
  readonly how: "create" | "get";
  /** For the browser, as JSON. */
  readonly options: string;
  readonly site: RelyingParty;
  readonly children?: Child;
}

/** Sends its form with what the browser makes of a passkey; hidden until scripts run. */
export const PasskeyButton: Component<ButtonProps> = ({ how, options, site, children }) => (
  <>
    <input type="hidden" name={ANSWER} />
    <button
      type="button"
      class="primary"
      hidden
      data-passkey={how}
      data-options={options}
      data-origin={site.origin}
    >
      {children}
    </button>
    <p class="hint" role="status" data-passkey-note>{NEEDS_SCRIPT}</p>
    <script src={ASSET_PATHS.passkeys} defer></script>
  </>
);

interface ProofProps {
  readonly visit: Guest;
  readonly live: LiveSession;
  readonly action: string;
  readonly children?: Child;
}

/** A form of its own for users with passkeys that work here; for others nothing. */
export const PasskeyProof: Component<ProofProps> = async ({ visit, live, action, children }) => {
  const { site } = visit;
  const options = site && await askToProve(visit.deps, { ...live, site });
  return site && options !== undefined && (
    <>
      <Form visit={visit} action={action}>
        {children}
        <PasskeyButton how="get" options={options} site={site}>Use a passkey</PasskeyButton>
      </Form>
      <p class="quiet">or</p>
    </>
  );
};

/** A passkey's answer, or what was typed into the field. */
export function givenIn(visit: Guest, { session, field }: Pick<LiveSession, "session"> & {
  field: string;
}): Given {
  const answer = visit.form.text(ANSWER);
  return answer === "" ? visit.form.text(field) : { answer, session, site: visit.site };
}

export function answerIn({ form }: Guest): string {
  return form.text(ANSWER);
}
