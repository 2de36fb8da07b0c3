export const SDK_VERSION = "1.0.0";
/** The package of the SDK as the gateway serves it. */
const SDK_FILE = `cpg-sdk-${SDK_VERSION}.tgz`;
export const SDK_PATH = `/docs/${SDK_FILE}`;

/** For a shell; `url` is the gateway's. */
export function installSdk(url: string): string {
  return `curl -fO ${url}${SDK_PATH} && npm install ./${SDK_FILE}`;
}
