/** Whether this machine has it, such as an interpreter. */
export async function hasProgram(program: string): Promise<boolean> {
  const { success } = await new Deno.Command("sh", { args: ["-c", `command -v ${program}`] })
    .output();
  return success;
}
