import { existsSync, readFileSync } from 'node:fs'
import { configFileOf } from './config.ts'
import { ConfigError, type Environment } from './environment.ts'
import { PROVIDER_KEY_NAMES } from './environment-providers.ts'
import { KNOWN_VARIABLES } from './known-variables.ts'

const SUFFIX = '_FILE'
/** Variables of the server that hold a secret. A URL can contain a password or a signature. */
const SECRET = /^GATEHOUSE_\w+_(?:KEYS?|KEY_ID|TOKEN|SECRET|PASSWORD|URL)$/
const SECRETS = new Set(['DATABASE_URL', ...PROVIDER_KEY_NAMES, ...KNOWN_VARIABLES.filter((name) => SECRET.test(name))])

/** Secrets of one line. */
const SECRET_KEYS = new Set(['GATEHOUSE_SECRET_KEY', 'GATEHOUSE_NEXT_SECRET_KEY', 'GATEHOUSE_OLD_SECRET_KEYS'])

/** The environment without the secrets of the server and the keys of providers, for a process of another program. */
export const withoutSecrets = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.has(name)))

/**
 * Returns the environment in which each secret NAME has the content of the file that NAME_FILE names, without the line break at its
 * end. Secrets are those of the server, the keys of providers and each variable that the configuration file names. Throws a ConfigError
 * if a file cannot be read or is empty, or if NAME is set as well.
 */
export function readSecretFiles(env: Environment): Environment {
  const given = Object.keys(env).filter((name) => name.endsWith(SUFFIX) && env[name])
  if (given.length === 0) return env
  const named = namesIn(configFileOf(env))
  const resolved: Record<string, string | undefined> = { ...env }
  for (const fileName of given) {
    const name = fileName.slice(0, -SUFFIX.length)
    // A variable that is known with this ending holds the path of another file.
    if (KNOWN_VARIABLES.includes(fileName) || !(SECRETS.has(name) || named.has(name))) continue
    if (env[name]) throw new ConfigError(`${name} and ${fileName} exclude each other: set one`)
    const secret = readSecret(fileName, env[fileName] ?? '')
    if (SECRET_KEYS.has(name) && secret.includes('\n'))
      throw new ConfigError(
        `${fileName} names a file with several lines, and a secret key is one line: write old keys into GATEHOUSE_OLD_SECRET_KEYS, separated by commas`,
      )
    resolved[name] = secret
    delete resolved[fileName]
  }
  return resolved
}

function namesIn(configFile: string): ReadonlySet<string> {
  return new Set(existsSync(configFile) ? readFileSync(configFile, 'utf8').match(/\b[A-Za-z_]\w*/g) : [])
}

function readSecret(fileName: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw new ConfigError(`${fileName} names a file that cannot be read (${code}): check its path and permissions`)
  }
  if (text === '') throw new ConfigError(`${fileName} names a file that is empty: write the secret into it`)
  return text
}
