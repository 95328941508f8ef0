import { readFileSync } from 'node:fs'
import { killTree } from '../ha/own.ts'

/** When the kernel started a process, in ticks since the machine's start; undefined: there is no such process. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** Kills the processes that an earlier run has left, if their ids do not belong to others now. */
export function killLeftovers(processes: ReadonlyMap<number, string>): void {
  for (const [pid, startedAt] of processes) if (startOf(pid) === startedAt) killTree(pid)
}
