import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { ConfigError, type Environment } from './environment.ts'

/** Secrets are not part of Config, so that a configuration can be logged. */
export interface Secrets {
  /** The keys that encrypt stored secrets are derived from it. */
  readonly secretKey: Uint8Array
  /** Reads a provider's key by the name of its variable. */
  readonly fromEnvironment: (name: string) => string | undefined
  /** Token that `/metrics` requires. Absent: `/metrics` is open. */
  readonly metricsToken: string | undefined
}

const MIN_LENGTH = 32

/** Reads GATEHOUSE_SECRET_KEY. With the embedded database, its default is a key that is created once and kept in a file (mode 0600). */
export function readSecrets(env: Environment, config: Config): Secrets {
  const text = env.GATEHOUSE_SECRET_KEY || readKeyFile(config)
  if (text.length < MIN_LENGTH) {
    throw new ConfigError(
      `GATEHOUSE_SECRET_KEY must have at least ${MIN_LENGTH} characters, for example from: openssl rand -base64 32`,
    )
  }
  return { secretKey: Buffer.from(text), fromEnvironment: (name) => env[name] || undefined, metricsToken: readMetricsToken(env) }
}

function readMetricsToken({ GATEHOUSE_METRICS_TOKEN: token }: Environment): string | undefined {
  if (!token) return undefined
  if (/^[\x21-\x7e]{16,}$/.test(token)) return token
  throw new ConfigError('GATEHOUSE_METRICS_TOKEN must have at least 16 visible ASCII characters and no spaces')
}

function readKeyFile({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl !== undefined) {
    throw new ConfigError('GATEHOUSE_SECRET_KEY is required with DATABASE_URL, for example from: openssl rand -base64 32')
  }
  const file = join(dataDir, 'secret.key')
  if (!existsSync(file)) createKeyFile(dataDir, file)
  return readFileSync(file, 'utf8').trim()
}

/** Creates the file atomically, so that a crash leaves no partial key and two processes that start together use the same key. */
function createKeyFile(dataDir: string, file: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  writeFileSync(draft, randomBytes(32).toString('base64'), { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}
