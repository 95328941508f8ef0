import { type Config, readConfig } from '../config/config.ts'
import { secureDataFolder } from '../config/data-folder.ts'
import { readSecrets, type Secrets } from '../config/secrets.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { type SecretBox, secretBox } from '../lib/secret-box.ts'
import type { Terminal } from './command.ts'

/** The part of the server that commands work with. */
export interface Workbench {
  readonly config: Config
  readonly secrets: Secrets
  readonly database: Database
  readonly clock: Clock
  readonly workspaceBox: SecretBox
  readonly providerBox: SecretBox
}

/** A command is one person's work: a few connections serve it. */
const POOL_SIZE = 3
/** Someone looks on, and may stop it: a command takes the time that it takes. */
const LONG_STATEMENT_MS = 600_000
const LOCK_MS = 60_000

/** Runs `work` on the database that the environment names, which a running server may be using at the same time. */
export async function withDatabase<T>({ env, note }: Terminal, work: (bench: Workbench) => Promise<T>): Promise<T> {
  const config = readConfig(env)
  secureDataFolder(config)
  const secrets = readSecrets(env, config)
  const database = await openDatabase({
    url: config.databaseUrl,
    dataDir: config.dataDir,
    poolSize: POOL_SIZE,
    timeouts: {
      ...config.databaseTimeouts,
      statementMs: LONG_STATEMENT_MS,
      lockMs: LOCK_MS,
      idleTransactionMs: LONG_STATEMENT_MS,
    },
    share: true,
    // A broken connection also fails the query that runs on it: that is where it is told.
    onError: () => {},
    onProgress: note,
  })
  const workspaceBox = secretBox(secrets.secretKey, 'workspace')
  const providerBox = secretBox(secrets.secretKey, 'provider')
  try {
    return await work({ config, secrets, database, clock: systemClock, workspaceBox, providerBox })
  } finally {
    await database.close()
  }
}
