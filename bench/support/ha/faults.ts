import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, until } from './cluster.ts'
import type { Load } from './load.ts'
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

async function stopReplay({ cluster, nodes, load }: Setting): Promise<void> {
  const { sync, other } = await cluster.complete()
  for (const member of [sync, other]) await member.query('select pg_wal_replay_pause()')
  await until('a node that reports the lag', async () => ((await replicaState(nodes)) === 'degraded' ? true : undefined))
  await sleep(LAG_MS)
  for (const member of [sync, other]) await member.query('select pg_wal_replay_resume()')
  await until('a node that reads from the replica again', async () => ((await replicaState(nodes)) === 'ok' ? true : undefined))
  if (load.calls.length === 0) throw new Error('there was no load while the replica lagged')
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
