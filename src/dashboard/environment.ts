/** A setting the program was started with; changing it takes a restart. */
export interface EnvironmentSetting {
  /** The variable's name. */
  readonly name: string;
  /** Safe to show: never a secret. */
  readonly value: string;
  readonly source: "environment" | "default" | "file";
  readonly meaning: string;
}
