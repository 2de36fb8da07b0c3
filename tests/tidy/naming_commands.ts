/** Texts that still name a command or a flag: none may be added, and a file without any leaves. */
export const NAMING_COMMANDS: Readonly<Record<string, number>> = {};
