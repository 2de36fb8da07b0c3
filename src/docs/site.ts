import type { Child } from "../base/html.ts";
import { type Endpoint } from "../http/endpoint.ts";

export const BASE = "/docs";

/** A page of the documentation. */
export interface DocPage {
  readonly path: string;
  readonly title: string;
  /** In the navigation. */
  readonly label?: string;
  readonly group: string;
  /** The method of the operation that the page describes. */
  readonly method?: Endpoint["method"];
  /** Two columns: examples stand beside the text. */
  readonly isWide?: boolean;
  /** Besides the one that every page has. */
  readonly script?: string;
  readonly show: (site: Site) => Child | Promise<Child>;
}

export interface Site {
  readonly pages: readonly DocPage[];
  /** The gateway's address in examples. */
  readonly url: string;
}

export function operationPath({ operationId }: Pick<Endpoint, "operationId">): string {
  const words = operationId.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `${BASE}/reference/${words}`;
}
