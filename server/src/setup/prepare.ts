import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { opensDatabaseKeys } from '../audit/secret-key-check.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/environment.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Database } from '../db/database.ts'
import { prepareDemo } from '../demo/demo.ts'
import { demoFilePath, placeDemo, writeDemoFile } from '../demo/demo-file.ts'
import type { FileOutcome } from '../ingestion/ingest-folder.ts'
import { hasFolders, ingestFolders } from '../ingestion/ingest-folders.ts'
import type { BackgroundWork } from '../lib/background-work.ts'
import type { Clock } from '../lib/clock.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { hasAdminToken } from '../operators/admin-token-store.ts'
import { invitationUrl } from '../operators/invitation-store.ts'
import type { ConnectionPools } from '../providers/connection-pools.ts'
import { applyConfiguration } from './apply.ts'
import { type BannerFacts, banner } from './banner.ts'
import { describeChange, describeDrift } from './change.ts'
import { syncEnvironmentProviders } from './environment-sync.ts'
import { firstLoginFile, firstLoginOf, needsFirstLogin, placeFirstLogin } from './first-login.ts'
import { ensureAdminToken } from './first-token.ts'
import { type GatehouseFile, readGatehouseFile } from './gatehouse-file.ts'

/** The part of the context that setting up needs. */
export interface PrepareDeps {
  readonly config: Config
  readonly secrets: Secrets
  readonly log: Logger
  readonly database: Database
  readonly clock: Clock
  readonly workspaceBox: SecretBox
  readonly providerBox: SecretBox
  readonly invokeDeps: { readonly pools: ConnectionPools }
  readonly background: Pick<BackgroundWork, 'start'>
}

const WRONG_KEY =
  'GATEHOUSE_SECRET_KEY is not the one that this database was set up with: nothing that is encrypted in it can be opened. Set the key that the other nodes have, or the one in secret.key'

/** Who is greeted: a person at a terminal is shown secrets, a log is not. */
export interface Reader {
  readonly isTerminal: boolean
  readonly write: (text: string) => void
}

/** To be called once the server listens, with its address: notes it in demo.json and greets whoever started it. */
export type Announce = (base: string) => Promise<void>

/**
 * Brings the database to where the server may open: applies `gatehouse.yaml` if there is one; else seeds the demo, unless it is
 * turned off; and sees that somebody holds an admin token and somebody can sign in. Throws a ConfigError when the file or the environment is wrong.
 */
export async function prepare(deps: PrepareDeps, reader: Reader = STANDARD_ERROR): Promise<Announce> {
  const { config, background } = deps
  const { isTerminal } = reader
  if (!(await opensDatabaseKeys(deps.database.pool, deps.workspaceBox))) throw new ConfigError(WRONG_KEY)
  const configured = await applyFile(deps)
  const demo = configured || !config.demo ? undefined : await demoOf(deps)
  const adminToken = await adminTokenOf(deps)
  const firstLogin = await prepareFirstLogin(deps, isTerminal)
  return async (address) => {
    const base = reachable(address)
    const placed = demo && { ...demo, content: placeDemo(demo.content, base) }
    if (placed && demo.content.base_url !== placed.content.base_url) await writeDemoFile(config.dataDir, placed.content)
    const url = firstLogin?.token && invitationUrl(config.signIn.publicUrl ?? base, firstLogin.token)
    if (url && config.databaseUrl === undefined) await placeFirstLogin(config.dataDir, url)
    const login = firstLogin && { url, where: firstLogin.where }
    reader.write(banner({ base, demo: placed, adminToken, firstLogin: login, isTerminal }))
    // The server answers meanwhile: documents may be many.
    if (configured && hasFolders(configured.declaration)) background.start((signal) => readFolders(deps, configured, signal))
  }
}

/**
 * How to get the first admin token. With the embedded database it lies in a file of the data folder. With PostgreSQL a node has no folder
 * of its own, and none is made: a command makes one.
 */
async function adminTokenOf({ config, log, ...deps }: PrepareDeps): Promise<string | undefined> {
  if (config.databaseUrl !== undefined) {
    const has = await deps.database.db.transaction().execute(hasAdminToken)
    return has ? undefined : 'none yet: gatehouse token create --name NAME'
  }
  const file = await ensureAdminToken(deps, config.dataDir)
  if (file !== undefined) log.info({ file }, 'the first admin token was written')
  return file
}

/** How the first owner signs in; undefined once there is somebody. With PostgreSQL the link is kept nowhere. */
async function prepareFirstLogin(
  deps: PrepareDeps,
  isTerminal: boolean,
): Promise<{ token: string | undefined; where: string } | undefined> {
  const { databaseUrl, dataDir } = deps.config
  if (databaseUrl === undefined || isTerminal) {
    const token = await firstLoginOf(deps, deps.config)
    return token === undefined ? undefined : { token, where: `the link in ${firstLoginFile(dataDir)}` }
  }
  return (await needsFirstLogin(deps)) ? { token: undefined, where: 'gatehouse operator first-login' } : undefined
}

/** Undefined when there is no file. */
async function applyFile({ config, secrets, log, ...deps }: PrepareDeps): Promise<GatehouseFile | undefined> {
  if (!existsSync(config.configFile)) {
    if (config.configFileNamed) throw new ConfigError(`GATEHOUSE_CONFIG names ${config.configFile}, which is not there`)
    return undefined
  }
  const file = readGatehouseFile(config.configFile, secrets.fromEnvironment)
  const changes = await applyConfiguration(file, { ...deps, mode: 'changed' })
  for (const change of changes.filter(({ done }) => done !== 'unchanged'))
    log.info(`${config.configFile}: ${describeChange(change)}`)
  const drifts = changes.flatMap((change) => describeDrift(change) ?? [])
  for (const drift of drifts) log.warn(`${config.configFile}: ${drift}`)
  if (drifts.length > 0) log.warn('what differs from the file was left as it is: `gatehouse apply` applies the file')
  return file
}

const LEFT = 'differ from their files, which have not changed, and were left as they are: `gatehouse apply` applies the files'

async function readFolders({ log, ...deps }: PrepareDeps, { declaration }: GatehouseFile, signal: AbortSignal): Promise<void> {
  const warn = (collection: string, { key, error }: FileOutcome): void => {
    if (error) log.warn({ collection, file: key, code: error.code }, error.message)
  }
  for await (const { collection, tally, fault } of ingestFolders(deps, declaration, warn, { mode: 'changed', signal })) {
    if (fault) log.error({ err: fault, collection }, 'a folder could not be read to its end')
    log.info({ collection, ...tally.counts, chunks: tally.chunks }, 'read the folder of a collection')
    const { left } = tally.counts
    if (left > 0) log.warn({ collection }, `${left} documents ${LEFT}`)
  }
}

async function demoOf({ config, secrets, log, invokeDeps, ...deps }: PrepareDeps): Promise<BannerFacts['demo']> {
  const { dataDir } = config
  const content = await prepareDemo({ ...deps, dataDir }, reachable(`http://${config.host}:${config.port}`))
  if (!content) return undefined
  const { pools } = invokeDeps
  const warn = (text: string): void => log.warn(text)
  const { fromEnvironment } = secrets
  const providers = await syncEnvironmentProviders(content.workspace.id, { ...deps, config, pools, warn, fromEnvironment })
  return { file: demoFilePath(dataDir), content, providers }
}

const STANDARD_ERROR: Reader = {
  isTerminal: process.stderr.isTTY === true,
  write: (text) => void process.stderr.write(text),
}

/** A server that listens everywhere is found on this machine. */
const reachable = (base: string): string => base.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, '//127.0.0.1')
