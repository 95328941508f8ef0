import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { countLost, type Kept, verifyChain } from './checks.ts'
import { until } from './cluster.ts'
import type { Debian } from './debian.ts'
import type { Setting } from './faults.ts'
import { PASSWORD, queryAt, writeBackrestConfig } from './member.ts'

const LOAD_MS = 8_000

export interface Restored extends Kept {
  /** Records that were acknowledged after the target time, and how many of them are there: none. */
  readonly later: number
  readonly verified: string
  readonly backupSeconds: number
  readonly restoreSeconds: number
}

/**
 * Takes a full backup under load, lets more load follow, and restores the state of a time between on a second PostgreSQL, on which the
 * chain must verify.
 */
export async function restoreToTime(
  stack: AsyncDisposableStack,
  debian: Debian,
  { cluster, nodes, load }: Setting,
): Promise<Restored> {
  const { leader } = await cluster.complete()
  const began = performance.now()
  await leader.backrest('backup', '--type=full')
  const backupSeconds = (performance.now() - began) / 1_000
  await sleep(LOAD_MS)
  // Answers before this moment were committed before the target.
  const answeredUntil = performance.now()
  const [row] = await leader.query<{ target: string }>('select clock_timestamp()::text as target')
  await sleep(LOAD_MS)
  const laterIds = load.acknowledged('chat').length - load.acknowledged('chat', answeredUntil).length
  await leader.query('select pg_switch_wal()')
  await leader.backrest('check')
  const restoreBegan = performance.now()
  const restored = await startRestored(stack, debian, { repository: cluster.repository, target: row?.target ?? '' })
  const restoreSeconds = (performance.now() - restoreBegan) / 1_000
  const kept = await countLost(load, restored.query, answeredUntil)
  const all = await countLost(load, restored.query)
  if (all.lost === 0) throw new Error('the restored database has records of after the target time')
  const verified = await verifyChain(nodes, restored.url)
  return { ...kept, later: laterIds, verified: verified.trim(), backupSeconds, restoreSeconds }
}

async function startRestored(
  stack: AsyncDisposableStack,
  debian: Debian,
  { repository, target }: { repository: string; target: string },
) {
  const [port, folder] = [await freePort(), await debian.folder('restored')]
  writeBackrestConfig(folder, { repository, postgres: port })
  await debian.run([
    'pgbackrest',
    `--config=${folder.inside}/pgbackrest.conf`,
    '--stanza=gatehouse',
    '--type=time',
    `--target=${target}`,
    '--target-action=promote',
    // The second cluster must not write to the archive of the first.
    '--archive-mode=off',
    'restore',
  ])
  const settings = { port, unix_socket_directories: folder.inside, listen_addresses: '127.0.0.1', synchronous_standby_names: '' }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const postgres = debian.start('restored', ['postgres', '-D', `${folder.inside}/data`, ...options])
  stack.defer(async () => {
    // Fast shutdown.
    postgres.signal('SIGINT')
    await postgres.ended
  })
  const query = <T extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
    queryAt<T>(port, { text, values, database: 'gatehouse' })
  await until('a restored database that takes writes', async () => {
    const [state] = await query<{ recovering: boolean }>('select pg_is_in_recovery() as recovering')
    return state?.recovering === false ? true : undefined
  })
  return { query, url: `postgres://gatehouse:${PASSWORD}@127.0.0.1:${port}/gatehouse` }
}
