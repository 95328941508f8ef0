import { availableParallelism, totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { ConfigError, type Environment, integer } from './environment.ts'

/** The machine, as the container or service manager limits it. */
interface Machine {
  readonly cores: number
  readonly memoryBytes: number
}

const MAX_PROCESSES = 256
/** By default a node has no more processes, so that three nodes fit into a database with a few hundred connections. */
const DEFAULT_PROCESSES = 8
/** Memory of one process under load (bench/README.md). */
const BYTES_PER_PROCESS = 512 * 2 ** 20
const PRIMARY_BYTES = 150 * 2 ** 20
/** Share of a process's memory for its heap. The rest is for code, buffers and threads. */
const HEAP_SHARE = 0.6
/** The heap of a process under load needs less. */
const MIN_HEAP_BYTES = 256 * 2 ** 20
/** Connections that each process gets by default if there are more than two. */
const CONNECTIONS_PER_PROCESS = 5
const MIN_POOL = 10
/** A transaction and one more statement. */
const MIN_CONNECTIONS_PER_PROCESS = 2
const MAX_POOL = 500

export function readProcesses(env: Environment, { cores, memoryBytes }: Machine = thisMachine()): number {
  if (env.DATABASE_URL) {
    const fitting = Math.max(1, Math.floor((memoryBytes - PRIMARY_BYTES) / BYTES_PER_PROCESS))
    return integer(env, 'GATEHOUSE_PROCESSES', Math.min(cores, fitting, DEFAULT_PROCESSES), 1, MAX_PROCESSES)
  }
  if (integer(env, 'GATEHOUSE_PROCESSES', 1, 1, MAX_PROCESSES) === 1) return 1
  throw new ConfigError(
    'GATEHOUSE_PROCESSES must be 1 with the embedded database, which belongs to one process. For more, set DATABASE_URL',
  )
}

/** Limit of each process's heap in MiB, so that all fit into the memory. Undefined: the limit of Node itself is lower. */
export function heapLimitOf(
  processes: number,
  { memoryBytes }: Pick<Machine, 'memoryBytes'> = thisMachine(),
  nodeLimitBytes = getHeapStatistics().heap_size_limit,
): number | undefined {
  const share = ((memoryBytes - PRIMARY_BYTES) / processes) * HEAP_SHARE
  const limit = Math.max(MIN_HEAP_BYTES, share)
  return limit < nodeLimitBytes ? Math.floor(limit / 2 ** 20) : undefined
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
