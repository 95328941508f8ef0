import type { LoadCall, LoadResult, LoadSpec } from './load-run.ts'
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
  readonly p95: number
  readonly p99: number
  readonly answers: number
}

export type Size = Pick<LoadSpec, 'requests' | 'seconds'>
/** What latencies are measured at. */
export const FEW_CONNECTIONS = 8
/** Enough for every server to have something to do at every moment: what it can carry, and what a request costs then. */
export const MANY_CONNECTIONS = 32

/** Chats, each of them once or more. */
export function measure(
  load: Peer,
  target: Target,
  bodies: readonly string[],
  size: Size,
  connections = FEW_CONNECTIONS,
): Promise<Round> {
  const call = { method: 'POST', path: '/v1/chat/completions', headers: target.headers } as const
  const calls = bodies.map((body) => ({ ...call, body }))
  return measureCalls(load, target, { calls, status: 200, connections, ...size })
}

/** @throws when any answer has another status: what is refused costs less, and would count as fast. */
export async function measureCalls(
  load: Peer,
  target: Omit<Target, 'headers'>,
  spec: Size & { readonly calls: readonly LoadCall[]; readonly status: number; readonly connections: number },
): Promise<Round> {
  const usedBefore = await cpuNow(target)
  const result = await load.ask<LoadResult>({ port: target.port, ...spec } satisfies LoadSpec)
  const used = await usedBefore.since()
  const { answers, refused, refusal } = result
  if (refused > 0) throw new Error(`${refused} of ${answers} answers were not ${spec.status}:\n${refusal}`)
  return {
    cpu: used.total / answers,
    mainCpu: used.main / answers,
    helperCpu: used.helpers / answers,
    rate: answers / result.seconds,
    p50: result.p50,
    p95: result.p95,
    p99: result.p99,
    answers,
  }
}

/** What a server has used by now; `since`: what it used from then on. Milliseconds. */
export async function cpuNow({ pid, helpers }: Omit<Target, 'headers'>) {
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
