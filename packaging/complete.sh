#!/bin/sh
# complete.sh bash|zsh|fish COMMAND: completion for that shell, made from the commands and options that COMMAND's own help names.
set -eu
shell=$1
command=$2

# "NAME\tSUMMARY", a line a command.
commands() {
    "$command" --help | sed -nE 's/^  ([a-z][a-z-]*)  +(.*)/\1\t\2/p'
}

# "--NAME\tVALUE\tSUMMARY\t-LETTER", a line an option of a command; VALUE is empty where it takes none, LETTER where it has none.
options() {
    "$command" "$1" --help | sed -nE 's/^  ((-[a-z]), )?(--[a-z0-9-]+) ?([A-Z][A-Za-z0-9-]*)? +(.*)/\3\t\4\t\5\t\2/p'
    printf -- '--help\t\tthis help\t-h\n'
}

# What a value may be, where it is a file or one of some words.
words_of() {
    case $1 in
    --format) "$command" "$2" --help | awk '/^  -/ { on = /--format / } /^[^ ]/ { on = 0 } on' | grep -oE '\b(text|json|jsonl|svg|html|sarif|github|markdown|tap|junit)\b' | sort -u | tr '\n' ' ' ;;
    --tier) echo 'contract kubelet exact ' ;;
    --type) echo 'liveness readiness startup ' ;;
    --color) echo 'always never auto ' ;;
    esac
}

bash_completion() {
    cat <<'HEAD'
# Completion of probetest for bash, made by packaging/complete.sh from the command's own help.
_probetest()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} known=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
HEAD
    echo "        known='$(commands | cut -f1 | tr '\n' ' ')--help --version'"
    echo '        mapfile -t COMPREPLY < <(compgen -W "$known" -- "$word")'
    echo '        return'
    echo '    fi'
    echo '    case ${COMP_WORDS[1]} in'
    for one in $(commands | cut -f1); do
        echo "    $one)"
        echo '        case $before in'
        options "$one" | tr '\t' '|' | while IFS='|' read -r name value _ letter; do
            case $value in '' | FILE | DIR) continue ;; esac
            words=$(words_of "$name" "$one")
            [ -z "$words" ] || words="mapfile -t COMPREPLY < <(compgen -W '$words' -- \"\$word\"); "
            echo "        $name${letter:+ | $letter}) ${words}return ;;"
        done
        echo '        esac'
        echo "        known='$(options "$one" | cut -f1 | tr '\n' ' ')' ;;"
    done
    cat <<'TAIL'
    esac
    if [ "${word#-}" != "$word" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$known" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _probetest probetest
TAIL
}

# Text in single quotes, without what _describe and _arguments read as syntax.
quoted() {
    printf '%s' "$1" | sed "s/'/'\\\\''/g; s/[]:[\\\\]/\\\\&/g"
}

zsh_completion() {
    echo '#compdef probetest'
    echo '# Completion of probetest for zsh, made by packaging/complete.sh from the command'"'"'s own help.'
    echo '_probetest() {'
    echo '    local -a commands'
    echo '    if (( CURRENT == 2 )); then'
    echo '        commands=('
    commands | while IFS='	' read -r name summary; do echo "            '$name:$(quoted "$summary")'"; done
    echo '        )'
    echo '        _describe command commands'
    echo '        return'
    echo '    fi'
    echo '    shift words'
    echo '    (( CURRENT-- ))'
    echo '    case $words[1] in'
    for one in $(commands | cut -f1); do
        echo "    $one) _arguments \\"
        options "$one" | tr '\t' '|' | while IFS='|' read -r name value summary letter; do
            words=$(words_of "$name" "$one")
            case $value in FILE | DIR) kind=_files ;; *) kind=${words:+($words)} ;; esac
            for name in $name $letter; do
                echo "        '$name[$(quoted "$summary")]${value:+:$value:${kind:- }}' \\"
            done
        done
        echo "        '*:file:_files' ;;"
    done
    echo '    esac'
    echo '}'
    echo '_probetest "$@"'
}

fish_completion() {
    echo '# Completion of probetest for fish, made by packaging/complete.sh from the command'"'"'s own help.'
    fish_quoted() { printf '%s' "$1" | sed "s/[\\\\']/\\\\&/g"; }
    commands | while IFS='	' read -r name summary; do
        echo "complete -c probetest -n __fish_use_subcommand -f -a $name -d '$(fish_quoted "$summary")'"
    done
    echo 'complete -c probetest -n __fish_use_subcommand -l help'
    echo 'complete -c probetest -n __fish_use_subcommand -l version'
    for one in $(commands | cut -f1); do
        options "$one" | tr '\t' '|' | while IFS='|' read -r name value summary letter; do
            words=$(words_of "$name" "$one")
            case $value in '') value= ;; FILE | DIR) value=' -r' ;; *) value=" -x${words:+ -a '$words'}" ;; esac
            echo "complete -c probetest -n '__fish_seen_subcommand_from $one' -l ${name#--}${letter:+ -s ${letter#-}}$value -d '$(fish_quoted "$summary")'"
        done
    done
}

case $shell in
bash | zsh | fish) "${shell}_completion" ;;
*)
    echo "complete.sh: no completion for $shell: bash, zsh or fish" >&2
    exit 2
    ;;
esac
