import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { ConfigError, type Environment } from './environment.ts'

/** Kept apart from Config, so that a configuration can be logged and this can't. */
export interface Secrets {
  /** Everything encrypted at rest is sealed under keys derived from it. */
  readonly secretKey: Uint8Array
  /** Reads a provider's key by the name of its variable. */
  readonly fromEnvironment: (name: string) => string | undefined
  /** What `/metrics` asks for; absent: nothing. */
  readonly metricsToken: string | undefined
}

const MIN_LENGTH = 32

/** GATEHOUSE_SECRET_KEY, or with the embedded database a key that is made once and kept beside it (mode 0600). */
export function readSecrets(env: Environment, config: Config): Secrets {
  const text = env.GATEHOUSE_SECRET_KEY || keptKey(config)
  if (text.length < MIN_LENGTH) {
    throw new ConfigError(
      `GATEHOUSE_SECRET_KEY must have at least ${MIN_LENGTH} characters, for instance from: openssl rand -base64 32`,
    )
  }
  return { secretKey: Buffer.from(text), fromEnvironment: (name) => env[name] || undefined, metricsToken: metricsToken(env) }
}

function metricsToken({ GATEHOUSE_METRICS_TOKEN: token }: Environment): string | undefined {
  if (!token) return undefined
  if (/^[\x21-\x7e]{16,}$/.test(token)) return token
  throw new ConfigError('GATEHOUSE_METRICS_TOKEN must have at least 16 visible ASCII characters and no spaces')
}

function keptKey({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl !== undefined) {
    throw new ConfigError('GATEHOUSE_SECRET_KEY is required with DATABASE_URL, for instance from: openssl rand -base64 32')
  }
  const file = join(dataDir, 'secret.key')
  if (!existsSync(file)) makeKey(dataDir, file)
  return readFileSync(file, 'utf8').trim()
}

/** Whole or not at all, whenever the process dies; of two that start at once, the first one's key is everybody's. */
function makeKey(dataDir: string, file: string): void {
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
