import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { recordInterruptedResponses } from './audit/interrupted-responses.ts'
import { addressOf, type Config } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import { type Context, createContext, type Overrides } from './context.ts'
import { startJobs } from './jobs/jobs.ts'
import { recurringJobs } from './jobs/recurring-jobs.ts'

/** How long `/readyz` says 503 before a process whose database has died ends, so that whoever watches learns why. */
const BROKEN_NOTICE_MS = 1_000
/** What exchanges get to write their records after they were cut off: as long as an audit record may take (audit/writer.ts). */
const CUT_MS = 11_000
/** Longest time for closing what is left. The process ends then, whatever still hangs. */
const CLOSE_MS = 20_000

type Reason = { readonly kind: 'signal'; readonly signal: string } | { readonly kind: 'broken'; readonly cause: Error }

/**
 * Starts the server and answers when it has been told to stop and has: everything acknowledged is on disk then. Throws when the
 * database died under it. `overrides` are for measurements and tests (bench/).
 */
export async function serve(config: Config, secrets: Secrets, overrides: Overrides = {}): Promise<void> {
  // A database takes its time to open, the embedded one in a thread of its own: what else the server is made of loads meanwhile.
  const [context, { createApp }, { prepare }] = await Promise.all([
    createContext(config, secrets, overrides),
    import('./app.ts'),
    import('./setup/prepare.ts'),
  ])
  const { log } = context
  const app = await createApp(context)
  const told = toldToStop(context)
  try {
    const announce = await prepare(context)
    await app.listen({ host: config.host, port: config.port })
    const { port } = app.server.address() as AddressInfo
    const jobs = startJobs([...recurringJobs(context), ...(context.semantic ? [context.semantic.job] : [])], log)
    log.info({ host: config.host, port, database: context.database.kind }, 'listening')
    await announce(addressOf({ host: config.host, port }))
    const reason = await told
    await drain(app, context, jobs.stop, reason)
    if (reason.kind === 'broken') throw reason.cause
  } finally {
    endAfter(CLOSE_MS, context)
    await app.close()
    await context.close()
    log.info('stopped')
  }
}

/**
 * Readiness goes first and the server still answers; after the delay it takes no new connections, what runs may finish, and
 * what takes too long is answered with 503.
 */
async function drain(app: FastifyInstance, context: Context, stopJobs: () => Promise<void>, reason: Reason): Promise<void> {
  const { config, log, shutdown, waiters } = context
  const { delayMs, timeoutMs } = config.drain
  if (reason.kind === 'broken') log.fatal({ err: reason.cause }, 'the database has died: the process ends, start it again')
  else log.info({ signal: reason.signal }, 'stopping')
  shutdown.stop()
  // Somebody at the keyboard waits for the end; a load balancer wants to see 503 first.
  const delay = reason.kind === 'broken' ? BROKEN_NOTICE_MS : reason.signal === 'SIGINT' ? 0 : delayMs
  endAfter(delay + timeoutMs + CUT_MS + CLOSE_MS, context)
  await sleep(delay)

  // Takes no new connections, ends event streams and idle connections.
  const closed = app.close()
  // Callers that wait for a reviewer are answered now: 409, as if their time were up.
  waiters.close()
  const jobsStopped = stopJobs()
  if (!(await context.drain.idle(reason.kind === 'broken' ? 0 : timeoutMs))) {
    log.warn({ running: context.drain.size }, 'cutting off what still runs')
    shutdown.abort()
    if (!(await context.drain.idle(CUT_MS))) await recordInterruptedResponses(context, await context.drain.cut())
  }
  // Connections on which nothing was ever sent would hold the server open for a minute.
  app.server.closeAllConnections()
  await Promise.all([closed, jobsStopped])
}

/** The first signal, or the death of the embedded database; a second signal ends the process at once. */
function toldToStop({ database, log }: Context): Promise<Reason> {
  return new Promise((resolve) => {
    let signals = 0
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (++signals > 1) {
          log.warn({ signal }, 'told to stop a second time: ending at once')
          process.exit(1)
        }
        resolve({ kind: 'signal', signal })
      })
    database.broken.addEventListener('abort', () => resolve({ kind: 'broken', cause: database.broken.reason as Error }))
  })
}

/** A database or a provider that hangs must not keep the process alive. */
function endAfter(ms: number, { log }: Pick<Context, 'log'>): void {
  const timer = setTimeout(() => {
    log.fatal({ ms }, 'the server did not stop in time and is ended')
    process.exit(1)
  }, ms)
  timer.unref()
}
