import { settingSet, settingsOf } from "../require_second_factor.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Check, Form, Submit } from "../../dashboard/parts/form.tsx";
import { act, done, type PageRoute } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { changeOrPropose, switched, waitsText } from "../../proposals/words.ts";

export const Protection = async ({ visit }: { visit: Visit }) => {
  const settings = await settingsOf(visit.deps);
  return (
    <Card title="Protection of the installation">
      <p class="quiet">
        Dual control is{" "}
        {settings.dualControl ? "on" : "off"}. With it, a second person approves what makes the
        installation less safe, such as a new operator. Each account has its own switch.
      </p>
      <Form visit={visit} action="/settings">
        <Check
          visit={visit}
          name="require_second_factor"
          isOn={settings.requiresSecondFactor}
          label="Operators, approvers and auditors must set up a second factor before anything else"
        />
        <Check
          visit={visit}
          name="dual_control"
          isOn={settings.dualControl === true}
          label="Dual control"
        />
        <Submit>Save</Submit>
      </Form>
    </Card>
  );
};

export const protectAct = (on: PageRoute) =>
  act({
    path: "/settings",
    ability: "operate",
    on,
    isSensitive: true,
    run: async (visit) => {
      const { dualControl } = await settingsOf(visit.deps);
      const change = visit.form.read((fields) => ({
        requiresSecondFactor: fields.ticked("require_second_factor"),
        ...switched(fields.ticked("dual_control"), dualControl),
      }));
      const { proposal } = await changeOrPropose(visit, settingSet, { wanted: { change } });
      return done("/settings", proposal ? waitsText(proposal) : "Saved");
    },
  });
