import type { Choices } from "./choices.ts";

export function fishScript(choices: Choices): string {
  return `# Completions of cpg for fish.
${switchFunction("__cpg_words", choices.words)}
${switchFunction("__cpg_flags", choices.flags)}
${switchFunction("__cpg_values", choices.values)}
function __cpg
  set -l flag
  set -l command
  set -l typed (commandline -opc)
  set -l cur (commandline -ct)
  for word in $typed[2..-1]
    if test -n "$flag"; and __cpg_values "$command $flag" > /dev/null
      set flag
    else if string match -q -- '-*=*' $word
      set flag
    else if string match -q -- '-*' $word
      set flag $word
    else
      set flag
      if contains -- $word (__cpg_words "$command")
        set command (string trim "$command $word")
      end
    end
  end
  if string match -q -- '--*=*' $cur
    set -l name (string split -m 1 = -- $cur)[1]
    for value in (__cpg_values "$command $name")
      echo "$name=$value"
    end
  else if test -n "$flag"; and __cpg_values "$command $flag" > /dev/null
    __cpg_values "$command $flag"
    test -n "$(__cpg_values "$command $flag")"; or __fish_complete_path $cur
  else if string match -q -- '-*' $cur
    __cpg_flags "$command"
  else
    __cpg_words "$command"; or __fish_complete_path $cur
  end
end
complete -c cpg -f -a '(__cpg)'
`;
}

/** Prints one line for each choice. */
function switchFunction(name: string, entries: ReadonlyMap<string, readonly string[]>): string {
  const cases = [...entries].map(([key, texts]) => {
    const print = texts.length === 0 ? "true" : `printf '%s\\n' ${texts.join(" ")}`;
    return `    case '${key}'\n      ${print}\n`;
  });
  return `function ${name}
  switch $argv[1]
${cases.join("")}    case '*'
      return 1
  end
end`;
}
