import { fileStoreOptions } from '../../context-options.ts'
import { type FileStore, openFileStore } from '../../domains/messaging/attachments/file-store.ts'
import { type Config, readConfig, serverUrl, toLocalUrl } from '../../platform/config/config.ts'
import { secureDataFolder } from '../../platform/config/data-folder.ts'
import { readSecrets, type Secrets } from '../../platform/config/secrets.ts'
import { type Database, openDatabase } from '../../platform/db/database.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { secretBox } from '../../platform/lib/secret-box.ts'
import { readDemoFile } from '../demo/demo-file.ts'
import type { ChangeDeps } from '../setup/recorded-change.ts'
import { readFirstLoginBase } from '../start/first-login.ts'
import type { Terminal } from './terminal.ts'

export interface CommandContext extends ChangeDeps {
  readonly config: Config
  readonly secrets: Secrets
  readonly database: Database
}

const POOL_SIZE = 3
/** Longer than in the server, because a user can stop the command. */
const LONG_STATEMENT_MS = 600_000
const LOCK_MS = 60_000

/** Opens the database, which a running server may use at the same time. `dataDir`: another folder with an embedded database. */
export async function withDatabase<T>(
  { env, note }: Terminal,
  work: (context: CommandContext) => Promise<T>,
  { dataDir }: { readonly dataDir?: string } = {},
): Promise<T> {
  const config = readConfig(env)
  secureDataFolder(config)
  const secrets = readSecrets(env, config)
  const database = await openDatabase({
    // Commands run long statements and few at a time, so they use neither pooler nor replica.
    url: config.databaseSessionUrl ?? config.databaseUrl,
    dataDir: dataDir ?? config.dataDir,
    poolSize: POOL_SIZE,
    timeouts: {
      ...config.databaseTimeouts,
      statementMs: LONG_STATEMENT_MS,
      lockMs: LOCK_MS,
      idleTransactionMs: LONG_STATEMENT_MS,
    },
    share: true,
    // A broken connection also fails its query, and the command reports that error.
    onError: () => {},
    onProgress: note,
  })
  const workspaceBox = secretBox(secrets, 'workspace')
  const providerBox = secretBox(secrets, 'provider')
  try {
    return await work({ config, secrets, database, clock: systemClock, workspaceBox, providerBox })
  } finally {
    await database.close()
  }
}

export const migrate = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async ({ database }) => terminal.out(`the ${database.kind} database is up to date`))

/** The address of the server for clients. The server may run on another port than this command's environment says. */
export async function publicUrl({ config }: Pick<CommandContext, 'config'>, { env }: Pick<Terminal, 'env'>): Promise<string> {
  const isSet = Boolean(env.HOST || env.PORT)
  const written = isSet ? undefined : await readWrittenUrl(config)
  return config.signIn.publicUrl ?? written ?? toLocalUrl(serverUrl(config))
}

/** The address that a server wrote to the data folder, with the demo or the link of the first login. */
async function readWrittenUrl({ dataDir }: Config): Promise<string | undefined> {
  return (await readDemoFile(dataDir))?.base_url ?? (await readFirstLoginBase(dataDir))
}

export async function withFiles<T>({ config, secrets }: CommandContext, work: (files: FileStore) => Promise<T>): Promise<T> {
  const files = openFileStore(fileStoreOptions(config, secrets))
  return work(files).finally(() => files.close())
}
