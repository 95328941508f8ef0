import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { recordInterruptedResponses } from './audit/interrupted-responses.ts'
import { type Config, serverUrl } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import { type Context, createContext, type Overrides } from './context.ts'
import { startJobs } from './jobs/jobs.ts'
import { recurringJobs } from './jobs/recurring-jobs.ts'

/** Time for which `/readyz` responds 503 after the embedded database has died, so that monitoring can read the reason. */
const BROKEN_DATABASE_DELAY_MS = 1_000
/** Time for ended requests to write their audit records: the time limit of the audit writer, and a second more. */
const RECORD_MS = 11_000
/** Time limit for closing the app and the context. The process exits after it. */
const CLOSE_MS = 20_000

type StopReason =
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'broken_database'; readonly cause: Error }

/**
 * Runs the server until a signal stops it. Resolves when every acknowledged write is durable. Throws if the embedded database dies.
 * Tests and measurements pass `overrides`.
 */
export async function serve(config: Config, secrets: Secrets, overrides: Overrides = {}): Promise<void> {
  // The modules load while the database opens.
  const [context, { createApp }, { prepareStart }] = await Promise.all([
    createContext(config, secrets, overrides),
    import('./app.ts'),
    import('./setup/prepare.ts'),
  ])
  const { log } = context
  const app = await createApp(context)
  const stopReason = awaitStop(context)
  try {
    const announce = await prepareStart(context)
    await app.listen({ host: config.host, port: config.port })
    const { port } = app.server.address() as AddressInfo
    const jobs = startJobs(
      [...recurringJobs(context), ...(context.semantic ? [context.semantic.job] : [])],
      log,
      context.onJobRun,
    )
    log.info({ host: config.host, port, database: context.database.kind }, 'listening')
    await announce(serverUrl({ host: config.host, port }))
    const reason = await stopReason
    await drain(app, context, jobs.stop, reason)
    if (reason.kind === 'broken_database') throw reason.cause
  } finally {
    exitAfter(CLOSE_MS, context)
    await app.close()
    await context.close()
    log.info('stopped')
  }
}

/**
 * Makes `/readyz` respond 503 and, after the delay, closes the listener and waits for the requests in flight. Requests that take too
 * long get 503.
 */
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

/** Resolves at the first signal, or when the embedded database dies. A second signal exits the process at once. */
function awaitStop({ database, log }: Context): Promise<StopReason> {
  return new Promise((resolve) => {
    let signals = 0
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (++signals > 1) {
          log.warn({ signal }, 'second stop signal: exiting at once')
          process.exit(1)
        }
        resolve({ kind: 'signal', signal })
      })
    database.broken.addEventListener('abort', () => resolve({ kind: 'broken_database', cause: database.broken.reason as Error }))
  })
}

/** A database or a provider that hangs must not keep the process alive. */
function exitAfter(ms: number, { log }: Pick<Context, 'log'>): void {
  const timer = setTimeout(() => {
    log.fatal({ ms }, 'the server did not stop in time: exiting')
    process.exit(1)
  }, ms)
  timer.unref()
}
