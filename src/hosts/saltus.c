/* The command saltus: a Lua state with the engine linked in. Arguments, files and reports are handled in
 * lua/saltus/cli/main.lua.
 *
 * The Lua files are found relative to the executable: ../../lua in a build tree, ../../../lua in one of several, such
 * as build/asan, ../share/lua/5.4 in an installation. LUA_PATH adds to them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

int luaopen_saltus_core(lua_State *L);
int l_read_line(lua_State *L);     /* line_editor.c */
void l_interrupt_runs(void *runs); /* src/binding/interrupt.c */
void l_allow_runs(void *runs);
void l_remove_unfinished(void *runs);
void l_hook_running_story(void *runs, lua_Hook hook, int mask, int count);

/* ---- signals ---- */

enum { MOST_WORKERS = 1024 };

/* State shared with the signal handlers. Signals belong to the process, so there is one state. */
static struct {
    lua_State *volatile L;        /* NULL: it is being closed */
    void *volatile runs;          /* NULL: nothing can run yet, or any more */
    volatile sig_atomic_t caught; /* the signal; 0: none */
    volatile sig_atomic_t held;   /* the results are being written: Lua is not stopped */
    double at;                    /* when it was caught */
    double lenient;               /* until then Lua is not stopped */
    pid_t workers[MOST_WORKERS];  /* the processes that end with this one */
    volatile sig_atomic_t worker_count;
} signals;

static double now(void) {
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { INSTRUCTIONS = 1000 };     /* Lua instructions between two checks of the clock */
static const double grace = 0.25; /* s that a closure has to return by itself, so that its step is complete */

/* The error names the line that runs. */
static void stop_lua(lua_State *L, lua_Debug *at) {
    if (!signals.caught) /* a coroutine that goes on after l_forget */
        lua_sethook(L, NULL, 0, 0);
    if (!signals.caught || signals.held || now() < signals.lenient)
        return;
    signals.lenient = now() + grace; /* for what the error unwinds: a sweep closes its file */
    lua_getinfo(L, "Sl", at);
    lua_pushfstring(L, "%s:%d: interrupted", at->short_src, at->currentline);
    lua_error(L);
}

static void end_worker(pid_t worker) {
    kill(worker, SIGTERM); /* async-signal-safe */
}

static void interrupt(int signal) {
    signals.at = now();
    signals.lenient = signals.at + grace;
    signals.caught = signal;
    for (int i = 0; i < signals.worker_count; i++)
        end_worker(signals.workers[i]);
    if (signals.runs)
        l_interrupt_runs(signals.runs);
    if (signals.L)
        lua_sethook(signals.L, stop_lua, LUA_MASKCOUNT, INSTRUCTIONS); /* async-signal-safe */
    if (signals.runs)
        l_hook_running_story(signals.runs, stop_lua, LUA_MASKCOUNT, INSTRUCTIONS);
}

static void handle(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(number, &action, NULL);
}

static const double echo = 0.1; /* s during which a repeated signal counts as the same one: timeout(1) sends it twice */

/* Ends the run at its next step, and a closure that does not return where it is; a second signal ends the program. */
static void on_end(int signal) {
    if (!signals.caught || signals.caught == SIGPIPE) {
        interrupt(signal);
    } else if (now() - signals.at > echo) {
        if (signals.runs)
            l_remove_unfinished(signals.runs);
        handle(signal, SIG_DFL);
        raise(signal);
    }
}

/* Ends a run whose standard output is closed. Other broken pipes are errors of their writers. */
static void on_broken_pipe(int signal) {
    const int was = errno;
    struct pollfd out = {STDOUT_FILENO, 0, 0};
    if (!signals.caught && poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)))
        interrupt(signal);
    errno = was;
}

static void unless_ignored(int number, void (*handler)(int)) {
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* by nohup, or by a shell's & */
        handle(number, handler);
}

/* number, name = host.caught(): the signal that ends the run; nil: no signal */
static int l_caught(lua_State *L) {
    if (signals.caught == 0)
        return 0;
    lua_pushinteger(L, signals.caught);
    lua_pushstring(L, signals.caught == SIGPIPE ? "closed" : "interrupted");
    return 2;
}

/* host.hold(): from now on a first signal does not stop Lua, but caught() returns it; a second one still ends the
 * program */
static int l_hold(lua_State *L) {
    (void)L;
    signals.held = 1;
    return 0;
}

/* host.take_along(worker): a signal that ends this program ends that process too; without an argument: no process.
 * While this program waits for rows of a worker, no Lua runs: so the handler itself passes the signal on. */
static int l_take_along(lua_State *L) {
    if (lua_isnone(L, 1)) {
        signals.worker_count = 0;
        return 0;
    }
    const lua_Integer worker = luaL_checkinteger(L, 1);
    luaL_argcheck(L, worker > 1 && worker <= INT_MAX, 1, "no number of a process");
    luaL_argcheck(L, signals.worker_count < MOST_WORKERS, 1, "too many processes");
    signals.workers[signals.worker_count] = (pid_t)worker;
    signals.worker_count = signals.worker_count + 1;
    if (signals.caught)
        end_worker((pid_t)worker);
    return 0;
}

/* host.attend(runs): from now on simulators can run; after a signal, each of them ends at once */
static int l_attend(lua_State *L) {
    signals.runs = lua_touserdata(L, 1);
    if (signals.caught)
        l_interrupt_runs(signals.runs);
    return 0;
}

/* host.forget(): no signal was caught */
static int l_forget(lua_State *L) {
    lua_sethook(L, NULL, 0, 0);
    signals.caught = 0;
    if (signals.runs)
        l_allow_runs(signals.runs);
    return 0;
}

/* ---- standard streams ---- */

/* Opens a closed standard stream so that its use fails; otherwise the next file that is opened would take its
 * number. */
static void open_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Exits with a failure if standard output could not be written completely. */
static void close_output(void) {
    errno = 0;
    const bool flushed = fflush(stdout) == 0;
    if (flushed && !ferror(stdout))
        return;
    if (signals.caught != SIGPIPE)
        fprintf(stderr, "saltus: cannot write to standard output%s%s\n", flushed ? "" : ": ",
                flushed ? "" : strerror(errno));
    _exit(EXIT_FAILURE);
}

/* saltus.host: the signals that the program caught. */
static int open_host(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"caught", l_caught},         {"hold", l_hold},           {"attend", l_attend}, {"forget", l_forget},
        {"take_along", l_take_along}, {"read_line", l_read_line}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}

/* Pushes the executable's folder without the slash; false if it cannot be found. */
static bool own_folder(char *out, size_t size) {
    const ssize_t n = readlink("/proc/self/exe", out, size - 1);
    if (n <= 0)
        return false;
    out[n] = '\0';
    char *slash = strrchr(out, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

/* Returns the folder of lua/saltus/cli/main.lua; NULL: use the default path only. */
static const char *push_lua_folder(lua_State *L) {
    static const char *const places[] = {"../../lua", "../share/lua/5.4", "../lua", "../../../lua"};
    char folder[PATH_MAX];
    if (!own_folder(folder, sizeof folder))
        return NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *place = lua_pushfstring(L, "%s/%s", folder, places[i]);
        const char *file = lua_pushfstring(L, "%s/saltus/cli/main.lua", place);
        const bool there = access(file, R_OK) == 0;
        lua_pop(L, 1);
        if (there)
            return place;
        lua_pop(L, 1);
    }
    return NULL;
}

static void set_path(lua_State *L) {
    const char *folder = push_lua_folder(L);
    if (!folder)
        return;
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "path");
    lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s", folder, folder, lua_tostring(L, -1));
    lua_setfield(L, -3, "path");
}

static void push_arguments(lua_State *L, int argc, char **argv) {
    lua_createtable(L, argc, 1);
    for (int i = 0; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i);
    }
}

/* In protected mode: status = require("saltus.cli.main").main(arguments) */
static int run(lua_State *L) {
    const int argc = (int)lua_tointeger(L, 1);
    char **argv = lua_touserdata(L, 2);
    luaL_openlibs(L);
    set_path(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_saltus_core);
    lua_setfield(L, -2, "saltus.core");
    lua_pushcfunction(L, open_host);
    lua_setfield(L, -2, "saltus.host");
    lua_getglobal(L, "require");
    lua_pushliteral(L, "saltus.cli.main");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "main");
    push_arguments(L, argc, argv);
    lua_call(L, 1, 1);
    return 1;
}

/* Prints why `run` failed and returns the exit status. A signal while the command's own Lua files are loaded is no
 * error of theirs; that of a process of a sweep is reported by the first process. */
static int tell_failure(lua_State *L) {
    if (signals.caught == 0)
        fprintf(stderr, "saltus: %s\n", lua_isstring(L, -1) ? lua_tostring(L, -1) : "an error that is not a text");
    else if (!getenv("SALTUS_SWEEP_WORKER"))
        fputs("saltus: interrupted\n", stderr);
    return signals.caught == 0 || signals.caught == SIGPIPE ? EXIT_FAILURE : 128 + signals.caught;
}

int main(int argc, char **argv) {
    open_streams();
    atexit(close_output);
    lua_State *L = luaL_newstate();
    if (!L) {
        fputs("saltus: not enough memory\n", stderr);
        return EXIT_FAILURE;
    }
    signals.L = L;
    unless_ignored(SIGINT, on_end);
    unless_ignored(SIGTERM, on_end);
    unless_ignored(SIGPIPE, on_broken_pipe);
    handle(SIGXFSZ, SIG_IGN); /* writing to a file that is too large fails, as on a full disk */
    lua_pushcfunction(L, run);
    lua_pushinteger(L, argc);
    lua_pushlightuserdata(L, argv);
    const bool ran = lua_pcall(L, 2, 1, 0) == LUA_OK;
    const int code = ran ? (int)lua_tointeger(L, -1) : tell_failure(L);
    handle(SIGINT, SIG_DFL);
    handle(SIGTERM, SIG_DFL);
    signals.runs = NULL; /* SIGPIPE may still come: standard output is written at the exit */
    signals.L = NULL;
    lua_close(L);
    return code;
}
