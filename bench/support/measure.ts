import type { LoadResult, LoadSpec } from './load-run.ts'
import type { Peer } from './peer.ts'
import { cpuOfAll, cpuSince, cpuUse } from './process-stats.ts'

/** A server under load: where it listens, and whose CPU counts. */
export interface Target {
  readonly pid: number
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  /** Further processes that work for it, counted apart: the database's. */
  readonly helpers?: () => Promise<readonly number[]>
}

/** One run of the load generator against one target. CPU in milliseconds per request. */
export interface Round {
  readonly cpu: number
  /** The event loop's thread alone. */
  readonly mainCpu: number
  readonly helperCpu: number
  /** Answers a second. */
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly answers: number
}

export type Size = Pick<LoadSpec, 'requests' | 'seconds'>
const CONNECTIONS = 8

/** @throws when any answer is not 200: what is refused costs less, and would count as fast. */
export async function measure(load: Peer, target: Target, bodies: readonly string[], size: Size): Promise<Round> {
  const helpersNow = async () => cpuOfAll((await target.helpers?.()) ?? [])
  const helpersBefore = await helpersNow()
  const before = cpuUse(target.pid)
  const spec = { port: target.port, path: '/v1/chat/completions', headers: target.headers, bodies, connections: CONNECTIONS }
  const result = await load.ask<LoadResult>({ ...spec, ...size } satisfies LoadSpec)
  const cpu = cpuSince(before, target.pid)
  const helperMs = [...(await helpersNow())].reduce((sum, [pid, ms]) => sum + ms - (helpersBefore.get(pid) ?? 0), 0)
  if (result.refused > 0) throw new Error(`${result.refused} of ${result.answers} answers were not 200:\n${result.refusal}`)
  return {
    cpu: cpu.total / result.answers,
    mainCpu: cpu.main / result.answers,
    helperCpu: helperMs / result.answers,
    rate: result.answers / result.seconds,
    p50: result.p50,
    p99: result.p99,
    answers: result.answers,
  }
}

/** A, B, C, A, B, C …: whatever else the machine does meets all of them alike. */
export async function interleave<Name extends string>(
  rounds: number,
  runs: Readonly<Record<Name, () => Promise<Round>>>,
): Promise<Record<Name, Round[]>> {
  const names = Object.keys(runs) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Round[]>
  for (let round = 0; round < rounds; round++) {
    for (const name of names) results[name].push(await runs[name]())
  }
  return results
}

/** Puts one figure of each round of `a` in relation to the same round of `b`. */
export const compare = (a: readonly Round[], b: readonly Round[], of: (a: Round, b: Round) => number): number[] =>
  a.flatMap((round, index) => {
    const other = b[index]
    return other ? [of(round, other)] : []
  })
