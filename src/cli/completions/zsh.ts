import { caseFunction } from "./case_function.ts";
import type { Choices } from "./choices.ts";

export function zshScript(choices: Choices): string {
  return `#compdef cpg
# Completions of cpg for zsh.
${caseFunction("_cpg_words", choices.words)}
${caseFunction("_cpg_flags", choices.flags)}
${caseFunction("_cpg_values", choices.values)}
_cpg() {
  local cur=\${words[CURRENT]} flag= command= options= word i
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $flag ]] && _cpg_values "$command $flag" > /dev/null; then
      flag=
    elif [[ $word == -*=* ]]; then
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
  if [[ $cur == --*=* ]]; then
    options=$(_cpg_values "$command \${cur%%=*}")
    compset -P '*='
  elif [[ -n $flag ]] && _cpg_values "$command $flag" > /dev/null; then
    options=$(_cpg_values "$command $flag")
  elif [[ $cur == -* ]]; then
    options=$(_cpg_flags "$command")
  else
    options=$(_cpg_words "$command")
  fi
  if [[ -n $options ]]; then compadd -- \${=options}; else _files; fi
}
compdef _cpg cpg ./cpg
`;
}
