# Completion of phalanx for fish; the program itself knows the words.
function __phalanx_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete $words 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c phalanx -f -a '(__phalanx_complete)'
