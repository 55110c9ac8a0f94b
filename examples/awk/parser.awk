# A parser in forty lines of awk: LC_ALL=C busybox awk -f parser.awk INPUT_DIR OUTPUT_DIR
# Words end at white space and punctuation; Chinese and Japanese characters are words of their own. Sentences end at
# a full stop or an empty line. Each word depends on the one before it. Characters beyond ASCII are written as bytes.
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
BEGIN {
    space = "[\t\v\f\r]|\302[\205\240]|\341\232\200|\342\200[\200-\212\250\251\257]|\342\201\237|\343\200\200"
    mark = "[!-&(-,./:-@[-`{-~]|\302[\241\253\273\277]|\330[\214\233\237]|\340\245\244|" \
        "\342\200[\220-\247\260-\272]|\343\200[\200-\277]|\357\274[\201-\217\232-\240]"
    stop = "[.!?]|\342\200\246|\330\237|\340\245\244|\343\200\202|\357\274\201|\357\274\237"
    ideograph = "(\343[\201-\277]|[\344-\351][\200-\277])[\200-\277]"
    input = ARGC > 1 ? ARGV[1] : ENVIRON["INPUT_DIR"]; output = ARGC > 2 ? ARGV[2] : ENVIRON["OUTPUT_DIR"]
    RS = "}"; FS = "\""; ARGC = 2; ARGV[1] = input "/metadata.json"
}
/"rawfile"/ {                           # an entry of metadata.json: keys and values between quotation marks
    for (i = 2; i < NF; i++) if ($(i + 1) ~ /:/) entry[$i] = $(i + 2)
    printf "" > (outfile = output "/" entry["outfile"])
    print "parsing " entry["rawfile"]
    for (RS = "\n"; (getline line < (input "/" entry["rawfile"])) > 0; ) {
        gsub(space, " ", line)
        if (line ~ /^ *$/) end_sentence()
        for (sub(/^ +/, "", line); line != ""; sub(/^ +/, "", line)) {
            at = match(line, mark "|" ideograph "| ")
            form[++words] = at == 1 ? substr(line, 1, RLENGTH) : at ? substr(line, 1, at - 1) : line
            line = substr(line, length(form[words]) + 1)
            spaced[words] = line == "" || line ~ /^ /
            if (form[words] ~ "^(" stop ")$" && (spaced[words] || length(form[words]) > 1)) end_sentence()
        }
    }
    end_sentence()
    RS = "}"
}
