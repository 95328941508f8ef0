import { spawnSync } from 'node:child_process'
import { ConfigError, type Environment } from './environment.ts'
import { withoutSecrets } from './secret-files.ts'

const TIMEOUT_MS = 30_000
const MAX_OUTPUT_BYTES = 65_536
const NAME = 'GATEHOUSE_SECRET_KEY_COMMAND'

/**
 * Runs the command that prints the secret keys, for example one that asks a key management service. There is no shell. Neither the
 * output nor the error output is logged. Throws a ConfigError if the command fails or takes longer than 30 s.
 */
export function runKeyCommand(env: Environment): string | undefined {
  const text = env[NAME]
  if (!text) return undefined
  const [command = '', ...args] = readArguments(text)
  const { status, signal, error, stdout } = spawnSync(command, args, {
    // Secrets from files would otherwise be in the environment of a program that does not need them.
    env: withoutSecrets({ ...process.env, ...env }),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  const failure = error ? ((error as NodeJS.ErrnoException).code ?? error.name) : (signal ?? (status === 0 ? undefined : status))
  if (failure === undefined) return stdout
  throw new ConfigError(`${NAME} failed (${failure}): run it by hand to see its error. It must print the key within 30 s`)
}

/** A JSON array of the program and its arguments, or words between spaces. */
function readArguments(text: string): readonly string[] {
  if (!text.trimStart().startsWith('[')) return text.trim().split(/\s+/)
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')) return value
  } catch {
    // The error below says what is expected.
  }
  throw new ConfigError(`${NAME} must be words between spaces, or a JSON array of strings such as ["kms", "decrypt", "my key"]`)
}
