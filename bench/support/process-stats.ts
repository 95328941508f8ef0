import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * CPU time of a process. Linux only: it reads nanoseconds from /proc/<pid>/task/<tid>/schedstat, because the ticks of /proc/<pid>/stat
 * (10 ms) are too coarse for runs of a second.
 */
export interface CpuUse {
  /** All running threads, with worker threads, in milliseconds. */
  readonly total: number
  /** The thread that runs the event loop. */
  readonly main: number
}

export function cpuUse(pid: number): CpuUse {
  const threads = readdirSync(`/proc/${pid}/task`).map((tid) => ({ tid: Number(tid), ms: threadMs(pid, tid) }))
  return {
    total: threads.reduce((sum, { ms }) => sum + ms, 0),
    main: threads.find(({ tid }) => tid === pid)?.ms ?? 0,
  }
}

/** Returns 0 if the thread has ended. */
function threadMs(pid: number, tid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6
  } catch {
    return 0
  }
}

export const cpuSince = (before: CpuUse, pid: number): CpuUse => {
  const now = cpuUse(pid)
  return { total: now.total - before.total, main: now.main - before.main }
}

/** CPU milliseconds of several processes by pid, without ended processes. */
export const cpuOfAll = (pids: readonly number[]): ReadonlyMap<number, number> =>
  new Map(pids.flatMap((pid) => (existsSync(`/proc/${pid}/task`) ? [[pid, cpuUse(pid).total] as const] : [])))

/** Memory that the process holds in RAM (resident set), megabytes of 2^20 bytes. */
export function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kilobytes === undefined) throw new Error(`no resident set of process ${pid}: has it ended?`)
  return Number(kilobytes) / 1_024
}
