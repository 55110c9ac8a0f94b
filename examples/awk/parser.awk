# A parser in fifty lines of awk: LC_ALL=C busybox awk -f parser.awk INPUT_DIR OUTPUT_DIR
#
# Words end at white space and punctuation; Chinese and Japanese characters are words of their own. Sentences
# end at a full stop or an empty line. Each word depends on the word before it, and the first is the root.
# Characters beyond ASCII are written as their bytes: \342\200\246 is an ellipsis.

function value(entry, key) {            # of a key in an entry of metadata.json; empty if it has none
    if (!match(entry, "\"" key "\"[ \t]*:[ \t]*\"[^\"]*\"")) return ""
    entry = substr(entry, RSTART, RLENGTH - 1)
    sub(/.*"/, "", entry)
    return entry
}
function end_sentence(    i, last, punct) {
    for (i = 1; i <= words; i++) {
        punct = form[i] ~ "^(" mark ")$"
        printf "%d\t%s\t_\t%s\t_\t_\t%d\t%s\t_\t%s\n", i, form[i], punct ? "PUNCT" : "X", last,
            last == 0 ? "root" : punct ? "punct" : "dep", spaced[i] ? "_" : "SpaceAfter=No" > outfile
        if (last == 0 || !punct) last = i
    }
    if (words) print "" > outfile
    words = 0
}
function add_words(chunk,    at) {      # of a piece of text without white space
    while (chunk != "") {
        at = match(chunk, mark "|" ideograph)
        form[++words] = at == 1 ? substr(chunk, 1, RLENGTH) : at ? substr(chunk, 1, at - 1) : chunk
        chunk = substr(chunk, length(form[words]) + 1)
        spaced[words] = chunk == ""
        if (form[words] ~ "^(" stop ")$" && (chunk == "" || length(form[words]) > 1)) end_sentence()
    }
}
function parse(rawfile,    line, chunks, number, i) {
    while ((getline line < rawfile) > 0) {
        gsub(space, " ", line)
        if (line ~ /^ *$/) end_sentence()
        number = split(line, chunks, / +/)
        for (i = 1; i <= number; i++) add_words(chunks[i])
    }
    end_sentence()
}
BEGIN {
    space = "[\t\v\f\r]|\302[\205\240]|\341\232\200|\342\200[\200-\212\250\251\257]|\342\201\237|\343\200\200"
    mark = "[!-&(-,./:-@[-`{-~]|\302[\241\253\273\277]|\330[\214\233\237]|\340\245\244|" \
        "\342\200[\220-\247\260-\272]|\343\200[\200-\277]|\357\274[\201-\217\232-\240]"
    stop = "[.!?]|\342\200\246|\330\237|\340\245\244|\343\200\202|\357\274\201|\357\274\237"
    ideograph = "(\343[\201-\277]|[\344-\351][\200-\277])[\200-\277]"
    input = ARGC > 1 ? ARGV[1] : ENVIRON["INPUT_DIR"]
    output = ARGC > 2 ? ARGV[2] : ENVIRON["OUTPUT_DIR"]
    while ((getline line < (input "/metadata.json")) > 0) metadata = metadata line " "
    for (number = split(metadata, entries, "}"); entry++ < number; ) {
        if (!(rawfile = value(entries[entry], "rawfile"))) continue
        printf "" > (outfile = output "/" value(entries[entry], "outfile"))
        print "parsing " rawfile
        parse(input "/" rawfile)
    }
}
