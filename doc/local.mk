# man page, completions, HACKING
