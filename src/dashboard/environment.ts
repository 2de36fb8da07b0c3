/** What the program was started with. Changed by starting it again. */
export interface EnvironmentSetting {
  /** The variable's name. */
  readonly name: string;
  /** As it may be shown: never a secret. */
  readonly value: string;
  readonly source: "environment" | "default" | "file";
  readonly meaning: string;
}
