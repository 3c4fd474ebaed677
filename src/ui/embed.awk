# Makes themes/default.json a C string, so that there is always a theme.
BEGIN {
    print "#include \"theme-default.h\""
    print "const char theme_default_json[] ="
}
{
    gsub(/\\/, "\\\\")
    gsub(/"/, "\\\"")
    print "    \"" $0 "\\n\""
}
END { print "    ;" }
