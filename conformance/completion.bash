# Completion of probetest for bash: the commands and options that its own --help names.
_probetest()
{
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} known
    if [ "$COMP_CWORD" -eq 1 ]; then
        known=$(probetest --help 2>/dev/null | sed -nE 's/^  ([a-z][a-z-]*) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$known --help --version" -- "$word")
    elif [ "${word#-}" != "$word" ]; then
        known=$(probetest "$command" --help 2>/dev/null | grep -oE -- '--[a-z0-9-]+')
        mapfile -t COMPREPLY < <(compgen -W "$known" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _probetest probetest
