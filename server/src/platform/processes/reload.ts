import type { Logger } from 'pino'
import { type Config, readConfig } from '../config/config.ts'
import { ConfigError, type Environment } from '../config/environment.ts'
import { KNOWN_VARIABLES } from '../config/known-variables.ts'
import { readSecrets, type Secrets } from '../config/secrets.ts'

/** The parts of the configuration that SIGHUP reads again. */
export interface ConfigurationSource {
  readonly readEnv: () => Environment
  /** Checks the configuration file. Throws a ConfigError if it is invalid. */
  readonly checkFile: (config: Config, fromEnvironment: Secrets['fromEnvironment']) => Promise<void>
}

/** LOG_LEVEL takes effect without a restart, and so do the keys and tokens that providers and `gatehouse.yaml` name. */
const AT_START = /^(?:PORT|HOST|DATABASE_URL|OTEL_.*|OLLAMA_HOST|.*_BASE_URL|.*_MODELS)$/

/**
 * Reads environment and configuration file again and logs which variables have changed. `env`: as read last. Undefined: invalid, and nothing
 * changes.
 */
export async function readAgain({ env, readEnv, checkFile, log }: ConfigurationSource & { env: Environment; log: Logger }) {
  try {
    const next = readEnv()
    const config = readConfig(next)
    const { fromEnvironment } = readSecrets(next, config)
    await checkFile(config, fromEnvironment)
    const changed = changedNames(env, next)
    const needRestart = changed.filter((name) => KNOWN_VARIABLES.includes(name) || AT_START.test(name))
    log.info({ changed, need_restart: needRestart }, 'the configuration was read again')
    return { env: next, config }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    log.error({ problem: error.message }, 'the configuration is invalid: nothing was changed')
    return undefined
  }
}

const changedNames = (before: Environment, after: Environment): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => (before[name] || '') !== (after[name] || ''))
    .sort()
