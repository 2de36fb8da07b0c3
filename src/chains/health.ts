/** What is known of one endpoint without asking it. */
export interface EndpointHealth {
  readonly host: string;
  /** It answered its last question, in time, and may be used. */
  readonly isReachable: boolean;
  readonly height: number | null;
  readonly finalizedHeight: number | null;
  /** Null: it was not asked, or it showed neither. */
  readonly isTracing: boolean | null;
  readonly lastError: string | null;
  readonly failedAtMs: number | null;
  readonly answeredAtMs: number | null;
}
