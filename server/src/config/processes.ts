import { availableParallelism, totalmem } from 'node:os'
import { ConfigError, type Environment } from './environment.ts'
import { integer } from './numbers.ts'

/** The machine, as the container or service manager limits it. */
export interface Machine {
  readonly cores: number
  readonly memoryBytes: number
}

const MAX_PROCESSES = 256
/** Memory of one process under load (bench/README.md). */
const BYTES_PER_PROCESS = 512 * 2 ** 20
/** Connections that each process gets by default if there are more than two. */
const CONNECTIONS_PER_PROCESS = 5
const MIN_POOL = 10
/** A transaction and a statement beside it. */
const MIN_CONNECTIONS_PER_PROCESS = 2
const MAX_POOL = 500

/** Number of serving processes of this node. An embedded database belongs to one process. */
export function readProcesses(env: Environment, { cores, memoryBytes }: Machine = thisMachine()): number {
  if (env.DATABASE_URL) {
    const fitting = Math.max(1, Math.floor(memoryBytes / BYTES_PER_PROCESS))
    return integer(env, 'GATEHOUSE_PROCESSES', Math.min(cores, fitting, MAX_PROCESSES), 1, MAX_PROCESSES)
  }
  if (integer(env, 'GATEHOUSE_PROCESSES', 1, 1, MAX_PROCESSES) === 1) return 1
  throw new ConfigError(
    'GATEHOUSE_PROCESSES must be 1 with the embedded database, which belongs to one process. For more, set DATABASE_URL',
  )
}

/** Connections of the whole node. Each process gets an equal share. */
export function readDatabasePool(env: Environment, processes: number): number {
  const fallback = Math.min(MAX_POOL, Math.max(MIN_POOL, CONNECTIONS_PER_PROCESS * processes))
  const size = integer(env, 'GATEHOUSE_DATABASE_POOL', fallback, MIN_CONNECTIONS_PER_PROCESS, MAX_POOL)
  if (size >= MIN_CONNECTIONS_PER_PROCESS * processes) return size
  throw new ConfigError(
    `GATEHOUSE_DATABASE_POOL must be at least ${MIN_CONNECTIONS_PER_PROCESS * processes} with ${processes} processes, or set GATEHOUSE_PROCESSES lower`,
  )
}

const thisMachine = (): Machine => ({
  cores: availableParallelism(),
  memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
})
