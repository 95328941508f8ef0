import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * What the kernel says a process has used. Linux only: /proc/<pid>/task/<tid>/schedstat counts nanoseconds on a CPU, where
 * /proc/<pid>/stat counts ticks of 10 ms, too coarse for runs of a second.
 */
export interface CpuUse {
  /** All threads, worker threads included, milliseconds. Threads that have ended are missing: servers keep theirs. */
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

/** A thread may end while the list is read. */
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

/** As {@link cpuUse}, of several processes that may come and go: pid → milliseconds. What has ended is left out. */
export const cpuOfAll = (pids: readonly number[]): ReadonlyMap<number, number> =>
  new Map(pids.flatMap((pid) => (existsSync(`/proc/${pid}/task`) ? [[pid, cpuUse(pid).total] as const] : [])))

/** Memory that the process holds in RAM (resident set), megabytes of 2^20 bytes. */
export function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kilobytes === undefined) throw new Error(`no resident set of process ${pid}: has it ended?`)
  return Number(kilobytes) / 1_024
}
