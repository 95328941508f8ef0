import type { Helper } from './helper-process.ts'
import type { LoadResult, LoadSpec } from './load-run.ts'
import { cpuOfAll, cpuSince, cpuUse } from './process-stats.ts'

/** A server under load. */
export interface Target {
  readonly pid: number
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  /** Process ids of its database connections, whose CPU time is reported separately. */
  readonly helpers?: () => Promise<readonly number[]>
}

/** One run of the load generator against one target. CPU in milliseconds per request. */
export interface Round {
  readonly cpu: number
  /** CPU time of the event loop's thread. */
  readonly mainCpu: number
  readonly helperCpu: number
  /** Answers a second. */
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly answers: number
}

export type Size = Pick<LoadSpec, 'requests' | 'seconds'>
/** Number of connections for latencies. */
export const FEW_CONNECTIONS = 8
/** Number of connections for throughput: enough to keep every server busy. */
export const MANY_CONNECTIONS = 32

/** Measures chat requests with these bodies. @throws if a response is not 200, because a refusal costs less and would improve the result. */
export async function measure(
  load: Helper,
  target: Target,
  bodies: readonly string[],
  size: Size,
  connections = FEW_CONNECTIONS,
): Promise<Round> {
  const call = { method: 'POST', path: '/v1/chat/completions', headers: target.headers } as const
  const calls = bodies.map((body) => ({ ...call, body }))
  const usedBefore = await cpuNow(target)
  const spec: LoadSpec = { port: target.port, calls, status: 200, connections, ...size }
  const result = await load.ask<LoadResult>(spec)
  const used = await usedBefore.since()
  const { answers, refused, refusal } = result
  if (refused > 0) throw new Error(`${refused} of ${answers} answers were not 200:\n${refusal}`)
  return {
    cpu: used.total / answers,
    mainCpu: used.main / answers,
    helperCpu: used.helpers / answers,
    rate: answers / result.seconds,
    p50: result.p50,
    p99: result.p99,
    answers,
  }
}

/** Reads the CPU time of a server. `since` returns the milliseconds used after this call. */
async function cpuNow({ pid, helpers }: Target) {
  const helpersNow = async () => cpuOfAll((await helpers?.()) ?? [])
  const helpersBefore = await helpersNow()
  const before = cpuUse(pid)
  return {
    async since() {
      const own = cpuSince(before, pid)
      const helperMs = [...(await helpersNow())].reduce((sum, [helper, ms]) => sum + ms - (helpersBefore.get(helper) ?? 0), 0)
      return { ...own, helpers: helperMs }
    },
  }
}

/** Runs A, B, C, A, B, C …, so that other load on the machine affects all of them equally. */
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

/** Compares each round of `a` with the same round of `b`. */
export const compare = (a: readonly Round[], b: readonly Round[], of: (a: Round, b: Round) => number): number[] =>
  a.flatMap((round, index) => {
    const other = b[index]
    return other ? [of(round, other)] : []
  })
