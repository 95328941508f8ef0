import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SecretKeys, secretKeyId } from '../lib/secret-box.ts'
import { readCommandWords } from './command-words.ts'
import type { Config } from './config.ts'
import { ConfigError, type Environment } from './environment.ts'
import { withoutSecrets } from './secret-files.ts'

/** Secrets are not part of Config, so that a configuration can be logged. The keys that encrypt stored secrets are derived from SecretKeys. */
export interface Secrets extends SecretKeys {
  readonly fromEnvironment: (name: string) => string | undefined
  /** Token that `/metrics` requires. Absent: `/metrics` is open. */
  readonly metricsToken: string | undefined
}

const MIN_LENGTH = 32

export const readSecrets = (env: Environment, config: Config): Secrets => ({
  ...readSecretKeys(env, config),
  fromEnvironment: (name) => env[name] || undefined,
  metricsToken: readMetricsToken(env),
})

/** Secrets whose keys of providers and tokens come from the environment as it was read last. */
export function reloadableSecrets(env: Environment, config: Config): { secrets: Secrets; replace: (env: Environment) => void } {
  let current = env
  return {
    secrets: { ...readSecrets(env, config), fromEnvironment: (name) => current[name] || undefined },
    replace: (next) => {
      current = next
    },
  }
}

/**
 * Reads the secret keys: the current one from GATEHOUSE_SECRET_KEY, else the lines of the command's output, else the lines of
 * `secret.key`. The first line is the current key, further lines are old ones. With the embedded database the file is created once (mode 0600).
 */
function readSecretKeys(env: Environment, config: Config): SecretKeys {
  const { GATEHOUSE_SECRET_KEY: given, GATEHOUSE_SECRET_KEY_COMMAND: command, GATEHOUSE_NEXT_SECRET_KEY: next } = env
  if (given && command) throw new ConfigError('GATEHOUSE_SECRET_KEY and GATEHOUSE_SECRET_KEY_COMMAND exclude each other: set one')
  const [current = '', ...further] = given ? [given] : splitLines(runKeyCommand(env) ?? readKeyFile(config))
  const source = command ? 'the output of GATEHOUSE_SECRET_KEY_COMMAND' : given ? 'GATEHOUSE_SECRET_KEY' : 'secret.key'
  const old = [...further, ...(env.GATEHOUSE_OLD_SECRET_KEYS ?? '').split(',').flatMap((key) => key.trim() || [])]
  const keys = {
    secretKey: toKey(current, source),
    nextSecretKey: next ? toKey(next, 'GATEHOUSE_NEXT_SECRET_KEY') : undefined,
    oldSecretKeys: old.map((key) => toKey(key, further.includes(key) ? source : 'GATEHOUSE_OLD_SECRET_KEYS')),
  }
  refuseRepeatedKey(keys)
  return keys
}

const splitLines = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || [])

function toKey(text: string, source: string): Buffer {
  if (text.length >= MIN_LENGTH) return Buffer.from(text)
  throw new ConfigError(
    `each key in ${source} must have at least ${MIN_LENGTH} characters, for example from: openssl rand -base64 32`,
  )
}

function refuseRepeatedKey({ secretKey, nextSecretKey, oldSecretKeys }: SecretKeys): void {
  const current = secretKeyId(secretKey)
  if (nextSecretKey && secretKeyId(nextSecretKey) === current)
    throw new ConfigError('GATEHOUSE_NEXT_SECRET_KEY is the current secret key: remove the variable')
  if (oldSecretKeys?.some((key) => secretKeyId(key) === current))
    throw new ConfigError('GATEHOUSE_OLD_SECRET_KEYS contains the current secret key: remove it from the list')
}

function readMetricsToken({ GATEHOUSE_METRICS_TOKEN: token }: Environment): string | undefined {
  if (!token) return undefined
  if (/^[\x21-\x7e]{16,}$/.test(token)) return token
  throw new ConfigError('GATEHOUSE_METRICS_TOKEN must have at least 16 visible ASCII characters and no spaces')
}

const COMMAND = 'GATEHOUSE_SECRET_KEY_COMMAND'

/** Runs the command that prints the secret keys, without a shell. Neither its output nor its error output is logged. */
function runKeyCommand(env: Environment): string | undefined {
  const text = env[COMMAND]
  if (!text) return undefined
  const [command = '', ...args] = readCommandWords(COMMAND, text)
  const { status, signal, error, stdout } = spawnSync(command, args, {
    // Secrets from files would otherwise be in the environment of a program that does not need them.
    env: withoutSecrets({ ...process.env, ...env }),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 30_000,
    killSignal: 'SIGKILL',
    maxBuffer: 65_536,
  })
  const failure = error ? ((error as NodeJS.ErrnoException).code ?? error.name) : (signal ?? (status === 0 ? undefined : status))
  if (failure === undefined) return stdout
  throw new ConfigError(`${COMMAND} failed (${failure}): run it by hand to see its error. It must print the key within 30 s`)
}

function readKeyFile({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl !== undefined)
    throw new ConfigError(
      'GATEHOUSE_SECRET_KEY is required with DATABASE_URL, for example from: openssl rand -base64 32. Or set GATEHOUSE_SECRET_KEY_COMMAND',
    )
  const file = join(dataDir, 'secret.key')
  if (!existsSync(file)) createKeyFile(dataDir, file)
  return readFileSync(file, 'utf8')
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
