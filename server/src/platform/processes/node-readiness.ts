/** A check of `/readyz`, without the error behind it. */
export interface CheckOfProcess {
  readonly name: string
  readonly status: 'ok' | 'degraded' | 'fail'
  readonly message?: string
}

export interface ProcessReadiness {
  readonly ready: boolean
  readonly checks: readonly CheckOfProcess[]
}

/** A serving process and its report; undefined: it did not answer in time. */
export interface Report {
  /** Undefined: the only process of the node. */
  readonly number: number | undefined
  readonly readiness: ProcessReadiness | undefined
}

const WORST_FIRST = ['fail', 'degraded', 'ok'] as const

/**
 * The readiness of a node from the reports of its processes: the worst result of each check. A node is ready while one of its
 * processes answers; the check `processes` names those that do not.
 */
export function readinessOfNode(reports: readonly Report[], expected: number, isStopping: boolean): ProcessReadiness {
  const known = reports.flatMap(({ readiness }) => readiness?.checks ?? [])
  const names = [...new Set(known.map(({ name }) => name))]
  const merged = names.flatMap((name) => worstOf(known.filter((check) => check.name === name)) ?? [])
  const stopping: CheckOfProcess = { name: 'accepting', status: 'fail', message: 'The server is stopping.' }
  const checks = [...(isStopping ? [stopping] : []), ...merged.filter(({ name }) => !isStopping || name !== 'accepting')]
  const all = [...checks, checkProcesses(reports, expected)]
  return { ready: all.every(({ status }) => status !== 'fail'), checks: all }
}

const worstOf = (checks: readonly CheckOfProcess[]): CheckOfProcess | undefined =>
  WORST_FIRST.map((status) => checks.find((check) => check.status === status)).find((check) => check !== undefined)

function checkProcesses(reports: readonly Report[], expected: number): CheckOfProcess {
  const name = 'processes'
  const silent = reports.filter(({ readiness }) => readiness === undefined)
  const problems = [
    ...silent.map(({ number }) => (number === undefined ? 'The process does not answer.' : `Process ${number} does not answer.`)),
    ...(reports.length < expected ? [`${reports.length} of ${expected} processes run.`] : []),
  ]
  if (problems.length === 0) return { name, status: 'ok' }
  const isServing = reports.length > silent.length
  return { name, status: isServing ? 'degraded' : 'fail', message: problems.join(' ') }
}
