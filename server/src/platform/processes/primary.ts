import cluster from 'node:cluster'
import type { Config } from '../config/config.ts'
import type { Environment } from '../config/environment.ts'
import { heapLimitOf } from '../config/processes.ts'
import { createLogger } from '../telemetry/logger.ts'
import type { StopSignal } from './messages.ts'
import { type ConfigurationSource, readAgain } from './reload.ts'
import { stopLimitMs } from './stop-limits.ts'
import { WorkerPool } from './worker-pool.ts'

/**
 * Runs the serving processes of a node until a signal stops them, and returns the exit code. It has no database and serves no requests:
 * it accepts connections and hands each to a process that is free. `source`: read again on SIGHUP; undefined: SIGHUP ends the node.
 */
export async function runPrimary(config: Config, env: Environment, source: ConfigurationSource | undefined): Promise<number> {
  const { processes, logLevel, telemetry, drain } = config
  const log = createLogger(logLevel, telemetry.nodeName).child({ process: 'primary' })
  setUpProcesses(processes)
  const pool = new WorkerPool(processes, env, log)
  const stop = (signal: StopSignal) => {
    if (pool.isStopping) {
      log.warn({ signal }, 'second stop signal: exiting at once')
      pool.kill()
      process.exit(1)
    }
    log.info({ signal }, 'stopping')
    pool.stop(signal, stopLimitMs(drain, signal))
  }
  process.on('SIGINT', () => stop('SIGINT')).on('SIGTERM', () => stop('SIGTERM'))
  if (source)
    process.on('SIGHUP', async () => {
      const next = await readAgain({ ...source, env: pool.env, log })
      if (!next) return
      log.level = next.config.logLevel
      pool.reload(next.env)
    })
  log.info({ processes }, 'starting')
  const code = await pool.run()
  log.info({ code }, 'stopped')
  return code
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
