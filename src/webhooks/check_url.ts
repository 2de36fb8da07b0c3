import { refuse } from "../domain/refusals/refuse.ts";
import { malformedUrl } from "./post/allowed_target.ts";

/** Whether its target is allowed is checked again at each delivery. */
export function checkUrl(url: string): void {
  const why = malformedUrl(url);
  if (why !== undefined) throw refuse("webhook_url_wrong", { url, why });
}
