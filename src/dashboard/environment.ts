/** A setting the program was started with; changing it takes a restart. */
export interface EnvironmentSetting {
  /** The variable's name. */
  readonly name: string;
  /** Safe to show: never a secret. */
  readonly value: string;
  readonly source: "environment" | "default" | "file";
  readonly meaning: string;
}

interface Known {
  readonly environment: readonly EnvironmentSetting[];
  /** The gateway's public address. */
  readonly publicUrl: string;
}

/** Where the API is reached, which needn't be where the dashboard is. */
export function apiUrlOf(known: Known): string {
  return (valueOf(known, "CPG_PUBLIC_URL") || known.publicUrl).replace(/(?<!\/)\/+$/, "");
}

/** Undefined if the documentation isn't served. */
export function docsUrlOf(known: Known): string | undefined {
  return valueOf(known, "CPG_DOCS") === "on" ? `${apiUrlOf(known)}/docs` : undefined;
}

/** It is never offered, also if another program has printed a link. */
export function isSetUpOff({ environment }: Pick<Known, "environment">): boolean {
  return environment.some(({ name, value }) => name === "CPG_SETUP" && value === "off");
}

function valueOf({ environment }: Known, variable: string): string | undefined {
  return environment.find(({ name }) => name === variable)?.value;
}
