import type { Config } from '../config/config.ts'
import type { Environment } from '../config/environment.ts'
import type { Secrets } from '../config/secrets.ts'
import { createLogger } from '../telemetry/logger.ts'
import { answersOf } from './answers.ts'
import { startHealthThread } from './health-thread.ts'
import type { StopSignal } from './messages.ts'
import type { NodeLink } from './node-link.ts'
import { readAgain } from './reload.ts'

interface Reloading {
  readonly env: Environment
  readonly readEnv: () => Environment
}

/** The link of a server with one process: it gets the signals itself, and a thread serves the health port. */
export function onlyProcess(config: Config, secrets: Secrets, reloading?: Reloading): NodeLink {
  const log = createLogger(config.logLevel, config.telemetry.nodeName)
  let thread: { close: () => Promise<void> } | undefined
  return {
    number: undefined,
    processes: 1,
    prepares: true,
    leads: true,
    metrics: undefined,
    async attach(answering) {
      const { healthPort: port, host } = config
      if (port === undefined) return
      thread = await startHealthThread({ host, port, metricsToken: secrets.metricsToken }, answersOf(answering))
    },
    awaitStop: () =>
      new Promise<StopSignal>((resolve) => {
        let signals = 0
        for (const signal of ['SIGINT', 'SIGTERM'] as const)
          process.on(signal, () => {
            if (++signals > 1) {
              log.warn({ signal }, 'second stop signal: exiting at once')
              process.exit(1)
            }
            resolve(signal)
          })
      }),
    onReload(listener) {
      if (!reloading) return
      let { env } = reloading
      process.on('SIGHUP', async () => {
        const next = await readAgain({ ...reloading, env, log })
        if (!next) return
        env = next.env
        log.level = next.config.logLevel
        void listener(env)
      })
    },
    listening() {},
    close: async () => thread?.close(),
  }
}
