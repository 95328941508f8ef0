import { join } from 'node:path'
import { opensDatabaseKeys } from '../../domains/audit/secret-key-check.ts'
import { createAdminToken, hasAdminToken } from '../../domains/operators/admin-token-store.ts'
import { invitationUrl } from '../../domains/operators/invitation-store.ts'
import type { SignIn } from '../../domains/operators/sign-in.ts'
import type { ConnectionPools } from '../../domains/providers/connection-pools.ts'
import { serverUrl, toLocalUrl } from '../../platform/config/config.ts'
import { ConfigError } from '../../platform/config/environment.ts'
import type { BackgroundWork } from '../../platform/lib/background-work.ts'
import { counted } from '../../platform/lib/counted.ts'
import { newCredential } from '../../platform/lib/credential.ts'
import { secretBox } from '../../platform/lib/secret-box.ts'
import { prepareDemo } from '../demo/demo.ts'
import { demoFilePath, withBaseUrl, writeDemoFile } from '../demo/demo-file.ts'
import type { FileOutcome } from '../ingestion/ingest-folder.ts'
import { hasFolders, ingestFolders } from '../ingestion/ingest-folders.ts'
import { applyConfigurationFile, type ConfigurationFileDeps } from '../setup/apply.ts'
import { changeOf } from '../setup/change.ts'
import { syncEnvironmentProviders } from '../setup/environment-sync.ts'
import type { GatehouseFile } from '../setup/gatehouse-file.ts'
import { writePrivateFile } from '../setup/private-file.ts'
import { type ChangeDeps, changeServer } from '../setup/recorded-change.ts'
import { type BannerFacts, banner } from './banner.ts'
import { firstLoginFile, issueFirstLogin, needsFirstLogin, writeFirstLoginLink } from './first-login.ts'

/**
 * Issues the first admin token and returns the file with it, or undefined if there is an admin token already. The file is written
 * before the commit: after a crash in between, its token is invalid and the next start issues another.
 */
async function issueFirstAdminToken(deps: ChangeDeps, dataDir: string): Promise<string | undefined> {
  const file = join(dataDir, 'admin-token')
  const changes = await changeServer(deps, async (tx, now) => {
    if (await hasAdminToken(tx)) return []
    const credential = newCredential('ga_')
    await writePrivateFile(file, `${credential.secret}\n`)
    return [changeOf('admin_token', 'issued', await createAdminToken(tx, { name: 'first', credential }, now))]
  })
  return changes.length > 0 ? file : undefined
}

export interface PrepareDeps extends ConfigurationFileDeps {
  readonly invokeDeps: { readonly pools: ConnectionPools }
  readonly background: Pick<BackgroundWork, 'start'>
  readonly signIn: Pick<SignIn, 'issuer'>
}

const WRONG_KEY =
  'GATEHOUSE_SECRET_KEY is not the key of this database, so its encrypted values cannot be decrypted. Set the key of the other nodes, or the one in secret.key'

const STANDARD_ERROR = {
  isTerminal: process.stderr.isTTY === true,
  write: (text: string): void => void process.stderr.write(text),
}

type Announce = (base: string) => Promise<void>

/** Applies `gatehouse.yaml` or seeds the demo, and issues the first secrets. Throws a ConfigError if the file or the environment is invalid. */
export async function prepareStart(deps: PrepareDeps, output = STANDARD_ERROR): Promise<Announce> {
  const { config, background, signIn } = deps
  const { isTerminal } = output
  await requireSecretKey(deps)
  const file = await applyConfigurationFile(deps)
  const demo = file || !config.demo ? undefined : await prepareDemoFacts(deps)
  const adminToken = await prepareAdminToken(deps)
  const firstLogin = await prepareFirstLogin(deps, isTerminal)
  return async (address) => {
    const base = toLocalUrl(address)
    const placed = demo && { ...demo, content: withBaseUrl(demo.content, base) }
    if (placed && demo.content.base_url !== placed.content.base_url) await writeDemoFile(config.dataDir, placed.content)
    const url = firstLogin?.token && invitationUrl(config.signIn.publicUrl ?? base, firstLogin.token)
    if (url && config.databaseUrl === undefined) await writeFirstLoginLink(config.dataDir, url)
    const login = firstLogin && { url, where: firstLogin.where }
    output.write(banner({ base, demo: placed, adminToken, firstLogin: login, isTerminal }))
    // In the background, because the identity provider may not respond. It logs a warning then.
    if (signIn.issuer) background.start(async () => void (await signIn.issuer?.check()))
    // In the background, because there may be many documents.
    if (file && hasFolders(file.declaration)) background.start((signal) => readFolders(deps, file, signal))
  }
}

/** For a process of a node whose first process has prepared the database. Throws a ConfigError if the secret key is another one. */
export async function joinNode(deps: Pick<PrepareDeps, 'database' | 'workspaceBox'>): Promise<Announce> {
  await requireSecretKey(deps)
  return async () => {}
}

async function requireSecretKey({ database, workspaceBox }: Pick<PrepareDeps, 'database' | 'workspaceBox'>): Promise<void> {
  if (!(await opensDatabaseKeys(database.pool, workspaceBox))) throw new ConfigError(WRONG_KEY)
}

/** For PostgreSQL the command instead of a file, because a node may have no data folder. Undefined if there was a token before. */
async function prepareAdminToken({ config, log, ...deps }: PrepareDeps): Promise<string | undefined> {
  if (config.databaseUrl !== undefined) {
    const hasToken = await deps.database.db.transaction().execute(hasAdminToken)
    return hasToken ? undefined : 'none yet: gatehouse token create --name NAME'
  }
  const file = await issueFirstAdminToken(deps, config.dataDir)
  if (file !== undefined) log.info({ file }, 'the first admin token was written')
  return file
}

async function prepareFirstLogin(
  deps: PrepareDeps,
  isTerminal: boolean,
): Promise<{ token: string | undefined; where: string } | undefined> {
  const { databaseUrl, dataDir } = deps.config
  if (databaseUrl === undefined || isTerminal) {
    const token = await issueFirstLogin(deps, deps.config)
    return token === undefined ? undefined : { token, where: `the link in ${firstLoginFile(dataDir)}` }
  }
  return (await needsFirstLogin(deps)) ? { token: undefined, where: 'gatehouse operator first-login' } : undefined
}

const DRIFT_NOTICE = 'differ from their files, which have not changed, and stay as they are; `gatehouse apply` applies the files'

async function readFolders({ log, ...deps }: PrepareDeps, { declaration }: GatehouseFile, signal: AbortSignal): Promise<void> {
  const warn = (collection: string, { key, error }: FileOutcome): void => {
    if (error) log.warn({ collection, file: key, code: error.code }, error.message)
  }
  for await (const { collection, tally, fault } of ingestFolders(deps, declaration, warn, { mode: 'changed', signal })) {
    if (fault) log.error({ err: fault, collection }, 'the folder of a collection could not be read completely')
    log.info({ collection, ...tally.counts, chunks: tally.chunks }, 'read the folder of a collection')
    const { left } = tally.counts
    if (left > 0) log.warn({ collection }, `${counted(left, 'document')} ${DRIFT_NOTICE}`)
  }
}

async function prepareDemoFacts({ config, secrets, log, invokeDeps, ...deps }: PrepareDeps): Promise<BannerFacts['demo']> {
  const { dataDir } = config
  const content = await prepareDemo(
    { ...deps, dataDir, withHistory: config.demoHistory, webhookBox: secretBox(secrets, 'webhook') },
    toLocalUrl(serverUrl(config)),
  )
  if (!content) return undefined
  const { pools } = invokeDeps
  const warn = (text: string): void => log.warn(text)
  const { fromEnvironment } = secrets
  const providers = await syncEnvironmentProviders(content.workspace.id, { ...deps, config, pools, warn, fromEnvironment })
  return { file: demoFilePath(dataDir), content, providers }
}
