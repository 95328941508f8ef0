import type { Logger } from 'pino'
import type { Environment } from '../config/environment.ts'
import type { StopSignal } from './messages.ts'
import { type NodeLink, ONLY_PROCESS } from './node-link.ts'
import { type ConfigurationSource, readAgain } from './reload.ts'

/** The link of a server with one process, which gets the signals itself. `source`: read again on SIGHUP; absent: SIGHUP ends the server. */
export function onlyProcess(source?: ConfigurationSource & { readonly env: Environment }): NodeLink {
  let log: Logger
  return {
    ...ONLY_PROCESS,
    prepares: true,
    attach(parts) {
      log = parts.log
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
      if (!source) return
      let { env } = source
      process.on('SIGHUP', async () => {
        const next = await readAgain({ ...source, env, log })
        if (!next) return
        env = next.env
        void listener(env)
      })
    },
    listening() {},
  }
}
