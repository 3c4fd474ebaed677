# man page, completions, HACKING
dist_man_MANS += doc/speedtest-hd.1

# Below datadir, so that an unprivileged prefix (and distcheck) holds everything; both shells look
# there when the prefix is /usr or /usr/local.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = doc/completions/speedtest-hd.bash
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = doc/completions/_speedtest-hd

EXTRA_DIST += README.md doc/HACKING.md
