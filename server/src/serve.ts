import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Context, createContext, type Overrides } from './context.ts'
import { recordInterruptedResponses } from './domains/audit/interrupted-responses.ts'
import { startJobs } from './domains/jobs/jobs.ts'
import { recurringJobs } from './domains/jobs/recurring-jobs.ts'
import { type Config, readConfig, serverUrl } from './platform/config/config.ts'
import type { Environment } from './platform/config/environment.ts'
import type { Secrets } from './platform/config/secrets.ts'
import { warnAboutConnectionLimit } from './platform/db/server-checks.ts'
import { returnUnusedHeap } from './platform/lib/heap.ts'
import { startHealthServer } from './platform/processes/health-server.ts'
import type { NodeLink } from './platform/processes/node-link.ts'
import { onlyProcess } from './platform/processes/only-process.ts'
import { CLOSE_MS, RECORD_MS } from './platform/processes/stop-limits.ts'
import { createLogger } from './platform/telemetry/logger.ts'

/** Time for which `/readyz` responds 503 after the embedded database has died, so that monitoring can read the reason. */
const BROKEN_DATABASE_DELAY_MS = 1_000

type StopReason =
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'broken_database'; readonly cause: Error }

export interface ServeOptions extends Omit<Overrides, 'node'> {
  readonly node?: NodeLink
  /** Makes an environment that was read again the source of keys and tokens. */
  readonly replaceEnvironment?: (env: Environment) => void
}

/** Runs a serving process until a signal stops it and every acknowledged write is durable. Throws if the embedded database dies. */
export async function serve(config: Config, secrets: Secrets, options: ServeOptions = {}): Promise<void> {
  const { node = onlyProcess() } = options
  // The modules load while the database opens.
  const [context, { createApp }, { joinNode, prepareStart }, { applyConfigurationFile }] = await Promise.all([
    createContext(config, secrets, { ...(node.number !== undefined && { log: logOf(config, node) }), ...options, node }),
    import('./app.ts'),
    import('./tools/start/prepare.ts'),
    import('./tools/setup/apply.ts'),
  ])
  const { log } = context
  if (node.prepares) await warnAtStart(context, node)
  const app = await createApp(context)
  node.attach(context)
  const stopReason = awaitStop(context, node)
  let health: Server | undefined
  try {
    await app.ready()
    health = await startHealthServer(config, app.routing)
    const announce = node.prepares ? await prepareStart(context) : await joinNode(context)
    returnUnusedHeap()
    await app.listen({ host: config.host, port: config.port })
    const { port } = app.server.address() as AddressInfo
    const jobs = startJobs([...recurringJobs(context), ...(context.semantic ? [context.semantic.job] : [])], {
      ...{ log, leads: node.leads, onRun: context.onJobRun },
    })
    log.info({ host: config.host, port, database: context.database.kind }, 'listening')
    await announce(serverUrl({ host: config.host, port }))
    if (node.prepares) startDemoHistory(context)
    node.listening()
    node.onReload(async (env) => {
      options.replaceEnvironment?.(env)
      await reload(context, env, node.leads ? applyConfigurationFile : undefined)
    })
    const reason = await stopReason
    await drain(app, context, jobs.stop, reason)
    if (reason.kind === 'broken_database') throw reason.cause
  } finally {
    exitAfter(CLOSE_MS, context)
    await app.close()
    health?.closeAllConnections()
    health?.close()
    await context.close()
    log.info('stopped')
  }
}

async function warnAtStart({ config, database, log }: Context, { processes }: NodeLink): Promise<void> {
  const { databasePoolSize: poolSize, databaseSessionUrl: pooler } = config
  if (database.kind === 'embedded' || pooler !== undefined) return
  await warnAboutConnectionLimit({ probe: database.probe, poolSize, processes, log }).catch((err) =>
    log.warn({ err }, 'max_connections is unknown'),
  )
}

const logOf = ({ logLevel, telemetry }: Config, { number }: NodeLink) =>
  createLogger(logLevel, telemetry.nodeName).child({ process: number })

/** Applies an environment that was read again, and `gatehouse.yaml`. If that fails, the server continues with the data that it has. */
async function reload(context: Context, env: Environment, applyFile?: (context: Context) => Promise<unknown>): Promise<void> {
  const { config, log, providers } = context
  try {
    log.level = readConfig(env).logLevel
    providers.forget()
    await applyFile?.(context)
  } catch (err) {
    log.error({ err, file: config.configFile }, 'the configuration could not be applied again')
  }
}

/** Makes `/readyz` respond 503, waits for the requests in flight, and ends those that take too long. */
async function drain(app: FastifyInstance, context: Context, stopJobs: () => Promise<void>, reason: StopReason): Promise<void> {
  const { config, log, shutdown, waiters } = context
  const { delayMs, timeoutMs } = config.drain
  if (reason.kind === 'broken_database')
    log.fatal({ err: reason.cause }, 'the embedded database has died: the process ends; start it again')
  else log.info({ signal: reason.signal }, 'stopping')
  shutdown.stop()
  // Ctrl+C stops at once. Load balancers need time to see 503.
  const delay = reason.kind === 'broken_database' ? BROKEN_DATABASE_DELAY_MS : reason.signal === 'SIGINT' ? 0 : delayMs
  exitAfter(delay + timeoutMs + RECORD_MS + CLOSE_MS, context)
  await sleep(delay)

  // Accepts no new connections, ends event streams and idle connections.
  const closed = app.close()
  // Requests that wait for a reviewer get 409, as at the end of their waiting time.
  waiters.close()
  const jobsStopped = stopJobs()
  if (!(await context.drain.idle(reason.kind === 'broken_database' ? 0 : timeoutMs))) {
    log.warn({ running: context.drain.size }, 'ending the requests that are still in flight')
    shutdown.abort()
    if (!(await context.drain.idle(RECORD_MS))) await recordInterruptedResponses(context, await context.drain.cut())
  }
  // Connections without a request would keep the server open for a minute.
  app.server.closeAllConnections()
  await Promise.all([closed, jobsStopped])
}

function awaitStop({ database }: Context, node: NodeLink): Promise<StopReason> {
  const broken = new Promise<StopReason>((resolve) => {
    database.broken.addEventListener('abort', () => resolve({ kind: 'broken_database', cause: database.broken.reason as Error }))
  })
  return Promise.race([broken, node.awaitStop().then((signal) => ({ kind: 'signal', signal }) as const)])
}

/** A database or a provider that hangs must not keep the process alive. */
function exitAfter(ms: number, { log }: Pick<Context, 'log'>): void {
  const timer = setTimeout(() => {
    log.fatal({ ms }, 'the server did not stop in time: exiting')
    process.exit(1)
  }, ms)
  timer.unref()
}

/** In the background, because it takes some seconds. It continues after a restart. */
function startDemoHistory(context: Context): void {
  if (!context.config.demo) return
  context.background.start(async (signal) => {
    const { makeDemoHistory } = await import('./tools/demo-history/make-history.ts')
    await makeDemoHistory(context, context.config.dataDir, signal)
  })
}
