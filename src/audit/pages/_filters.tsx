import { AccountFilter } from "../../dashboard/parts/filters.tsx";
import { Field, Select } from "../../dashboard/parts/form.tsx";
import { MomentFilters } from "../../dashboard/parts/lists/moments.tsx";
import { Filters } from "../../dashboard/parts/table.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { DEED_GROUPS, deedText } from "../rules/deeds.ts";
import { actorText, subjectText } from "./_names.ts";

const GROUPS = Object.entries(DEED_GROUPS).map(([value, { name }]) => ({ value, label: name }));

export const AuditFilters = async ({ visit }: { visit: Visit }) => {
  const said = (name: string) => visit.query.get(name)?.trim() ?? "";
  const [actor, subject] = await Promise.all([
    actorText(visit, said("actor")),
    subjectText(visit, said("subject")),
  ]);
  const action = said("action");
  const isOne = action !== "" && !GROUPS.some(({ value }) => value === action);
  const one = isOne ? [{ value: action, label: deedText(action) }] : [];
  return (
    <Filters visit={visit}>
      <Field visit={visit} name="actor" label="Who (email, key id)" isFilter value={actor} />
      <Select
        visit={visit}
        name="action"
        label="What"
        value={action}
        options={[{ value: "", label: "All" }, ...one, ...GROUPS]}
      />
      <Field visit={visit} name="subject" label='About ("payout 12")' isFilter value={subject} />
      <AccountFilter visit={visit} />
      <MomentFilters visit={visit} />
    </Filters>
  );
};
