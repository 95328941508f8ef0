import { fileURLToPath } from 'node:url'
import { uuidOf } from '../../../server/src/db/values.ts'
import { gatehouseEnv } from '../gatehouse.ts'
import type { Load } from './load.ts'
import type { Nodes } from './nodes.ts'
import { run } from './own.ts'

type Query = (text: string, values: unknown[]) => Promise<{ found: number }[]>

export interface Kept {
  readonly acknowledged: number
  readonly lost: number
}

/** Counts what clients were told is stored, and what of it is missing. `until`: of the answers before this time. */
export async function countLost(load: Load, query: Query, until?: number): Promise<Kept> {
  const exchanges = load.acknowledged('chat', until).map((id) => uuidOf('aud', id))
  const messages = load.acknowledged('message', until).map((id) => uuidOf('msg', id))
  const count = async (table: string, ids: readonly string[]): Promise<number> =>
    (await query(`select count(*)::int as found from ${table} where id = any($1::uuid[])`, [ids]))[0]?.found ?? 0
  const found = (await count('audit_record', exchanges)) + (await count('message', messages))
  const acknowledged = exchanges.length + messages.length
  return { acknowledged, lost: acknowledged - found }
}

/** Runs `gatehouse audit verify` on a database. Throws with its output if the chain does not verify. */
export async function verifyChain({ options }: Nodes, databaseUrl: string): Promise<string> {
  const { GATEHOUSE_DATABASE_SESSION_URL: _, GATEHOUSE_DATABASE_READ_URL: __, ...env } = options.env ?? {}
  const variables = gatehouseEnv({ ...options, env, databaseUrl }, 0)
  const program = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url))
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  return run('env', [...assignments, process.execPath, program, 'audit', 'verify'])
}
