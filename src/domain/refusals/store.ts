interface File {
  readonly path: string;
}

const CHECK_FILE = "check the owner and mode of the file and its folders";

export const STORE = {
  database_missing: ({ url, isHidden }: { url: string; isHidden: boolean }) =>
    `There is no database at ${url}${isHidden ? " that this program can read" : ""}: check ` +
    "CPG_DATABASE_URL and the folder you are in",
  database_unreadable: ({ url, why }: { url: string; why: string }) =>
    `Cannot open the database ${url}: ${why}`,
  database_beside: ({ url, other }: { url: string; other: string }) =>
    `There is no database at ${url}, but ${other} is in its folder: check CPG_DATABASE_URL`,
  file_missing: ({ path }: File) => `There is no ${path}`,
  file_unreadable: ({ path }: File) => `This program is not allowed to read ${path}: ${CHECK_FILE}`,
  file_hidden: ({ path }: File) =>
    `There is no ${path} that this program can read: check the path and the owner and mode of ` +
    "the file, or copy it into ./data",
};
