import { caseFunction } from "./case_function.ts";
import type { Choices } from "./choices.ts";

export function bashScript(choices: Choices): string {
  return `# Completions of cpg for bash.
${caseFunction("_cpg_words", choices.words)}
${caseFunction("_cpg_flags", choices.flags)}
${caseFunction("_cpg_values", choices.values)}
_cpg() {
  local cur=\${COMP_WORDS[COMP_CWORD]} flag= command= options= word i
  [ "$cur" = = ] && cur=
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [ "$word" = = ]; then
      continue
    elif [ -n "$flag" ] && _cpg_values "$command $flag" > /dev/null; then
      flag=
    elif [[ $word == -* ]]; then
      flag=$word
    else
      flag=
      if [[ " $(_cpg_words "$command") " == *" $word "* ]]; then
        command=\${command:+$command }$word
      fi
    fi
  done
  if [ -n "$flag" ] && _cpg_values "$command $flag" > /dev/null; then
    options=$(_cpg_values "$command $flag")
  elif [[ $cur == -* ]]; then
    options=$(_cpg_flags "$command")
  else
    options=$(_cpg_words "$command")
  fi
  COMPREPLY=($(compgen -W "$options" -- "$cur"))
}
complete -o bashdefault -o default -F _cpg cpg ./cpg
`;
}
