import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, until } from './cluster.ts'
import type { Load } from './load.ts'
import type { Member } from './member.ts'
import type { Nodes } from './nodes.ts'

export interface Setting {
  readonly cluster: Cluster
  readonly nodes: Nodes
  readonly load: Load
}

/** Something that goes wrong, or is done to the cluster, while callers send requests. */
export interface Fault {
  readonly name: string
  /** Resolves when the fault and its repair are over. */
  readonly cause: (setting: Setting) => Promise<void>
}

const CUT_MS = 15_000
const LAG_MS = 15_000
/** The default of GATEHOUSE_DATABASE_READ_MAX_LAG_MS, and time for the request. */
const MAX_AGE_MS = 5_000 + 1_000

export const FAULTS: readonly Fault[] = [
  { name: 'no fault', cause: () => sleep(10_000) },
  { name: '`kill -9` of the primary and its Patroni', cause: killPrimary },
  { name: 'planned switchover', cause: switchOver },
  { name: `network cut between node 2 and the database for ${CUT_MS / 1_000} s`, cause: cutNetwork },
  { name: 'PgBouncer killed and started again', cause: restartPgbouncer },
  { name: `replay stopped on both standbys for ${LAG_MS / 1_000} s`, cause: stopReplay },
  { name: '`kill -9` of the standby that is not synchronous', cause: killStandby },
]

async function killPrimary({ cluster }: Setting): Promise<void> {
  const { leader } = await cluster.complete()
  await leader.crash()
  await until('another primary', async () => {
    const { leader: current } = await cluster.roles()
    return current && current !== leader ? current : undefined
  })
  leader.start()
  await cluster.complete()
}

async function switchOver({ cluster }: Setting): Promise<void> {
  const { leader, sync } = await cluster.complete()
  await cluster.switchover(leader, sync)
  await cluster.complete()
}

async function cutNetwork({ nodes: { network } }: Setting): Promise<void> {
  network.silence()
  await sleep(CUT_MS)
  network.restore()
}

async function restartPgbouncer({ cluster: { pgbouncer } }: Setting): Promise<void> {
  await pgbouncer.kill()
  await sleep(1_000)
  pgbouncer.restart()
}

/** Freezes the processes that replay the log, because Patroni would end a pause of the replay. */
async function stopReplay({ cluster, nodes }: Setting): Promise<void> {
  const { sync, other } = await cluster.complete()
  const pids = (await Promise.all([sync, other].map(replayProcess))).flat()
  try {
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    await until('a node that reports the lag', async () => ((await replicaState(nodes)) === 'degraded' ? true : undefined))
    await requireFreshLists(nodes)
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
  await until('a node that reads from the replica again', async () => ((await replicaState(nodes)) === 'ok' ? true : undefined))
}

async function replayProcess(member: Member): Promise<readonly number[]> {
  const rows = await member.query<{ pid: number }>("select pid from pg_stat_activity where backend_type = 'startup'")
  return rows.map(({ pid }) => pid)
}

/** Throws if a list of the dashboard is older than the limit while the replicas lag. */
async function requireFreshLists({ all: [node] }: Nodes): Promise<void> {
  for (const until = performance.now() + LAG_MS; performance.now() < until; await sleep(500)) {
    const response = await fetch(`http://127.0.0.1:${node?.server.port}/admin/v1/audit?limit=1`, {
      headers: { authorization: `Bearer ${node?.server.demo.admin_token}` },
    })
    const { data } = (await response.json()) as { data: { created_at: string }[] }
    const age = Date.now() - Date.parse(data[0]?.created_at ?? '')
    if (!(age < MAX_AGE_MS)) throw new Error(`a list of the dashboard is ${age} ms old while the replicas lag`)
  }
}

async function killStandby({ cluster }: Setting): Promise<void> {
  const { other } = await cluster.complete()
  await other.crash()
  await sleep(CUT_MS)
  other.start()
  await cluster.complete()
}

/** The state of the check `read_replica` on the first node. */
async function replicaState({ all: [node] }: Nodes): Promise<string | undefined> {
  const response = await fetch(`http://127.0.0.1:${node?.server.port}/readyz`)
  const { checks } = (await response.json()) as { checks: { name: string; status: string }[] }
  return checks.find(({ name }) => name === 'read_replica')?.status
}
