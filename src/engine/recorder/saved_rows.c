/* A record as bytes, for a run that is continued in another process: rows with their nodes, jumps and events, and a
 * checksum. The next sample follows from the time of the run, which is loaded before. */
#include <limits.h>
#include <string.h>

#include "base/sentence.h"
#include "base/archive.h"
#include "recorder_impl.h"
#include "saltus/diagram.h"

/* "saltlog2", read as a number */
static const int64_t MAGIC = 0x32676f6c746c6173;

/* The counts come first; each has the bytes of its items left. */
static void counts(sal__archive *a, sal_recorder *rec) {
    const size_t row = (size_t)rec->row_size * sizeof(double);
    sal__int64(a, &rec->row_count, 0, row > 0 && a->mode == SAL__CHECK ? (int64_t)(a->size / row) : SAL__MAX_COUNT);
    sal__int64(a, &rec->event_count, 0, a->mode == SAL__CHECK ? (int64_t)a->size : SAL__MAX_COUNT);
    sal__int64(a, &rec->jump_rows.count, 0, a->mode == SAL__CHECK ? (int64_t)a->size : SAL__MAX_COUNT);
}

static void head(sal__archive *a, sal_recorder *rec) {
    int64_t magic = MAGIC;
    sal__int64(a, &magic, MAGIC, MAGIC);
    sal__int(a, &rec->width, rec->width, rec->width);
    sal__int(a, &rec->dense_rows.curve_count, rec->dense_rows.curve_count, rec->dense_rows.curve_count);
    const int nodes = sal__int(a, &rec->dense_rows.node_count, 0, SAL__MAX_NODES);
    sal__rule(a, nodes >= 2 || rec->dense_rows.curve_count == 0);
    const int inside = nodes > 0 ? (nodes - 1) * rec->dense_rows.curve_count : 0;
    sal__int(a, &rec->row_size, rec->width + 1 + inside, rec->width + 2 + inside);
    sal__int64(a, &rec->stride, 1, SAL__MAX_COUNT);
    sal__int64(a, &rec->offered_rows, 0, SAL__MAX_COUNT);
    sal__flag(a, &rec->is_stopped);
    sal__flag(a, &rec->has_resumed);
    sal__flag(a, &rec->last_was_skipped);
    sal__flag(a, &rec->jump_rows.has_before);
    sal__reals(a, rec->dense_rows.node, SAL__MAX_NODES);
    sal__reals(a, rec->dense_rows.weight, SAL__MAX_NODES);
}

static void event(sal__archive *a, const sal_system *system, sal__dated_event *e) {
    sal__real(a, &e->seen.time);
    const int part = sal__int(a, &e->seen.part, -1, sal_diagram_parts(system) - 1);
    const int index = sal__int(a, &e->seen.event, 0, INT_MAX);
    sal__rule(a, a->mode != SAL__CHECK || a->is_bad || part < 0 ||
                     sal_system_event(sal_diagram_part(system, part), index));
    sal__int64(a, &e->point, 0, SAL__MAX_COUNT);
}

/* The side before an update that is due is the last item. */
static size_t bytes_before(const sal_recorder *rec) {
    return rec->jump_rows.has_before ? ((size_t)rec->width + 1) * sizeof(double) : 0;
}

static void items(sal__archive *a, sal_recorder *rec) {
    sal__reals(a, rec->block, (size_t)rec->row_count * (size_t)rec->row_size);
    sal__reals(a, rec->jump_rows.block, 2 * (size_t)rec->jump_rows.count * ((size_t)rec->width + 1));
    sal__dated_event none = {0};
    for (int64_t i = 0; i < rec->event_count && !a->is_bad; i++)
        event(a, rec->sim->system, rec->event ? &rec->event[i] : &none);
    if (a->mode != SAL__READ)
        sal__bytes(a, rec->jump_rows.before, bytes_before(rec));
}

static size_t write_all(const sal_recorder *rec, sal__archive a) {
    sal_recorder copy = *rec;
    head(&a, &copy);
    counts(&a, &copy);
    items(&a, &copy);
    return a.at;
}

/* The last bytes: the hash of all before them. */
static const size_t CHECKSUM = sizeof(uint64_t);

static bool has_true_checksum(const void *bytes, size_t size) {
    if (size < CHECKSUM)
        return false;
    const uint64_t hash = sal_hash(bytes, size - CHECKSUM, 0);
    return memcmp((const char *)bytes + size - CHECKSUM, &hash, CHECKSUM) == 0;
}

size_t sal_recorder_save_size(const sal_recorder *rec) {
    return write_all(rec, (sal__archive){.mode = SAL__COUNT}) + CHECKSUM;
}

sal_status sal_recorder_save(const sal_recorder *rec, void *bytes, size_t size) {
    if (size != sal_recorder_save_size(rec))
        return SAL__REFUSE_CALL(rec->sim, SAL_EINVAL, "a save of this recorder needs ",
                                sal__whole_number((int64_t)sal_recorder_save_size(rec)).text, " bytes, not ",
                                sal__whole_number((int64_t)size).text, "; ask sal_recorder_save_size before each save");
    const size_t content = write_all(rec, sal__archive_to(bytes, size - CHECKSUM));
    const uint64_t hash = sal_hash(bytes, content, 0);
    memcpy((char *)bytes + content, &hash, CHECKSUM);
    return SAL_OK;
}

/* Checks the bytes and sets the sizes of `from`, a copy of the record that will have them. */
static bool check(sal_recorder *from, const void *bytes, size_t size, size_t *at) {
    sal__archive a = sal__archive_from(bytes, size);
    head(&a, from);
    if (a.is_bad || (from->jump_rows.has_before && !from->jump_rows.before))
        return false;
    sal__archive_read(&a);
    head(&a, from);
    a.mode = SAL__CHECK;
    *at = a.at;
    counts(&a, from);
    if (a.is_bad)
        return false;
    a.at = *at;
    a.mode = SAL__READ;
    counts(&a, from);
    a.mode = SAL__CHECK;
    *at = a.at;
    from->block = NULL, from->event = NULL, from->jump_rows.block = NULL;
    items(&a, from);
    return !a.is_bad && a.at == size;
}

static sal_status read_items(sal_recorder *from, const void *bytes, size_t size, size_t at) {
    const sal_allocator *mem = &from->mem;
    from->capacity = from->row_count;
    from->event_capacity = from->event_count;
    from->jump_rows.capacity = from->jump_rows.count;
    const size_t rows = (size_t)from->row_count * (size_t)from->row_size * sizeof(double);
    const size_t jumps = 2 * (size_t)from->jump_rows.count * ((size_t)from->width + 1) * sizeof(double);
    const size_t events = (size_t)from->event_count * sizeof *from->event;
    from->block = sal__alloc(mem, rows);
    from->event = sal__alloc(mem, events);
    from->jump_rows.block = sal__alloc(mem, jumps);
    sal__archive a = sal__archive_from(bytes, size);
    a.mode = SAL__READ;
    a.at = at;
    const bool has_room =
        (from->block || rows == 0) && (from->event || events == 0) && (from->jump_rows.block || jumps == 0);
    if (has_room)
        items(&a, from);
    return has_room ? SAL_OK : SAL_ENOMEM;
}

sal_status sal_recorder_load(sal_recorder *rec, const void *bytes, size_t size) {
    if (rec->is_evaluating)
        return SAL_ESTATE;
    sal_recorder from = *rec;
    size_t at = 0;
    const bool is_whole = has_true_checksum(bytes, size);
    size -= is_whole ? CHECKSUM : 0;
    if (!is_whole || !check(&from, bytes, size, &at))
        return SAL__REFUSE_CALL(rec->sim, SAL_EINVAL,
                                "the bytes are not a save of a recorder with these channels and this interval, or are "
                                "damaged; load what sal_recorder_save wrote");
    sal_status status = read_items(&from, bytes, size, at);
    const size_t before = bytes_before(&from);
    from.jump_rows.has_before = false;
    if (status == SAL_OK)
        status = sal_recorder_copy(rec, &from);
    rec->jump_rows.has_before = status == SAL_OK ? before > 0 : rec->jump_rows.has_before;
    if (status == SAL_OK)
        sal__recorder_resume_samples(rec, sal_context_time(sal_simulator_context(rec->sim)));
    if (status == SAL_OK && before > 0)
        memcpy(rec->jump_rows.before, (const char *)bytes + size - before, before);
    sal__free(&rec->mem, from.block, (size_t)from.row_count * (size_t)from.row_size * sizeof(double));
    sal__free(&rec->mem, from.event, (size_t)from.event_count * sizeof *from.event);
    sal__free(&rec->mem, from.jump_rows.block,
              2 * (size_t)from.jump_rows.count * ((size_t)from.width + 1) * sizeof(double));
    return status;
}
