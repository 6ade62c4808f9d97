/* Makes the Nth call that changes a file fail, or ends the process there; or writes down every such call.

   Preloaded (LD_PRELOAD); built by injector.py with `cc -shared -fPIC`. Only calls on paths that hold FAULT_MATCH
   count: writes, truncations, syncs, renames, links, removals, and opens for writing. Armed by the environment when the
   process starts, or at any time by fault_arm().

   modes   kill    SIGKILL instead of the call
           tear    SIGKILL after half of a write; after the whole of any other call
           enospc  the call fails: no space left on device
           eio     the call fails: input/output error
   sticky  every later call fails too
   calls   only these count, e.g. "sync" or "write,rename"; empty: all
   record  a file that gets every call with its data, for images of a power loss; see power.py */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE, KILL, TEAR, ENOSPC_, EIO_ };

static char match[1024], calls[256];
static long count, at = -1;
static int mode, sticky, record_fd = -1;

typedef ssize_t (*write_call)(int, const void *, size_t);
static write_call real_write(void) {
  static write_call call;
  if (!call) call = (write_call)dlsym(RTLD_NEXT, "write");
  return call;
}

static int mode_of(const char *name) {
  if (!name) return NONE;
  if (!strcmp(name, "kill")) return KILL;
  if (!strcmp(name, "tear")) return TEAR;
  if (!strcmp(name, "enospc")) return ENOSPC_;
  if (!strcmp(name, "eio")) return EIO_;
  return NONE;
}

/* at 0: only count. */
void fault_arm(const char *match_, long at_, const char *mode_, int sticky_, const char *calls_, const char *record_) {
  snprintf(match, sizeof match, "%s", match_ ? match_ : "");
  snprintf(calls, sizeof calls, "%s", calls_ ? calls_ : "");
  count = 0;
  mode = mode_of(mode_);
  sticky = sticky_;
  if (record_fd >= 0) close(record_fd);
  record_fd = -1;
  at = -1;
  if (record_ && *record_) {
    int fd = open(record_, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    record_fd = fcntl(fd, F_DUPFD_CLOEXEC, 500);
    close(fd);
  }
  at = *match ? at_ : -1;
}

long fault_count(void) { return count; }

__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("FAULT_AT");
  if (getenv("FAULT_MATCH"))
    fault_arm(getenv("FAULT_MATCH"), number ? atol(number) : 0, getenv("FAULT_MODE"), getenv("FAULT_STICKY") != NULL,
              getenv("FAULT_CALLS"), getenv("FAULT_RECORD"));
  unsetenv("FAULT_MATCH"); /* not for the children of this process */
}

static int is_ours(const char *path) { return at >= 0 && *match && strstr(path, match) != NULL; }

static int path_of(int fd, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  path[length < 0 ? 0 : length] = 0;
  return length > 0;
}

static void path_at(int folder, const char *name, char *path, size_t size) {
  if (name[0] == '/') {
    snprintf(path, size, "%s", name);
    return;
  }
  char base[2048];
  if (folder == AT_FDCWD) {
    if (!getcwd(base, sizeof base)) base[0] = 0;
  } else
    path_of(folder, base, sizeof base);
  snprintf(path, size, "%s/%s", base, name);
}

/* What to do with this call: NONE, or the mode. */
static int hit(const char *call) {
  if (*calls && !strstr(calls, call)) return NONE;
  long now = ++count;
  return at > 0 && (now == at || (sticky && now > at)) ? mode : NONE;
}

/* For the modes that let nothing through: true if the call fails. */
static int fails(int what) {
  if (what == KILL) kill(getpid(), SIGKILL);
  if (what == ENOSPC_) errno = ENOSPC;
  if (what == EIO_) errno = EIO;
  return what == ENOSPC_ || what == EIO_;
}

struct header {
  char op[16];
  uint64_t inode, offset, length;
  uint32_t path, other;
};

static void record(const char *op, uint64_t inode, uint64_t offset, const char *path, const char *other, const void *data,
                   size_t length) {
  if (record_fd < 0) return;
  int saved = errno;
  struct header header = {"", inode, offset, length, path ? strlen(path) : 0, other ? strlen(other) : 0};
  strncpy(header.op, op, sizeof header.op - 1);
  real_write()(record_fd, &header, sizeof header);
  if (path) real_write()(record_fd, path, header.path);
  if (other) real_write()(record_fd, other, header.other);
  if (data && length) real_write()(record_fd, data, length);
  errno = saved;
}

/* Something that happened outside of any file: a command was answered. */
void fault_mark(const char *text) { record("mark", 0, 0, text, NULL, NULL, 0); }

static uint64_t inode_of(int fd) {
  struct stat found;
  return fstat(fd, &found) ? 0 : found.st_ino;
}

#define REAL(name)                          \
  static __typeof__(name) *real;            \
  if (!real) real = dlsym(RTLD_NEXT, #name)

static ssize_t wrote(int fd, const void *data, ssize_t done, off64_t offset) {
  if (record_fd >= 0 && done > 0) {
    char path[2048];
    path_of(fd, path, sizeof path);
    record("write", inode_of(fd), offset, path, NULL, data, done);
  }
  return done;
}

static off64_t position(int fd) {
  if (record_fd < 0) return 0;
  return lseek64(fd, 0, fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
}

/* A write: half of it, if it is to be torn. */
#define WRITE(declaration, name, half, whole, offset_)                        \
  declaration {                                                               \
    REAL(name);                                                               \
    char path[2048];                                                          \
    if (at < 0 || fd < 3 || !path_of(fd, path, sizeof path) || !is_ours(path)) return whole; \
    int what = hit("write");                                                  \
    if (what == TEAR) {                                                       \
      ssize_t some = half;                                                    \
      (void)some;                                                             \
      kill(getpid(), SIGKILL);                                                \
    }                                                                         \
    if (fails(what)) return -1;                                               \
    off64_t offset = offset_;                                                 \
    return wrote(fd, data, whole, offset);                                    \
  }

WRITE(ssize_t write(int fd, const void *data, size_t size), write, real(fd, data, size / 2), real(fd, data, size), position(fd))
WRITE(ssize_t pwrite(int fd, const void *data, size_t size, off_t where), pwrite, real(fd, data, size / 2, where),
      real(fd, data, size, where), where)
WRITE(ssize_t pwrite64(int fd, const void *data, size_t size, off64_t where), pwrite64, real(fd, data, size / 2, where),
      real(fd, data, size, where), where)

/* Nobody of ours writes vectors with data to record: they only fail. */
#define VECTOR(declaration, name, whole)                                      \
  declaration {                                                               \
    REAL(name);                                                               \
    char path[2048];                                                          \
    if (at < 0 || fd < 3 || !path_of(fd, path, sizeof path) || !is_ours(path)) return whole; \
    int what = hit("write");                                                  \
    if (what == TEAR) kill(getpid(), SIGKILL);                                \
    return fails(what) ? -1 : whole;                                          \
  }

VECTOR(ssize_t writev(int fd, const struct iovec *parts, int number), writev, real(fd, parts, number))
VECTOR(ssize_t pwritev(int fd, const struct iovec *parts, int number, off_t where), pwritev, real(fd, parts, number, where))
VECTOR(ssize_t pwritev64(int fd, const struct iovec *parts, int number, off64_t where), pwritev64,
       real(fd, parts, number, where))

/* A call on a descriptor, whole or not at all. */
#define ON_FILE(declaration, name, kind, whole, op, offset)                   \
  declaration {                                                               \
    REAL(name);                                                               \
    char path[2048];                                                          \
    path[0] = 0;                                                              \
    if (at < 0 || !path_of(fd, path, sizeof path) || !is_ours(path)) return whole; \
    int what = hit(kind);                                                     \
    if (fails(what)) return -1;                                               \
    int done = whole;                                                         \
    if (done == 0) record(op, inode_of(fd), offset, path, NULL, NULL, 0);     \
    if (what == TEAR) kill(getpid(), SIGKILL);                                \
    return done;                                                              \
  }

/* Nothing is really synced: the death of a process loses nothing that was written, and a sweep syncs a million times. */
ON_FILE(int fsync(int fd), fsync, "sync", (is_ours(path) ? 0 : real(fd)), "sync", 0)
ON_FILE(int fdatasync(int fd), fdatasync, "sync", (is_ours(path) ? 0 : real(fd)), "sync", 0)
ON_FILE(int ftruncate(int fd, off_t size), ftruncate, "truncate", real(fd, size), "truncate", size)
ON_FILE(int ftruncate64(int fd, off64_t size), ftruncate64, "truncate", real(fd, size), "truncate", size)

/* A call on names. */
#define ON_NAMES(declaration, name, kind, whole, one, two, op, flags)         \
  declaration {                                                               \
    REAL(name);                                                               \
    char path[2048], other[2048];                                             \
    if (at < 0) return whole;                                                 \
    one;                                                                      \
    other[0] = 0;                                                             \
    two;                                                                      \
    if (!is_ours(path) && !is_ours(other)) return whole;                      \
    int what = hit(kind);                                                     \
    if (fails(what)) return -1;                                               \
    int done = whole;                                                         \
    if (done == 0) record(op, 0, flags, path, other, NULL, 0);                \
    if (what == TEAR) kill(getpid(), SIGKILL);                                \
    return done;                                                              \
  }
#define PATH(folder, name) path_at(folder, name, path, sizeof path)
#define OTHER(folder, name) path_at(folder, name, other, sizeof other)

ON_NAMES(int rename(const char *from, const char *to), rename, "rename", real(from, to), PATH(AT_FDCWD, from),
         OTHER(AT_FDCWD, to), "rename", 0)
ON_NAMES(int renameat(int a, const char *from, int b, const char *to), renameat, "rename", real(a, from, b, to),
         PATH(a, from), OTHER(b, to), "rename", 0)
ON_NAMES(int renameat2(int a, const char *from, int b, const char *to, unsigned how), renameat2, "rename",
         real(a, from, b, to, how), PATH(a, from), OTHER(b, to), "rename", how)
ON_NAMES(int link(const char *from, const char *to), link, "link", real(from, to), PATH(AT_FDCWD, from),
         OTHER(AT_FDCWD, to), "link", 0)
ON_NAMES(int linkat(int a, const char *from, int b, const char *to, int how), linkat, "link", real(a, from, b, to, how),
         PATH(a, from), OTHER(b, to), "link", 0)
ON_NAMES(int unlink(const char *name), unlink, "unlink", real(name), PATH(AT_FDCWD, name), , "unlink", 0)
ON_NAMES(int unlinkat(int folder, const char *name, int how), unlinkat, "unlink", real(folder, name, how),
         PATH(folder, name), , how &AT_REMOVEDIR ? "rmdir" : "unlink", 0)
ON_NAMES(int mkdir(const char *name, mode_t rights), mkdir, "mkdir", real(name, rights), PATH(AT_FDCWD, name), , "mkdir", 0)

/* Opening for writing: O_CREAT, O_TRUNC or any right to write. */
#define OPEN(declaration, name, folder, passed)                               \
  declaration {                                                               \
    REAL(name);                                                               \
    mode_t rights = 0;                                                        \
    if (flags & (O_CREAT | O_TMPFILE)) {                                      \
      va_list more;                                                           \
      va_start(more, flags);                                                  \
      rights = va_arg(more, mode_t);                                          \
      va_end(more);                                                           \
    }                                                                         \
    if (at < 0 || !(flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR))) return real passed; \
    char path[2048];                                                          \
    struct stat found;                                                        \
    path_at(folder, file, path, sizeof path);                                 \
    if (!is_ours(path)) return real passed;                                   \
    int existed = lstat(path, &found) == 0;                                   \
    int what = hit("open");                                                   \
    if (fails(what)) return -1;                                               \
    int fd = real passed;                                                     \
    if (fd >= 0 && !existed) record("create", inode_of(fd), rights, path, NULL, NULL, 0); \
    if (fd >= 0 && existed && flags & O_TRUNC) record("truncate", inode_of(fd), 0, path, NULL, NULL, 0); \
    if (what == TEAR) kill(getpid(), SIGKILL);                                \
    return fd;                                                                \
  }

OPEN(int open(const char *file, int flags, ...), open, AT_FDCWD, (file, flags, rights))
OPEN(int open64(const char *file, int flags, ...), open64, AT_FDCWD, (file, flags, rights))
OPEN(int openat(int folder, const char *file, int flags, ...), openat, folder, (folder, file, flags, rights))
OPEN(int openat64(int folder, const char *file, int flags, ...), openat64, folder, (folder, file, flags, rights))

__attribute__((destructor)) static void end(void) {
  const char *name = getenv("FAULT_COUNT");
  FILE *file = name ? fopen(name, "w") : NULL;
  if (file) {
    fprintf(file, "%ld", count);
    fclose(file);
  }
}
