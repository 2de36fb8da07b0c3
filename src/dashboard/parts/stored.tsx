import type { Stored } from "../../books/quota.ts";
import type { Component } from "../../base/html.ts";
import { megabytesOf } from "../../accounts/rules/quota.ts";
import { Time } from "./facts.tsx";

/** How much of its quota an account has used, and until when that counts. */
export const StoredToday: Component<{ stored: Stored }> = ({ stored }) => (
  <>
    {`${megabytesOf(stored.bytes)} of ${megabytesOf(stored.bytesMax)} MB, until `}
    <Time atMs={stored.endsAtMs} />
  </>
);
