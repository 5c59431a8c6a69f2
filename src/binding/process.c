/* core.process: what the command needs of the operating system and standard Lua lacks. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

#include "binding.h"

/* yes = is_terminal(descriptor) */
static int l_is_terminal(lua_State *L) {
    lua_pushboolean(L, isatty((int)luaL_checkinteger(L, 1)));
    return 1;
}

/* columns = columns(descriptor): the width of a terminal; nil if it is none */
static int l_columns(lua_State *L) {
    struct winsize size = {0};
    if (ioctl((int)luaL_checkinteger(L, 1), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 0;
    lua_pushinteger(L, size.ws_col);
    return 1;
}

/* number = file_number(path): equal for all names of one file; nil if the path is of no plain file */
static int l_file_number(lua_State *L) {
    l_check_files(L, "file_number");
    struct stat of;
    if (stat(luaL_checkstring(L, 1), &of) != 0 || !S_ISREG(of.st_mode))
        return 0;
    lua_pushfstring(L, "%I:%I", (LUAI_UACINT)of.st_dev, (LUAI_UACINT)of.st_ino);
    return 1;
}

/* true = can_write(path), or nil and why; opens and makes nothing: a pipe may have one reader only */
static int l_can_write(lua_State *L) {
    l_check_files(L, "can_write");
    const char *path = luaL_checkstring(L, 1), *wrong = NULL;
    struct stat of;
    if (stat(path, &of) == 0) {
        if (S_ISDIR(of.st_mode) || access(path, W_OK) != 0)
            wrong = strerror(S_ISDIR(of.st_mode) ? EISDIR : errno);
    } else if (errno != ENOENT || path[0] == '\0') {
        wrong = strerror(errno);
    } else {
        const char *slash = strrchr(path, '/');
        lua_pushlstring(L, path, slash ? (size_t)(slash - path) + 1 : 0);
        if (access(slash ? lua_tostring(L, -1) : ".", W_OK | X_OK) != 0)
            wrong = strerror(errno);
    }
    if (!wrong) {
        lua_pushboolean(L, true);
        return 1;
    }
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", path, wrong);
    return 2;
}

/* yes = is_standard_output(path): /dev/stdout, or the file that it was redirected to */
static int l_is_standard_output(lua_State *L) {
    struct stat of, out;
    lua_pushboolean(L, stat(luaL_checkstring(L, 1), &of) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
                           of.st_dev == out.st_dev && of.st_ino == out.st_ino);
    return 1;
}

/* Makes an empty file beside `target`, with the permissions of `old`, or else those of a new file; pushes its path. */
static bool make_beside(lua_State *L, const char *target, const struct stat *old) {
    for (int k = 0; k < 100; k++) {
        const char *path = lua_pushfstring(L, "%s.%d-%d.new", target, (int)getpid(), k);
        l_set_unfinished(l_runs_of(L), path);
        const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            const bool kept = !old || fchmod(fd, old->st_mode & 0777) == 0;
            close(fd);
            if (kept)
                return true;
            unlink(path);
        }
        lua_pop(L, 1);
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* beside, target = make_beside(path): an empty file in the folder of `target`, the file that this path leads to.
 * Written and renamed to `target`, it replaces that file as a whole. nil where this is impossible: for pipes, devices,
 * links to nothing, and in folders that take no new file. */
static int l_make_beside(lua_State *L) {
    l_check_files(L, "make_beside");
    const char *path = luaL_checkstring(L, 1);
    struct stat of;
    const bool exists = lstat(path, &of) == 0;
    if (exists && (stat(path, &of) != 0 || !S_ISREG(of.st_mode) || access(path, W_OK) != 0))
        return 0;
    char real[PATH_MAX];
    const char *target = exists ? realpath(path, real) : path;
    if (!target || !make_beside(L, target, exists ? &of : NULL))
        return 0;
    lua_pushstring(L, target);
    return 2;
}

/* seconds = clock(): real time, from an unknown start */
static int l_clock(lua_State *L) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    lua_pushnumber(L, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
    return 1;
}

/* sleep(seconds): waits in real time, less if a signal comes */
static int l_sleep(lua_State *L) {
    l_check_files(L, "sleep");
    const double seconds = luaL_checknumber(L, 1);
    luaL_argcheck(L, seconds >= 0 && seconds <= 3600, 1, "seconds must be from 0 to 3600");
    const double whole = floor(seconds);
    nanosleep(&(struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (seconds - whole))}, NULL);
    return 0;
}

/* bytes = peak_memory(): the most memory that the process has used */
static int l_peak_memory(lua_State *L) {
    struct rusage used;
    const double unit =
#ifdef __APPLE__
        1;
#else
        1024;
#endif
    lua_pushnumber(L, getrusage(RUSAGE_SELF, &used) == 0 ? unit * (double)used.ru_maxrss : 0);
    return 1;
}

/* true = make_folder(path), or nil and why; an existing folder is no error */
static int l_make_folder(lua_State *L) {
    l_check_files(L, "make_folder");
    const char *path = luaL_checkstring(L, 1);
    struct stat there;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &there) == 0 && S_ISDIR(there.st_mode))) {
        lua_pushboolean(L, true);
        return 1;
    }
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", path, strerror(errno));
    return 2;
}

/* names = list_folder(path), in no order; those of folders end with "/"; nil if it is no folder */
static int l_list_folder(lua_State *L) {
    l_check_files(L, "list_folder");
    const char *path = luaL_checkstring(L, 1);
    DIR *folder = opendir(path);
    if (!folder)
        return 0;
    lua_newtable(L);
    lua_Integer count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        struct stat of;
        const char *whole = lua_pushfstring(L, "%s/%s", path, entry->d_name);
        const bool is_folder = stat(whole, &of) == 0 && S_ISDIR(of.st_mode);
        lua_pop(L, 1);
        lua_pushfstring(L, "%s%s", entry->d_name, is_folder ? "/" : "");
        lua_rawseti(L, -2, ++count);
    }
    closedir(folder);
    return 1;
}

/* path = executable(): of this program; nil where the system does not say it */
static int l_executable(lua_State *L) {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || (size_t)length == sizeof path)
        return 0;
    lua_pushlstring(L, path, (size_t)length);
    return 1;
}

/* end_with_parent(parent): this process gets SIGTERM when the process that started it ends, or now if it has ended;
 * nothing where the system has no such thing */
static int l_end_with_parent(lua_State *L) {
    l_check_files(L, "end_with_parent");
    const lua_Integer parent = luaL_checkinteger(L, 1);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        raise(SIGTERM);
#else
    (void)parent;
#endif
    return 0;
}

/* number = copy_output(): another descriptor of standard output, which processes that are started inherit; 2, the one
 * of errors, if there is no standard output */
static int l_copy_output(lua_State *L) {
    l_check_files(L, "copy_output");
    const int copy = fcntl(STDOUT_FILENO, F_DUPFD, STDERR_FILENO + 1);
    lua_pushinteger(L, copy < 0 ? STDERR_FILENO : copy);
    return 1;
}

/* close_copy(number): of copy_output */
static int l_close_copy(lua_State *L) {
    l_check_files(L, "close_copy");
    const lua_Integer copy = luaL_checkinteger(L, 1);
    if (copy > STDERR_FILENO)
        close((int)copy);
    return 0;
}

static int close_stream(lua_State *L) {
    const luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    return luaL_fileresult(L, fclose(stream->f) == 0, NULL);
}

/* file = move_output(number): what is printed from now on goes to the descriptor; the file is what standard output was,
 * and no process that is started inherits it */
static int l_move_output(lua_State *L) {
    l_check_files(L, "move_output");
    const int other = (int)luaL_checkinteger(L, 1);
    luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
    stream->closef = NULL; /* closed, for the collector */
    luaL_setmetatable(L, LUA_FILEHANDLE);
    fflush(stdout);
    const int before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    stream->f = before < 0 ? NULL : fdopen(before, "w");
    if (!stream->f || dup2(other, STDOUT_FILENO) < 0)
        return luaL_error(L, "descriptor %d: %s", other, strerror(errno));
    stream->closef = close_stream;
    if (other > STDERR_FILENO)
        close(other);
    return 1;
}

/* index = wait_readable(files, seconds): the first of these pipes that has bytes or has ended; nil after that time, or
 * when a signal comes */
static int l_wait_readable(lua_State *L) {
    l_check_files(L, "wait_readable");
    luaL_checktype(L, 1, LUA_TTABLE);
    const double seconds = luaL_checknumber(L, 2);
    luaL_argcheck(L, seconds >= 0 && seconds <= 3600, 2, "seconds must be from 0 to 3600");
    const lua_Integer count = luaL_len(L, 1);
    struct pollfd *pipes = lua_newuserdatauv(L, sizeof *pipes * (size_t)count, 0);
    for (lua_Integer i = 0; i < count; i++) {
        lua_geti(L, 1, i + 1);
        const luaL_Stream *stream = luaL_checkudata(L, -1, LUA_FILEHANDLE);
        pipes[i] = (struct pollfd){.fd = stream->closef ? fileno(stream->f) : -1, .events = POLLIN};
        lua_pop(L, 1);
    }
    if (poll(pipes, (nfds_t)count, (int)(1000 * seconds)) <= 0)
        return 0;
    lua_Integer first = 0;
    while (pipes[first].revents == 0)
        first++;
    lua_pushinteger(L, first + 1);
    return 1;
}

/* text = read_some(file): what a pipe has now, at least one byte; nil at its end. Not together with file:read. */
static int l_read_some(lua_State *L) {
    l_check_files(L, "read_some");
    const luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    luaL_argcheck(L, stream->closef, 1, "a closed file");
    luaL_Buffer text;
    char *room = luaL_buffinitsize(L, &text, 65536);
    ssize_t length;
    do
        length = read(fileno(stream->f), room, 65536);
    while (length < 0 && errno == EINTR);
    if (length <= 0)
        return 0;
    luaL_pushresultsize(&text, (size_t)length);
    return 1;
}

void l_open_process(lua_State *L) {
    static const luaL_Reg functions[] = {{"is_terminal", l_is_terminal},
                                         {"columns", l_columns},
                                         {"file_number", l_file_number},
                                         {"can_write", l_can_write},
                                         {"is_standard_output", l_is_standard_output},
                                         {"make_beside", l_make_beside},
                                         {"clock", l_clock},
                                         {"peak_memory", l_peak_memory},
                                         {"make_folder", l_make_folder},
                                         {"list_folder", l_list_folder},
                                         {"executable", l_executable},
                                         {"copy_output", l_copy_output},
                                         {"close_copy", l_close_copy},
                                         {"move_output", l_move_output},
                                         {"sleep", l_sleep},
                                         {"wait_readable", l_wait_readable},
                                         {"read_some", l_read_some},
                                         {"end_with_parent", l_end_with_parent},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_setfield(L, -2, "process");
}
