import type pg from 'pg'
import type { Logger } from 'pino'

/** Connections of a process besides its pool: readiness checks and notifications. */
const BESIDE_POOL = 2

interface Given {
  readonly probe: Pick<pg.Pool, 'query'>
  /** Size of the pool of each process. */
  readonly poolSize: number
  readonly processes: number
  readonly log: Pick<Logger, 'warn'>
}

/** Warns if the database admits fewer connections than this node may open. Behind a pooler the setting says nothing about the node. */
export async function warnAboutConnectionLimit({ probe, poolSize, processes, log }: Given): Promise<void> {
  const { rows } = await probe.query<{ admitted: number }>(
    "select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as admitted",
  )
  const [admitted, needed] = [rows[0]?.admitted ?? 0, (poolSize + BESIDE_POOL) * processes]
  if (needed > admitted)
    log.warn(
      { connections: needed, admitted },
      'this node may open more connections than the database admits: raise max_connections, or set GATEHOUSE_DATABASE_POOL or GATEHOUSE_PROCESSES lower',
    )
}
