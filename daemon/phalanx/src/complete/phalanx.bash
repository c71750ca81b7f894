# Completion of phalanx for bash; the program itself knows the words.
_phalanx() {
    local line word files=
    COMPREPLY=()
    while IFS= read -r line; do
        if [ "$line" = :files ]; then
            files=1
            continue
        fi
        word=${line%%$'\t'*}
        COMPREPLY+=("$word")
    done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
    if [ -n "$files" ]; then
        local typed=${COMP_WORDS[COMP_CWORD]}
        [ "$typed" = "=" ] && typed=
        while IFS= read -r word; do
            COMPREPLY+=("$word")
        done < <(compgen -f -- "$typed")
        compopt -o filenames 2>/dev/null
    fi
}
complete -F _phalanx phalanx
