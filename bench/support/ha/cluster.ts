import { setTimeout as sleep } from 'node:timers/promises'
import type { Debian } from './debian.ts'
import { Member, PASSWORD } from './member.ts'
import { Pgbouncer, startEtcd, startHaproxy } from './services.ts'

const NAMES = ['member1', 'member2', 'member3']
const START_MS = 180_000
const POLL_MS = 250

interface Roles {
  readonly leader: Member | undefined
  /** The synchronous standby. */
  readonly sync: Member | undefined
  /** A standby that is not synchronous. */
  readonly other: Member | undefined
}

/** etcd, three PostgreSQL with Patroni, haproxy and PgBouncer, from the files of deploy/ha. */
export interface Cluster {
  readonly members: readonly Member[]
  readonly pgbouncer: Pgbouncer
  /** pgBackRest's repository. */
  readonly repository: string
  /** As Patroni sees them. */
  roles(): Promise<Roles>
  /** Waits until there are a primary, a synchronous and another standby. Returns them. */
  complete(): Promise<{ readonly [Name in keyof Roles]: Member }>
  /** A planned change of the primary. */
  switchover(from: Member, to: Member): Promise<void>
  /** URL of the database through PgBouncer: `gatehouse`, `gatehouse_session` or `gatehouse_read`. */
  url(entry: string, port?: number): string
}

/** Starts everything, creates the database `gatehouse`, and prepares the repository. `stack` stops it. */
export async function startCluster(stack: AsyncDisposableStack, debian: Debian): Promise<Cluster> {
  const repository = (await debian.folder('repository')).inside
  const etcd = await startEtcd(debian)
  stack.defer(() => etcd.own.stop())
  const members: Member[] = []
  for (const name of NAMES) members.push(await Member.prepare(debian, name, { etcd: etcd.port, repository }))
  stack.defer(async () => void (await Promise.all(members.map((member) => member.stop()))))
  const roles = () => findRoles(members)
  const [first, ...others] = members
  if (!first) throw new Error('the cluster has no members')
  first.start()
  await until('a primary', async () => (await roles()).leader)
  await first.backrest('stanza-create')
  for (const member of others) member.start()
  const haproxy = await startHaproxy(debian, members)
  stack.defer(() => haproxy.own.stop())
  const pgbouncer = await Pgbouncer.start(debian, haproxy)
  stack.defer(() => pgbouncer.kill())
  const complete = () => until('a primary and two standbys', async () => allOf(await roles()))
  await complete()
  await createDatabase(first)
  return {
    members,
    pgbouncer,
    repository,
    roles,
    complete,
    switchover: (from, to) => switchover(from, to),
    url: (entry, port = pgbouncer.port) => `postgres://gatehouse:${PASSWORD}@127.0.0.1:${port}/${entry}`,
  }
}

/** Waits until `find` returns a value. Throws after three minutes. */
export async function until<T>(wanted: string, find: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; await sleep(POLL_MS)) {
    const found = await find().catch(() => undefined)
    if (found !== undefined) return found
  }
  throw new Error(`there is still not ${wanted} after ${START_MS / 1_000} s: read the logs in the folder of the run`)
}

const allOf = ({ leader, sync, other }: Roles) => (leader && sync && other ? { leader, sync, other } : undefined)

/** Asks the first Patroni that responds. */
async function findRoles(members: readonly Member[]): Promise<Roles> {
  for (const { rest } of members.filter(({ isRunning }) => isRunning)) {
    const signal = AbortSignal.timeout(3_000)
    const response = await fetch(`http://127.0.0.1:${rest}/cluster`, { signal }).catch(() => undefined)
    if (!response?.ok) continue
    const body = (await response.json()) as { members: { name: string; role: string; state: string }[] }
    const live = body.members.filter(({ state }) => state === 'running' || state === 'streaming')
    const find = (role: string) => members.find(({ name }) => live.some((one) => one.name === name && one.role === role))
    return { leader: find('leader'), sync: find('sync_standby'), other: find('replica') }
  }
  return { leader: undefined, sync: undefined, other: undefined }
}

async function createDatabase(primary: Member): Promise<void> {
  await primary.query(`create role gatehouse login password '${PASSWORD}'`)
  await primary.query('create database gatehouse owner gatehouse')
}

async function switchover(from: Member, to: Member): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${from.rest}/switchover`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ leader: from.name, candidate: to.name }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the switchover failed: ${response.status} ${text}`)
}
