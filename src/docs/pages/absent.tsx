import { BASE, type DocPage } from "../site.ts";

export const ABSENT: DocPage = {
  path: "",
  title: "Not found",
  group: "",
  show: () => (
    <article class="prose">
      <h1>Not found</h1>
      <p>There is no such page.</p>
      <p>
        <a href={BASE}>Back to the overview</a>
      </p>
    </article>
  ),
};
