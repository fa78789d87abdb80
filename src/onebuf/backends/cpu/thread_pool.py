"""The thread pool as LLVM IR: how workers wait, and how a job is divided.

All state is one global variable, so that it lives as long as the code, and no worker outlives it.
Each field has a cache line of its own, of 64 bytes, to avoid false sharing:

======  =========  ============================================================================
byte    name       meaning
======  =========  ============================================================================
0       epoch      counts jobs; workers that wait for one watch it
64      sleepers   how many workers sleep
128     job        function, args, count, chunk, the most workers that may join
192     next       the first index that is not taken
256     state      OPEN: the job may be joined; WAITING: its caller sleeps; how many are in it
320     busy       1 while a caller uses the pool
384     spins      how often to look before sleeping
448     mutex      where there are no futexes: for sleeping
576     condition  likewise
======  =========  ============================================================================

A worker joins by adding one to ``state`` while that is OPEN, and only then reads the job. The
caller works too; when no index is left it clears OPEN and waits for the workers that joined. A
worker that wakes late finds the job closed and has read nothing, so that the caller never waits for
a worker to wake up, and needs none to do so.
"""

from __future__ import annotations

from onebuf.backends.cpu.target import Target

STATE_NBYTES = 704
PIECES = 4
"""Chunks for each thread: enough for all to end at about the same time."""
_FUTEX = {"x86_64": 202, "aarch64": 98}
"""The number of Linux's system call, by architecture."""
_PAUSE = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
}

_WITH_FUTEX = """
declare i64 @syscall(i64, ...)

define internal void @prepare() nounwind {{
  ret void
}}
define internal void @sleep(ptr %word, i32 %value) nounwind noinline {{
  %none = call i64 (i64, ...) @syscall(i64 {number}, ptr %word, i32 128, i32 %value, ptr null)
  ret void
}}
define internal void @wake(ptr %word, i32 %count) nounwind noinline {{
  %none = call i64 (i64, ...) @syscall(i64 {number}, ptr %word, i32 129, i32 %count)
  ret void
}}
"""

_WITH_CONDITION = """
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)

define internal void @prepare() nounwind {
  %mutex = getelementptr i8, ptr @pool, i64 448
  %condition = getelementptr i8, ptr @pool, i64 576
  %1 = call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  %2 = call i32 @pthread_cond_init(ptr %condition, ptr null)
  ret void
}
define internal void @sleep(ptr %word, i32 %value) nounwind noinline {
  %mutex = getelementptr i8, ptr @pool, i64 448
  %condition = getelementptr i8, ptr @pool, i64 576
  %1 = call i32 @pthread_mutex_lock(ptr %mutex)
  br label %look
look:
  %now = load atomic i32, ptr %word seq_cst, align 4
  %same = icmp eq i32 %now, %value
  br i1 %same, label %wait, label %done
wait:
  %2 = call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  br label %look
done:
  %3 = call i32 @pthread_mutex_unlock(ptr %mutex)
  ret void
}
define internal void @wake(ptr %word, i32 %count) nounwind noinline {
  %mutex = getelementptr i8, ptr @pool, i64 448
  %condition = getelementptr i8, ptr @pool, i64 576
  %1 = call i32 @pthread_mutex_lock(ptr %mutex)
  %2 = call i32 @pthread_cond_broadcast(ptr %condition)
  %3 = call i32 @pthread_mutex_unlock(ptr %mutex)
  ret void
}
"""

_POOL = """
@pool = internal global [{nbytes} x i8] zeroinitializer, align 64
{declare_pause}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; Start without workers: at first, and in the child of a fork.
define void @reset() nounwind {{
  call void @llvm.memset.p0.i64(ptr @pool, i8 0, i64 {nbytes}, i1 false)
  call void @prepare()
  ret void
}}

define void @set_spins(i32 %spins) nounwind {{
  %at = getelementptr i8, ptr @pool, i64 384
  store atomic i32 %spins, ptr %at monotonic, align 4
  ret void
}}

; Spin until a word is not %value, or for as long as allowed: whether it has changed.
define internal i1 @spin(ptr %word, i32 %value) nounwind {{
entry:
  %at = getelementptr i8, ptr @pool, i64 384
  %most = load atomic i32, ptr %at monotonic, align 4
  br label %look
look:
  %i = phi i32 [0, %entry], [%next, %again]
  %now = load atomic i32, ptr %word acquire, align 4
  %changed = icmp ne i32 %now, %value
  br i1 %changed, label %done, label %again
again:
  {pause}
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %most
  br i1 %more, label %look, label %done
done:
  ret i1 %changed
}}

; Take chunks until none is left.
define internal void @work() nounwind {{
entry:
  %function.at = getelementptr i8, ptr @pool, i64 128
  %args.at = getelementptr i8, ptr @pool, i64 136
  %count.at = getelementptr i8, ptr @pool, i64 144
  %chunk.at = getelementptr i8, ptr @pool, i64 152
  %next.at = getelementptr i8, ptr @pool, i64 192
  %function = load ptr, ptr %function.at, align 8
  %args = load i64, ptr %args.at, align 8
  %count = load i64, ptr %count.at, align 8
  %chunk = load i64, ptr %chunk.at, align 8
  br label %take
take:
  %begin = atomicrmw add ptr %next.at, i64 %chunk monotonic, align 8
  %left = sub i64 %count, %begin
  %some = icmp sgt i64 %left, 0
  br i1 %some, label %run, label %done
run:
  %whole = icmp sgt i64 %left, %chunk
  %size = select i1 %whole, i64 %chunk, i64 %left
  %end = add i64 %begin, %size
  call void %function(i64 %args, i64 %begin, i64 %end)
  br label %take
done:
  ret void
}}

define void @worker() nounwind {{
entry:
  %epoch.at = getelementptr i8, ptr @pool, i64 0
  %sleepers.at = getelementptr i8, ptr @pool, i64 64
  %helpers.at = getelementptr i8, ptr @pool, i64 160
  %state.at = getelementptr i8, ptr @pool, i64 256
  br label %see  ; there may be a job already
wait:
  %seen = phi i32 [%seen, %slept], [%epoch, %closed], [%epoch, %leave], [%epoch, %rouse]
  %soon = call i1 @spin(ptr %epoch.at, i32 %seen)
  br i1 %soon, label %see, label %rest
rest:
  %1 = atomicrmw add ptr %sleepers.at, i32 1 seq_cst, align 4
  call void @sleep(ptr %epoch.at, i32 %seen)
  %2 = atomicrmw sub ptr %sleepers.at, i32 1 seq_cst, align 4
  br label %slept
slept:
  %now = load atomic i32, ptr %epoch.at acquire, align 4
  %same = icmp eq i32 %now, %seen
  br i1 %same, label %wait, label %see
see:
  %epoch = load atomic i32, ptr %epoch.at acquire, align 4
  br label %look
look:
  %state = load atomic i32, ptr %state.at acquire, align 4
  %open = and i32 %state, {OPEN}
  %may = icmp ne i32 %open, 0
  br i1 %may, label %limit, label %closed
limit:
  %inside = and i32 %state, {COUNT}
  %most = load atomic i32, ptr %helpers.at monotonic, align 4
  %room = icmp slt i32 %inside, %most
  br i1 %room, label %join, label %closed
closed:
  br label %wait
join:
  %more = add i32 %state, 1
  %pair = cmpxchg ptr %state.at, i32 %state, i32 %more acq_rel acquire, align 4
  %joined = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %joined, label %help, label %look
help:
  call void @work()
  %before = atomicrmw sub ptr %state.at, i32 1 acq_rel, align 4
  %last = icmp eq i32 %before, {WAITING_AND_ONE}
  br i1 %last, label %rouse, label %leave
rouse:
  call void @wake(ptr %state.at, i32 1)
  br label %wait
leave:
  br label %wait
}}

; Run a kernel on the indices from %begin to %count, on at most %threads threads.
define void @run(i64 %function, i64 %args, i64 %begin, i64 %count, i64 %grain, i64 %threads)
    nounwind {{
entry:
  %epoch.at = getelementptr i8, ptr @pool, i64 0
  %sleepers.at = getelementptr i8, ptr @pool, i64 64
  %function.at = getelementptr i8, ptr @pool, i64 128
  %args.at = getelementptr i8, ptr @pool, i64 136
  %count.at = getelementptr i8, ptr @pool, i64 144
  %chunk.at = getelementptr i8, ptr @pool, i64 152
  %helpers.at = getelementptr i8, ptr @pool, i64 160
  %next.at = getelementptr i8, ptr @pool, i64 192
  %state.at = getelementptr i8, ptr @pool, i64 256
  %busy.at = getelementptr i8, ptr @pool, i64 320
  %pair = cmpxchg ptr %busy.at, i32 0, i32 1 acquire monotonic, align 4
  %free = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %free, label %share, label %alone
alone:
  %kernel = inttoptr i64 %function to ptr
  call void %kernel(i64 %args, i64 %begin, i64 %count)
  ret void
share:
  %pieces = mul i64 %threads, {PIECES}
  %units = mul i64 %pieces, %grain
  %many = sub i64 %count, %begin
  %up = add i64 %many, %units
  %up.1 = sub i64 %up, 1
  %grains = sdiv i64 %up.1, %units
  %chunk = mul i64 %grains, %grain
  %others = sub i64 %threads, 1
  %helpers = trunc i64 %others to i32
  store i64 %function, ptr %function.at, align 8
  store i64 %args, ptr %args.at, align 8
  store i64 %count, ptr %count.at, align 8
  store i64 %chunk, ptr %chunk.at, align 8
  store atomic i32 %helpers, ptr %helpers.at monotonic, align 4
  store atomic i64 %begin, ptr %next.at monotonic, align 8
  store atomic i32 {OPEN}, ptr %state.at release, align 4
  %1 = atomicrmw add ptr %epoch.at, i32 1 seq_cst, align 4
  %sleepers = load atomic i32, ptr %sleepers.at seq_cst, align 4
  %asleep = icmp sgt i32 %sleepers, 0
  br i1 %asleep, label %rouse, label %start
rouse:
  call void @wake(ptr %epoch.at, i32 %helpers)
  br label %start
start:
  call void @work()
  %closed = atomicrmw and ptr %state.at, i32 {NOT_OPEN} acq_rel, align 4
  br label %wait
wait:
  %state = load atomic i32, ptr %state.at acquire, align 4
  %inside = and i32 %state, {COUNT}
  %nobody = icmp eq i32 %inside, 0
  br i1 %nobody, label %done, label %look
look:
  %soon = call i1 @spin(ptr %state.at, i32 %state)
  br i1 %soon, label %wait, label %rest
rest:
  %waiting = or i32 %state, {WAITING}
  %said = cmpxchg ptr %state.at, i32 %state, i32 %waiting acq_rel acquire, align 4
  %agreed = extractvalue {{ i32, i1 }} %said, 1
  br i1 %agreed, label %sleep, label %wait
sleep:
  call void @sleep(ptr %state.at, i32 %waiting)
  br label %wait
done:
  store atomic i32 0, ptr %state.at monotonic, align 4
  store atomic i32 0, ptr %busy.at release, align 4
  ret void
}}
"""

_OPEN, _WAITING = 1 << 30, 1 << 29


def has_futex(target: Target) -> bool:
    """Whether the system has futexes."""
    return "linux" in target.triple and target.architecture in _FUTEX


def pool_ir(target: Target, futex: bool) -> str:
    """The pool's module: functions ``reset``, ``set_spins``, ``worker`` and ``run``."""
    declare_pause, pause = _PAUSE.get(target.architecture, ("", ""))
    pool = _POOL.format(
        nbytes=STATE_NBYTES,
        declare_pause=declare_pause,
        pause=pause,
        OPEN=_OPEN,
        NOT_OPEN=~_OPEN,
        WAITING=_WAITING,
        WAITING_AND_ONE=_WAITING + 1,
        COUNT=_WAITING - 1,
        PIECES=PIECES,
    )
    if not futex:
        return pool + _WITH_CONDITION
    return pool + _WITH_FUTEX.format(number=_FUTEX[target.architecture])
