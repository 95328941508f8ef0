import type { AddressInfo } from 'node:net'
import { addressOf, type Config } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import { createContext, type Overrides } from './context.ts'
import { startJobs } from './jobs/jobs.ts'
import { recurringJobs } from './jobs/recurring.ts'

/** Longest time that running exchanges get after the signal to stop; then they are cut off. */
const STOP_MS = 15_000

/**
 * Starts the server and answers when it has been told to stop and has: everything acknowledged is on disk then. `overrides`
 * are for measurements and tests (bench/).
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
  const told = stopSignal()
  try {
    const announce = await prepare(context)
    await app.listen({ host: config.host, port: config.port })
    const { port } = app.server.address() as AddressInfo
    const jobs = startJobs([...recurringJobs(context), ...(context.semantic ? [context.semantic.job] : [])], log)
    log.info({ host: config.host, port, database: context.database.kind }, 'listening')
    await announce(addressOf({ host: config.host, port }))
    log.info({ signal: await told }, 'stopping')
    // Callers that wait for a reviewer are answered now: 409, as if their time were up.
    context.waiters.close()
    await jobs.stop()
  } finally {
    const timer = setTimeout(() => app.server.closeAllConnections(), STOP_MS)
    await app.close()
    clearTimeout(timer)
    await context.close()
    log.info('stopped')
  }
}

const stopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal))
  })
