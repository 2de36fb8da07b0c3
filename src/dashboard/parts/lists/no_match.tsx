import type { Child, Component } from "../../../base/html.ts";
import type { Guest } from "../../visit.ts";
import { EmptyState } from "../facts.tsx";
import { withQuery } from "../table.tsx";

interface NoMatchProps {
  readonly visit: Guest;
  /** If the list is empty without filters too. */
  readonly none: Child;
}

/** An empty list: because of its filters, or because there is nothing yet. */
export const NoMatch: Component<NoMatchProps> = ({ visit, none }) => {
  const filters = [...visit.query].filter(([name, value]) =>
    value !== "" && name !== "cursor" && name !== "order"
  );
  if (filters.length === 0) return none;
  const cleared = Object.fromEntries([...visit.query.keys()].map((name) => [name, null]));
  return (
    <EmptyState
      title="Nothing matches these filters"
      next={<a class="button plain" href={withQuery(visit, cleared)}>Remove all filters</a>}
    />
  );
};
