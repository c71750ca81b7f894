#compdef phalanx
# Completion of phalanx for zsh; the program itself knows the words.
_phalanx() {
    local line word about files
    local -a found
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            files=1
            continue
        fi
        word=${line%%$'\t'*}
        about=${line#*$'\t'}
        found+=("${word//:/\\:}:$about")
    done < <("${words[1]}" __complete "${(@)words[1,CURRENT]}" 2>/dev/null)
    (( $#found )) && _describe -V phalanx found
    [[ -n $files ]] && _files
}
if [ "$funcstack[1]" = "_phalanx" ]; then
    _phalanx "$@"
else
    compdef _phalanx phalanx
fi
