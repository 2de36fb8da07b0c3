import { VERSION } from "./version.ts";

/** The package of the SDK as the gateway serves it. */
export const SDK_FILE = `cpg-sdk-${VERSION}.tgz`;
export const SDK_PATH = `/docs/${SDK_FILE}`;

/** For a shell; `url` is the gateway's. */
export function installSdk(url: string): string {
  return `curl -fO ${url}${SDK_PATH} && npm install ./${SDK_FILE}`;
}
