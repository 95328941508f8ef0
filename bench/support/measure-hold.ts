import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../server/src/platform/db/database.ts'

/** Longest times, in milliseconds, that a statement of another connection and a turn of the event loop took while some work ran. */
export interface Hold {
  readonly databaseMs: number
  readonly loopMs: number
  readonly totalMs: number
  /** CPU time of the process with its database; the probes use a part of it. */
  readonly cpuMs: number
}

export async function measureHold(db: Db, work: () => Promise<unknown>): Promise<Hold> {
  let isRunning = true
  let databaseMs = 0
  let loopMs = 0
  const probeDatabase = async (): Promise<void> => {
    while (isRunning) {
      const from = performance.now()
      await sql`select 1`.execute(db)
      databaseMs = Math.max(databaseMs, performance.now() - from)
    }
  }
  const probeLoop = async (): Promise<void> => {
    while (isRunning) {
      const from = performance.now()
      await nextTurn()
      loopMs = Math.max(loopMs, performance.now() - from)
    }
  }
  const probes = [probeDatabase(), probeLoop()]
  await nextTurn()
  const before = cpuMs()
  const from = performance.now()
  await work()
  const totalMs = performance.now() - from
  const used = cpuMs() - before
  isRunning = false
  await Promise.all(probes)
  return { databaseMs, loopMs, totalMs, cpuMs: used }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
