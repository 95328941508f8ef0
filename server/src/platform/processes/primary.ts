import cluster from 'node:cluster'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Environment } from '../config/environment.ts'
import { heapLimitOf } from '../config/processes.ts'
import type { Secrets } from '../config/secrets.ts'
import { createLogger } from '../telemetry/logger.ts'
import type { Snapshot } from '../telemetry/snapshots.ts'
import { startHealthServer } from './health-server.ts'
import { Heartbeats } from './heartbeat.ts'
import type { StopSignal, ToPrimary, ToWorker } from './messages.ts'
import { type Member, NodeHealth } from './node-health.ts'
import { primaryMetrics } from './primary-metrics.ts'
import { Questions } from './questions.ts'
import { readAgain } from './reload.ts'
import { stopLimitMs } from './stop-limits.ts'
import { type Worker, type WorkerEvents, WorkerPool } from './worker-pool.ts'

interface Options {
  readonly config: Config
  readonly secrets: Secrets
  readonly env: Environment
  /** Reads the environment and its file again. */
  readonly readEnv: () => Environment
}

/**
 * Runs the serving processes of a node until a signal stops them, and returns the exit code. It has no database and serves no requests:
 * it accepts connections and hands each to a process that is free.
 */
export async function runPrimary({ config, secrets, readEnv, ...given }: Options): Promise<number> {
  const log = createLogger(config.logLevel, config.telemetry.nodeName).child({ process: 'primary' })
  let { env } = given
  const members = new Map<number, Member>()
  const heartbeats = new Heartbeats({
    onHung(id) {
      log.error({ hung: members.get(id)?.number }, 'a process does not respond: it is ended')
      cluster.workers?.[id]?.process.kill('SIGKILL')
    },
  })
  const pool: WorkerPool = new WorkerPool({
    processes: config.processes,
    log,
    fork: (number, events) => fork(number, events, { members, heartbeats, env: () => env, metrics: () => health.metrics() }),
    onExit: (id) => {
      members.delete(id)
      heartbeats.remove(id)
      health.remove(id)
    },
  })
  const health: NodeHealth = new NodeHealth({
    members: () => pool.serving.flatMap(({ worker }) => members.get(worker.id) ?? []),
    expected: config.processes,
    isStopping: () => pool.isStopping,
    own: primaryMetrics(pool),
  })
  const server = config.healthPort === undefined ? undefined : await startHealthServer(healthOptions(config, secrets), health)
  const removeListeners = listenForSignals({
    stop: (signal) => stop(pool, signal, config, log),
    async reload() {
      const next = await readAgain({ env, readEnv, log })
      if (!next) return
      env = next.env
      log.level = next.config.logLevel
      for (const id of members.keys()) send(id, { kind: 'reload', env })
    },
  })
  setUpProcesses(config.processes)
  log.info({ processes: config.processes }, 'starting')
  const code = await pool.run()
  removeListeners()
  health.close()
  heartbeats.close()
  server?.closeAllConnections()
  server?.close()
  log.info({ code }, 'stopped')
  return code
}

function stop(pool: WorkerPool, signal: StopSignal, { drain }: Config, log: Logger): void {
  if (pool.isStopping) {
    log.warn({ signal }, 'second stop signal: exiting at once')
    pool.kill()
    process.exit(1)
  }
  log.info({ signal }, 'stopping')
  pool.stop(signal, stopLimitMs(drain, signal))
}

function setUpProcesses(processes: number): void {
  const heap = heapLimitOf(processes)
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ')
  const isLimited = /--max[-_]old[-_]space[-_]size/.test(options)
  cluster.setupPrimary({
    // The other form, JSON, has no infinity: the lag of a replica that does not respond.
    serialization: 'advanced',
    execArgv: [...process.execArgv, ...(heap !== undefined && !isLimited ? [`--max-old-space-size=${heap}`] : [])],
  })
}

const healthOptions = ({ host, healthPort = 0 }: Config, { metricsToken }: Secrets) => ({ host, port: healthPort, metricsToken })

interface ForkDeps {
  readonly heartbeats: Heartbeats
  readonly members: Map<number, Member>
  readonly env: () => Environment
  readonly metrics: () => Promise<Snapshot>
}

function fork(number: number, { onListening, onExit }: WorkerEvents, { members, heartbeats, env, metrics }: ForkDeps): Worker {
  const worker = cluster.fork()
  const { id } = worker
  const questions = new Questions({ send: (message) => send(id, message), answers: { node_metrics: metrics } })
  members.set(id, { id, number, questions })
  heartbeats.watch(id)
  worker.on('message', (message: ToPrimary) => {
    if (message.kind === 'listening') onListening(message.port)
    else if (message.kind === 'beat') heartbeats.beat(id)
    else questions.receive(message)
  })
  worker.on('error', () => {})
  worker.on('exit', onExit)
  return {
    id,
    start: (order) => send(id, { kind: 'start', order: { ...order, env: env() } }),
    stop: (signal) => send(id, { kind: 'stop', signal }),
    kill: () => void worker.process.kill('SIGKILL'),
  }
}

/** A process that has just ended gets no message. */
function send(id: number, message: ToWorker): void {
  const worker = cluster.workers?.[id]
  if (worker?.isConnected()) worker.send(message, () => {})
}

interface SignalListeners {
  readonly stop: (signal: StopSignal) => void
  readonly reload: () => Promise<void>
}

function listenForSignals({ stop, reload }: SignalListeners): () => void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  process.on('SIGHUP', reload)
  return () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
    process.off('SIGHUP', reload)
  }
}
