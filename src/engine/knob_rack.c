/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Governors, EPP, boost and the latency limit; see knob_rack.h.
 *
 * Promises: before the first write of a kind, what was there is saved, in the journal, and in the
 * keeper's hands. Restored is exactly what each policy had, governors first: a driver refuses an
 * EPP that does not go with the governor of the moment.
 * Must not know why anything is turned.
 */
#include "knob_rack.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "knob_journal.h"
#include "sthd/loop.h"
#include "sthd/mem.h"
#include "sthd/text.h"

#define CPU_DIR    "/sys/devices/system/cpu"
#define VALUE_TEXT 64

/* Groups of what is to be restored. */
enum group { GROUP_GOVERNOR = 1, GROUP_EPP = 2, GROUP_BOOST = 3 };

struct policy {
    unsigned number, cpus;
    char *governor_path, *epp_path, *boost_path;                   /* NULL: it has none */
    char governor[VALUE_TEXT], epp[VALUE_TEXT], boost[VALUE_TEXT]; /* saved; "" not readable */
};

struct rack {
    char *sysroot, *dir;
    struct policy *policies;
    size_t n_policies;
    char *boost_path; /* cpufreq/boost or intel_pstate/no_turbo */
    bool boost_inverted;
    char boost[VALUE_TEXT];
    struct knob_panel panel;
    bool saved; /* what policies hold is of before the first change */
    int lock_fd;
    struct journal journal; /* what is to be restored, as long as something is */
    struct keeper *keeper;
    int limit_fd;
};

/* ---- files ---- */

/* The first line without blanks at its end; "" when there is none. */
static void read_word(const char *path, char *out, size_t size)
{
    char text[512];
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    for (size_t len = strlen(text); len > 0 && isspace((unsigned char)text[len - 1]); len--)
        text[len - 1] = '\0';
    snprintf(out, size, "%s", text);
}

/* 0 or an errno value. */
static int write_word(const char *path, const char *text)
{
    size_t len = strlen(text);
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

    if (fd < 0)
        return errno;
    ssize_t n = write(fd, text, len);
    int rc = n < 0 ? errno : (size_t)n != len ? EIO : 0;
    close(fd);
    return rc;
}

static char *policy_file(const struct rack *r, unsigned number, const char *name)
{
    return mem_printf("%s" CPU_DIR "/cpufreq/policy%u/%s", r->sysroot, number, name);
}

static char *policy_file_if_there(const struct rack *r, unsigned number, const char *name)
{
    char *path = policy_file(r, number, name);

    if (access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* ---- what there is ---- */

static void forget_policies(struct rack *r)
{
    for (size_t i = 0; i < r->n_policies; i++) {
        free(r->policies[i].governor_path);
        free(r->policies[i].epp_path);
        free(r->policies[i].boost_path);
    }
    free(r->policies);
    free(r->boost_path);
    r->policies = NULL;
    r->boost_path = NULL;
    r->n_policies = 0;
}

static void find_policy(struct rack *r, unsigned number)
{
    char *affected = policy_file(r, number, "affected_cpus"), list[512];
    struct policy p = {.number = number};

    read_word(affected, list, sizeof(list));
    free(affected);
    p.cpus = (unsigned)cpu_list_parse(list, NULL, 0);
    if (p.cpus == 0)
        return; /* all its CPUs are offline: nothing can be written there */
    p.governor_path = policy_file(r, number, "scaling_governor");
    p.epp_path = policy_file_if_there(r, number, "energy_performance_preference");
    p.boost_path = policy_file_if_there(r, number, "boost");
    read_word(p.governor_path, p.governor, sizeof(p.governor));
    read_word(p.epp_path, p.epp, sizeof(p.epp));
    read_word(p.boost_path, p.boost, sizeof(p.boost));
    r->policies = mem_realloc_array(r->policies, r->n_policies + 1, sizeof(*r->policies));
    r->policies[r->n_policies++] = p;
}

static int compare_policies(const void *a, const void *b)
{
    const struct policy *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

static void find_boost(struct rack *r)
{
    r->boost_path = mem_printf("%s" CPU_DIR "/cpufreq/boost", r->sysroot);
    r->boost_inverted = false;
    read_word(r->boost_path, r->boost, sizeof(r->boost));
    if (r->boost[0])
        return;
    free(r->boost_path);
    r->boost_path = mem_printf("%s" CPU_DIR "/intel_pstate/no_turbo", r->sysroot);
    r->boost_inverted = true;
    read_word(r->boost_path, r->boost, sizeof(r->boost));
    if (r->boost[0])
        return;
    free(r->boost_path);
    r->boost_path = NULL;
}

static void find_all(struct rack *r)
{
    char *path = mem_printf("%s" CPU_DIR "/cpufreq", r->sysroot);
    DIR *d = opendir(path);
    struct dirent *entry;

    forget_policies(r);
    while (d && (entry = readdir(d)))
        if (text_starts(entry->d_name, "policy") && isdigit((unsigned char)entry->d_name[6]))
            find_policy(r, (unsigned)strtoul(entry->d_name + 6, NULL, 10));
    if (d)
        closedir(d);
    free(path);
    if (r->n_policies)
        qsort(r->policies, r->n_policies, sizeof(*r->policies), compare_policies);
    find_boost(r);
}

/* ---- why not ---- */

static char *limit_path(const struct rack *r)
{
    return mem_printf("%s/dev/cpu_dma_latency", r->sysroot);
}

/* One sentence for each thing that the kernel answers. */
int rack_refused(struct err *e, enum knob k, const char *value, int errnum)
{
    const char *name = knob_name(k);

    switch (errnum) {
    case EACCES:
    case EPERM:
        return err_set(e, EXIT_CODE_INTERNAL, errnum,
                       "The %s may be changed by root only: start speedtest-hd with --sudo", name);
    case EROFS:
        return err_set(e, EXIT_CODE_INTERNAL, errnum,
                       "The %s cannot be changed in here: /sys is read-only (a container?); do it "
                       "on the host",
                       name);
    case ENOENT:
    case ENODEV:
    case ENXIO:
        if (k == KNOB_LIMIT)
            return err_set(e, EXIT_CODE_INTERNAL, errnum,
                           "There is no /dev/cpu_dma_latency here, so no latency limit");
        return err_set(e, EXIT_CODE_INTERNAL, errnum,
                       "This machine has no %s (a guest, or a driver without it)", name);
    case EINVAL:
        if (k == KNOB_GOVERNOR)
            return err_set(e, EXIT_CODE_INTERNAL, errnum,
                           "The kernel has no governor %s: its driver does not know it, or the "
                           "module cpufreq_%s is missing",
                           value, value);
        return err_set(e, EXIT_CODE_INTERNAL, errnum, "The kernel does not take %s for the %s",
                       value, name);
    case EBUSY:
        if (k == KNOB_EPP)
            return err_set(e, EXIT_CODE_INTERNAL, errnum,
                           "The EPP is fixed while the governor is performance: choose another "
                           "governor first");
        return err_set(e, EXIT_CODE_INTERNAL, errnum,
                       "The kernel refuses the %s for now: a CPU is just going offline", name);
    case EAGAIN:
        return err_set(e, EXIT_CODE_INTERNAL, errnum,
                       "The frequency driver is just changing its mode: try the %s again", name);
    default:
        return err_set(e, EXIT_CODE_INTERNAL, errnum, "The %s could not be set to %s: %s", name,
                       value, strerror(errnum));
    }
}

static void note_problem(struct knob_state *s, enum knob k, const char *path)
{
    struct err e;
    int errnum = !path ? ENOENT : access(path, W_OK) < 0 ? errno : 0;

    s->problem[0] = '\0';
    if (!errnum)
        return;
    rack_refused(&e, k, "", errnum);
    snprintf(s->problem, sizeof(s->problem), "%.255s", e.text);
}

/* ---- choices ---- */

static void add_choice(struct knob_state *s, const char *word, size_t len)
{
    if (len == 0 || len >= CPU_WORD || s->n_choices == KNOB_CHOICES)
        return;
    for (size_t i = 0; i < s->n_choices; i++)
        if (strlen(s->choices[i]) == len && memcmp(s->choices[i], word, len) == 0)
            return;
    snprintf(s->choices[s->n_choices++], CPU_WORD, "%.*s", (int)len, word);
}

/* Words between blanks, as the kernel lists them. */
static void add_list(struct knob_state *s, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, " ");
        add_choice(s, list, n);
        list += n + strspn(list + n, " ");
    }
}

static void add_listed(struct rack *r, struct knob_state *s, const char *file)
{
    char list[512];

    for (size_t i = 0; i < r->n_policies; i++) {
        char *path = policy_file(r, r->policies[i].number, file);
        read_word(path, list, sizeof(list));
        free(path);
        add_list(s, list);
    }
}

static void find_choices(struct rack *r)
{
    struct knob_state *knobs = r->panel.knobs;
    const struct policy *first = r->n_policies ? &r->policies[0] : NULL;
    const char *epp = NULL;

    memset(&r->panel, 0, sizeof(r->panel));
    if (first) {
        add_listed(r, &knobs[KNOB_GOVERNOR], "scaling_available_governors");
        /* a module may be loaded by its name, so this one is worth a try where it is not listed */
        add_choice(&knobs[KNOB_GOVERNOR], "performance", strlen("performance"));
    }
    for (size_t i = 0; i < r->n_policies && !epp; i++)
        epp = r->policies[i].epp_path;
    if (epp) {
        add_listed(r, &knobs[KNOB_EPP], "energy_performance_available_preferences");
        for (size_t i = 0; i < r->n_policies; i++) /* numbers are not listed */
            add_choice(&knobs[KNOB_EPP], r->policies[i].epp, strlen(r->policies[i].epp));
    }
    if (r->boost_path)
        add_list(&knobs[KNOB_BOOST], "on off");
    add_list(&knobs[KNOB_LIMIT], "off 0 1 20");
    note_problem(&knobs[KNOB_GOVERNOR], KNOB_GOVERNOR, first ? first->governor_path : NULL);
    note_problem(&knobs[KNOB_EPP], KNOB_EPP, epp);
    note_problem(&knobs[KNOB_BOOST], KNOB_BOOST, r->boost_path);
    char *limit = limit_path(r);
    note_problem(&knobs[KNOB_LIMIT], KNOB_LIMIT, limit);
    free(limit);
    r->panel.known = true;
}

static bool boost_is_on(const struct rack *r)
{
    return (r->boost[0] == '1') != r->boost_inverted;
}

static void count_saved(struct rack *r, bool epp, char *out, size_t size)
{
    struct cpu_count counts[CPU_COUNTS];
    struct buf text = BUF_INIT;
    size_t n = 0;

    for (size_t i = 0; i < r->n_policies; i++) {
        const char *word = epp ? r->policies[i].epp : r->policies[i].governor;
        if (word[0])
            cpu_count_add(counts, &n, word, r->policies[i].cpus);
    }
    cpu_counts_sort(counts, n);
    if (n)
        cpu_counts_text(&text, counts, n);
    snprintf(out, size, "%s", text.data ? text.data : "");
    buf_done(&text);
}

static void note_saved(struct rack *r)
{
    struct knob_state *knobs = r->panel.knobs;

    count_saved(r, false, knobs[KNOB_GOVERNOR].was, sizeof(knobs[0].was));
    count_saved(r, true, knobs[KNOB_EPP].was, sizeof(knobs[0].was));
    snprintf(knobs[KNOB_BOOST].was, sizeof(knobs[0].was), "%s",
             !r->boost_path   ? ""
             : boost_is_on(r) ? "on"
                              : "off");
}

/* ---- saving ---- */

static void add_action(struct journal *j, enum group group, const char *path, const char *text)
{
    if (!path || !text[0] || strchr(text, ' ')) /* no value of these files has a blank */
        return;
    j->actions = mem_realloc_array(j->actions, j->n + 1, sizeof(*j->actions));
    j->actions[j->n++] =
        (struct keeper_action){KEEPER_WRITE, mem_strdup(path), mem_strdup(text), group};
}

static void list_actions(struct rack *r)
{
    struct journal *j = &r->journal;

    journal_done(j);
    j->pid = getpid();
    j->armed = 0;
    for (size_t i = 0; i < r->n_policies; i++)
        add_action(j, GROUP_GOVERNOR, r->policies[i].governor_path, r->policies[i].governor);
    for (size_t i = 0; i < r->n_policies; i++)
        add_action(j, GROUP_EPP, r->policies[i].epp_path, r->policies[i].epp);
    add_action(j, GROUP_BOOST, r->boost_path, r->boost);
    for (size_t i = 0; i < r->n_policies; i++) /* behind the one that sets them all */
        add_action(j, GROUP_BOOST, r->policies[i].boost_path, r->policies[i].boost);
}

static int start_keeper(struct rack *r, struct err *e)
{
    size_t n = r->journal.n;
    struct keeper_action *actions = mem_zalloc((n + 1) * sizeof(*actions));
    char *path = journal_path(r->dir);

    if (n)
        memcpy(actions, r->journal.actions, n * sizeof(*actions));
    actions[n] = (struct keeper_action){KEEPER_CLEAR, path, NULL, 0};
    int rc = keeper_start_holding(&r->keeper, actions, n + 1, r->lock_fd, e);
    for (unsigned g = GROUP_GOVERNOR; rc == 0 && g <= GROUP_BOOST; g++)
        if (r->journal.armed & 1u << g)
            rc = keeper_arm(r->keeper, g, e);
    free(path);
    free(actions);
    return rc;
}

static int left_over(struct err *e)
{
    return err_set(e, EXIT_CODE_INTERNAL, EEXIST,
                   "A run that was killed has left knobs turned: repair that first, with "
                   "speedtest-hd --repair-knobs");
}

/* Once, before the first change: take the lock, save what there is, have it kept. */
static int save(struct rack *r, struct err *e)
{
    struct journal old;
    int rc;

    if (r->saved)
        return 0;
    rc = journal_lock(r->dir, r->sysroot, &r->lock_fd, e);
    if (rc < 0)
        return rc;
    rc = journal_read(r->dir, r->sysroot, &old, e);
    if (rc == 0) { /* what we would save now is not what there was before that run */
        journal_done(&old);
        rc = left_over(e);
    } else if (rc == -ENOENT) {
        find_all(r);
        list_actions(r);
        rc = start_keeper(r, e);
    }
    if (rc < 0) {
        close(r->lock_fd);
        r->lock_fd = -1;
        return rc;
    }
    note_saved(r);
    r->saved = true;
    return 0;
}

/* From here on this group will be restored, come what may. */
static int arm(struct rack *r, enum group group, struct err *e)
{
    bool armed = r->journal.armed & 1u << group;
    int rc = 0;

    r->journal.armed |= 1u << group;
    if (!armed)
        rc = journal_write(r->dir, r->sysroot, &r->journal, e);
    if (rc == 0 && !keeper_alive(r->keeper)) { /* somebody killed it: its successor */
        keeper_abandon(r->keeper);
        r->keeper = NULL;
        rc = start_keeper(r, e);
    } else if (rc == 0 && !armed) {
        rc = keeper_arm(r->keeper, group, e);
    }
    if (rc < 0 && !armed)
        r->journal.armed &= ~(1u << group);
    return rc;
}

/* ---- turning ---- */

/* Leaving "performance", a driver may keep the EPP that went with it. */
static void follow_with_epp(struct rack *r, const char *governor)
{
    const char *ours = r->panel.knobs[KNOB_EPP].set;

    if (strcmp(governor, "performance") == 0)
        return;
    for (size_t i = 0; i < r->n_policies; i++) {
        const struct policy *p = &r->policies[i];
        const char *want = ours[0] ? ours : p->epp;
        char now[VALUE_TEXT];
        if (!p->epp_path || !want[0])
            continue;
        read_word(p->epp_path, now, sizeof(now));
        if (strcmp(now, want) != 0)
            write_word(p->epp_path, want); /* a refusal is seen on the strip */
    }
}

static int write_policies(struct rack *r, enum knob k, const char *value, struct err *e)
{
    unsigned done = 0, all = 0;
    int first = 0;

    for (size_t i = 0; i < r->n_policies; i++) {
        const struct policy *p = &r->policies[i];
        const char *path = k == KNOB_GOVERNOR ? p->governor_path : p->epp_path;
        if (!path)
            continue;
        int errnum = write_word(path, value);
        all += p->cpus;
        done += errnum ? 0 : p->cpus;
        first = first ? first : errnum;
    }
    if (all == 0)
        return rack_refused(e, k, value, ENOENT);
    if (!first)
        return 0;
    rack_refused(e, k, value, first);
    if (done > 0 && e) { /* half a change is one that is said to be half */
        struct err whole = *e;
        err_set(e, whole.exit_code, whole.errnum, "Only %u of %u CPUs have the %s %s now: %.300s",
                done, all, knob_name(k), value, whole.text);
    }
    return -first;
}

static int set_governor(struct rack *r, const char *value, struct err *e)
{
    int rc = arm(r, GROUP_GOVERNOR, e);

    if (rc == 0) /* drivers change the EPP with it */
        rc = arm(r, GROUP_EPP, e);
    if (rc == 0)
        rc = write_policies(r, KNOB_GOVERNOR, value, e);
    if (rc == 0)
        follow_with_epp(r, value);
    return rc;
}

static int set_epp(struct rack *r, const char *value, struct err *e)
{
    int rc = arm(r, GROUP_EPP, e);

    return rc == 0 ? write_policies(r, KNOB_EPP, value, e) : rc;
}

static int set_boost(struct rack *r, const char *value, struct err *e)
{
    bool on = strcmp(value, "on") == 0;
    int rc = arm(r, GROUP_BOOST, e);

    if (rc < 0)
        return rc;
    int errnum = write_word(r->boost_path, on != r->boost_inverted ? "1" : "0");
    return errnum ? rack_refused(e, KNOB_BOOST, value, errnum) : 0;
}

static void drop_limit(struct rack *r)
{
    const int32_t none = CPU_LIMIT_NONE;

    if (r->limit_fd < 0)
        return;
    /* To close it is enough; a file that stands in for the device shows what it would show. */
    if (pwrite(r->limit_fd, &none, sizeof(none), 0) < 0)
        errno = 0;
    close(r->limit_fd);
    r->limit_fd = -1;
}

/*
 * In force as long as the descriptor is open, so no program we start may inherit it. Exactly four
 * bytes: anything else is taken for text, in base 16.
 */
static int set_limit(struct rack *r, const char *value, struct err *e)
{
    int32_t us;
    int rc = knob_limit_parse(value, "latency limit", &us, e);

    if (rc < 0)
        return rc;
    if (us >= CPU_LIMIT_NONE) {
        drop_limit(r);
        return 0;
    }
    if (r->limit_fd < 0) {
        char *path = limit_path(r);
        r->limit_fd = open(path, O_RDWR | O_CLOEXEC);
        rc = r->limit_fd < 0 ? errno : 0;
        free(path);
        if (rc)
            return rack_refused(e, KNOB_LIMIT, value, rc);
    }
    ssize_t n = pwrite(r->limit_fd, &us, sizeof(us), 0);
    if (n == (ssize_t)sizeof(us))
        return 0;
    rc = rack_refused(e, KNOB_LIMIT, value, n < 0 ? errno : EIO);
    drop_limit(r);
    return rc;
}

/* A word that the kernel could take: what is written goes into a file of its. */
static bool is_word(const char *value)
{
    size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

    return n > 0 && n < CPU_WORD && value[n] == '\0';
}

static bool is_there(const struct rack *r, enum knob k)
{
    switch (k) {
    case KNOB_GOVERNOR:
        return r->n_policies > 0;
    case KNOB_EPP:
        return r->panel.knobs[KNOB_EPP].n_choices > 0;
    case KNOB_BOOST:
        return r->boost_path != NULL;
    case KNOB_LIMIT:
        return true;
    }
    return false;
}

/* The panel's reason first: nothing is saved, locked or kept for what will be refused. */
static int check(const struct rack *r, enum knob k, const char *value, struct err *e)
{
    if (!is_word(value))
        return err_set(e, EXIT_CODE_USAGE, EINVAL, "That is no value for the %s", knob_name(k));
    if (k == KNOB_BOOST && strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
        return err_set(e, EXIT_CODE_USAGE, EINVAL, "The boost is on or off, not %s", value);
    if (!is_there(r, k))
        return rack_refused(e, k, value, ENOENT);
    if (r->panel.knobs[k].problem[0])
        return err_set(e, EXIT_CODE_INTERNAL, EACCES, "%s", r->panel.knobs[k].problem);
    return 0;
}

int rack_set(struct rack *r, enum knob k, const char *value, struct err *e)
{
    struct knob_state *s = &r->panel.knobs[k];
    int rc = check(r, k, value, e);

    if (rc == 0 && k != KNOB_LIMIT)
        rc = save(r, e);
    if (rc < 0)
        return rc;
    switch (k) {
    case KNOB_GOVERNOR:
        rc = set_governor(r, value, e);
        break;
    case KNOB_EPP:
        rc = set_epp(r, value, e);
        break;
    case KNOB_BOOST:
        rc = set_boost(r, value, e);
        break;
    case KNOB_LIMIT:
        rc = set_limit(r, value, e);
        break;
    }
    s->set_ns = clock_ns();
    if (rc == 0)
        snprintf(s->set, sizeof(s->set), "%s", value);
    return rc;
}

/* ---- back ---- */

bool rack_is_turned(const struct rack *r)
{
    return r->limit_fd >= 0 || r->journal.armed != 0;
}

int rack_restore(struct rack *r, struct err *e)
{
    int rc = 0;

    drop_limit(r);
    if (r->saved) {
        rc = keeper_release(r->keeper, e);
        r->keeper = NULL;
        close(r->lock_fd);
        r->lock_fd = -1;
        r->saved = false;
        journal_done(&r->journal);
        r->journal.armed = 0;
    }
    for (int k = 0; k < KNOB_COUNT; k++) {
        r->panel.knobs[k].set[0] = '\0';
        r->panel.knobs[k].was[0] = '\0';
        r->panel.knobs[k].set_ns = clock_ns();
    }
    return rc;
}

void rack_panel(const struct rack *r, struct knob_panel *out)
{
    *out = r->panel;
}

pid_t rack_keeper(const struct rack *r)
{
    return r->keeper ? keeper_pid(r->keeper) : 0;
}

struct rack *rack_new(const char *sysroot, const char *runtime_dir)
{
    struct rack *r = mem_zalloc(sizeof(*r));

    r->sysroot = mem_strdup(sysroot);
    r->dir = mem_strdup(runtime_dir);
    r->lock_fd = r->limit_fd = -1;
    find_all(r);
    find_choices(r);
    return r;
}

void rack_free(struct rack *r)
{
    if (!r)
        return;
    forget_policies(r);
    journal_done(&r->journal);
    free(r->sysroot);
    free(r->dir);
    free(r);
}
