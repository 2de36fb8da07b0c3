import { allCommands } from "../../../src/cli/command_table.ts";

export const COMMANDS = await allCommands();
