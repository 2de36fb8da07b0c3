import type { Component } from "../../../base/html.ts";
import type { DeliveryState } from "../../../webhooks/rules/webhook_schedule.ts";
import { Status } from "../facts.tsx";

interface DeliveryStatusProps {
  readonly state: DeliveryState;
  /** Of the last attempt. */
  readonly error: string | null | undefined;
}

/** What failed and is tried again doesn't merely wait. */
export const DeliveryStatus: Component<DeliveryStatusProps> = ({ state, error }) => (
  <Status value={state === "pending" && error ? "failing" : state} />
);
