import type { Logger } from 'pino'
import { type Config, readConfig } from '../config/config.ts'
import { ConfigError, type Environment } from '../config/environment.ts'
import { KNOWN_VARIABLES } from '../config/known-variables.ts'
import { readSecrets } from '../config/secrets.ts'

interface Given {
  /** The environment as read last. */
  readonly env: Environment
  readonly readEnv: () => Environment
  readonly log: Logger
}

interface Reread {
  readonly env: Environment
  readonly config: Config
}

/** Variables that take effect without a restart, besides keys and tokens that providers and `gatehouse.yaml` name. */
const AT_RUN_TIME = ['LOG_LEVEL']
/** Variables of the server without its prefix. */
const AT_START = /^(?:PORT|HOST|DATABASE_URL|OTEL_.*|OLLAMA_HOST|.*_BASE_URL|.*_MODELS)$/

/**
 * Reads environment and configuration file again and logs which variables have changed, by name. Returns undefined, and logs why, if
 * one of them is invalid: nothing changes then.
 */
export async function readAgain({ env, readEnv, log }: Given): Promise<Reread | undefined> {
  try {
    const next = readEnv()
    const config = readConfig(next)
    const { fromEnvironment } = readSecrets(next, config)
    // Loaded when it is needed: the primary process stays small.
    const { checkConfigurationFile } = await import('../../tools/setup/check-configuration-file.ts')
    checkConfigurationFile(config, fromEnvironment)
    const changed = changedNames(env, next)
    const needRestart = changed.filter((name) => !AT_RUN_TIME.includes(name) && isReadAtStart(name))
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

const isReadAtStart = (name: string): boolean => KNOWN_VARIABLES.includes(name) || AT_START.test(name)
