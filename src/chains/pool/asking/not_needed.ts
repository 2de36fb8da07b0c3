/** Why asking is called off. Without a reason, each abort makes an error with a stack. */
export const NOT_NEEDED = "The answer is no longer needed";
