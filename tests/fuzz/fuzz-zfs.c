/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What ZFS's programs and kstats say may be anything: the pool that comes out is a tree all the
 * same, with names that end, and its stack can be said and measured.
 */
#include <stdint.h>
#include <string.h>

#include "fuzz.h"
#include "sthd/zfs.h"

static void check_pool(const struct zpool *p)
{
    FUZZ_CHECK(p->n > 0 && *p->name && strlen(p->name) < ZFS_NAME && strlen(p->state) < 24);
    for (size_t i = 0; i < p->n; i++) {
        const struct vdev *v = &p->vdevs[i];
        FUZZ_CHECK(strlen(v->name) < ZFS_NAME);
        FUZZ_CHECK(v->parent == STACK_NONE || (v->parent < i && p->vdevs[v->parent].group));
        FUZZ_CHECK(v->parent == STACK_NONE || p->vdevs[v->parent].duty == v->duty);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), dataset[ZFS_NAME];
    struct zfs_properties properties;
    struct zpool pool;
    struct zil zil;
    struct buf b = BUF_INIT;
    struct err e;
    int major, minor;

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (zpool_status_parse(&pool, text, &e) == 0)
        check_pool(&pool);
    else
        FUZZ_CHECK(pool.n == 0 && !pool.vdevs);
    zpool_done(&pool);
    memset(&properties, 0, sizeof(properties));
    zfs_properties_parse(&properties, text);
    if (zil_parse(&zil, text))
        zil_sentence(&zil, &b);
    if (zil_dataset(text, dataset))
        FUZZ_CHECK(*dataset && strlen(dataset) < ZFS_NAME && !strchr(dataset, '\n'));
    zfs_version_parse(text, &major, &minor);
    buf_done(&b);
    free(text);
    return 0;
}
