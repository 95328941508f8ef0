import type { Logger } from 'pino'
import { operatorEventRecorder } from './api/admin/operators/operator-events.ts'
import { parseChat } from './api/gateway/chat-request.ts'
import type { GatewayDeps } from './api/gateway/gateway-routes.ts'
import { Drain } from './api/kit/drain.ts'
import { archiveOptions, destinationOptions, fileStoreOptions, signInOptions } from './context-options.ts'
import { createTelemetry, loadOpenTelemetry } from './context-telemetry.ts'
import { createUploads } from './context-uploads.ts'
import { openArchive } from './domains/audit/archive/archive-place.ts'
import { createChainOverdue } from './domains/audit/chain/chain-pending.ts'
import { AuditWriter } from './domains/audit/chain/writer.ts'
import { AuditWatch } from './domains/audit/checkpoints/watch.ts'
import { CheckpointDelivery } from './domains/audit/delivery/checkpoint-delivery.ts'
import { openDestinations } from './domains/audit/delivery/open-destinations.ts'
import { RecentRecords } from './domains/audit/statistics/counted-record.ts'
import { requireWorkspaceKeys, type WorkspaceKeys } from './domains/audit/workspace-keys.ts'
import { openBudgets } from './domains/budgets/open-budgets.ts'
import type { Detector } from './domains/classification/detector.ts'
import { DETECTORS, withFaultReports } from './domains/classification/detectors.ts'
import { openIdentity } from './domains/identity/open-identity.ts'
import { findWorkspaceId } from './domains/identity/workspace-store.ts'
import { queueMeter } from './domains/jobs/queue-meter.ts'
import { closeParsers } from './domains/knowledge/parsing/parser-pool.ts'
import { Limiter } from './domains/limits/limiter.ts'
import { openCounters } from './domains/limits/shared/open-counters.ts'
import { AssistantWorker } from './domains/messaging/assistants/assistant-worker.ts'
import { openFileStore } from './domains/messaging/attachments/file-store.ts'
import { EventHub } from './domains/messaging/events/event-hub.ts'
import { EventRelay } from './domains/messaging/events/event-relay.ts'
import { WebhookDispatcher } from './domains/messaging/events/webhook-dispatcher.ts'
import { WebhookSender } from './domains/messaging/events/webhook-sender.ts'
import { MemberAuthenticator } from './domains/messaging/people/member-authenticator.ts'
import { UserRateLimiter } from './domains/messaging/people/user-rate-limiter.ts'
import { MailWorker } from './domains/notifications/mail/mail-worker.ts'
import { Mailer } from './domains/notifications/mail/mailer.ts'
import { AdminAuthenticator } from './domains/operators/admin-authenticator.ts'
import type { PasswordHashing } from './domains/operators/better-auth.ts'
import { SignIn } from './domains/operators/sign-in.ts'
import { openPolicies } from './domains/policy/active-policies.ts'
import { ConnectionPools } from './domains/providers/connection-pools.ts'
import { FailureAnnouncer } from './domains/providers/failure-announcer.ts'
import { Health } from './domains/providers/health.ts'
import type { Provider } from './domains/providers/provider.ts'
import { loadProviders, PROVIDERS_TOPIC } from './domains/providers/provider-store.ts'
import { PendingOutputHolds } from './domains/review/pending-output-holds.ts'
import { ReviewWaiters } from './domains/review/review-waiters.ts'
import { registerPartMetrics } from './part-metrics.ts'
import type { IncomingRequest } from './pipeline/request.ts'
import { type Config, databaseServers } from './platform/config/config.ts'
import { secureDataFolder } from './platform/config/data-folder.ts'
import type { Secrets } from './platform/config/secrets.ts'
import { type Database, openDatabase } from './platform/db/database.ts'
import { DatabaseMaintenance } from './platform/db/database-maintenance.ts'
import { NEW_DATABASE } from './platform/db/embedded.ts'
import { BackgroundWork } from './platform/lib/background-work.ts'
import { Cache } from './platform/lib/cache.ts'
import { type Clock, elapsed, systemClock } from './platform/lib/clock.ts'
import { LOOK_UP_MS } from './platform/lib/credential-cache.ts'
import { newId } from './platform/lib/id.ts'
import { secretBox } from './platform/lib/secret-box.ts'
import { Shutdown } from './platform/lib/shutdown.ts'
import { TimeSlices } from './platform/lib/time-slices.ts'
import { ONLY_PROCESS, type PlaceInNode } from './platform/processes/node-link.ts'
import { createLogger } from './platform/telemetry/logger.ts'
import { Readiness } from './platform/telemetry/readiness.ts'
import { readinessChecks } from './readiness-checks.ts'
import { openSearch, type Search } from './semantic-search.ts'

type AuditLogWriter = Pick<AuditWriter, 'append' | 'chain' | 'leavesPending' | 'drain' | 'waiting' | 'lagSeconds'>

export interface Overrides {
  readonly node?: PlaceInNode
  readonly clock?: Clock
  readonly log?: Logger
  readonly detectors?: readonly Detector[]
  readonly random?: () => number
  readonly userRateLimiter?: UserRateLimiter
  readonly passwords?: PasswordHashing | undefined
  readonly audit?: AuditLogWriter
}

export type Context = Awaited<ReturnType<typeof createContext>>
type Base = ReturnType<typeof createBase>
type Telemetry = ReturnType<typeof createTelemetry>

const KEYS_MAX_AGE_MS = 60_000
const SHUTDOWN_GRACE_MS = 10_000
/** The embedded database runs one statement at a time: a lookup may have to wait for the statements of a large document. */
const EMBEDDED_LOOK_UP_MS = 30_000
/** A release takes less than all provider attempts and this together. An older claim belongs to a node that died. */
const RELEASE_MARGIN_MS = 15 * 60_000

/** Opens the database and creates everything that has state, once. Closes the database again if a later step throws. */
export async function createContext(config: Config, secrets: Secrets, overrides: Overrides = {}) {
  const log = overrides.log ?? createLogger(config.logLevel, config.telemetry.nodeName)
  for (const path of secureDataFolder(config)) log.warn({ path }, 'other users of this machine can no longer read it')
  const onError = (err: Error) => log.error({ err }, 'background fault')
  const onProgress = (text: string) => log.info(text)
  const servers = { ...databaseServers(config), newDatabase: NEW_DATABASE }
  const database = await openDatabase({ ...servers, timeouts: config.databaseTimeouts, onError, onProgress })
  try {
    const openTelemetry = await loadOpenTelemetry(config)
    const base = createBase({ config, secrets, overrides, log, onError, database, openTelemetry })
    const audit = createAudit(base)
    const parts = createParts(base, audit, await openSearch({ ...base, ...audit }))
    registerPartMetrics(parts.metrics.registry, { ...parts, nodeName: config.telemetry.nodeName })
    return { ...parts, close: () => closeParts(parts) }
  } catch (cause) {
    await database.close()
    throw cause
  }
}

interface Given {
  readonly config: Config
  readonly secrets: Secrets
  readonly overrides: Overrides
  readonly log: Logger
  readonly onError: (error: Error) => void
  readonly database: Database
  readonly openTelemetry: Parameters<typeof createTelemetry>[0]['openTelemetry']
}

const createBase = (given: Given) => ({
  ...given,
  node: given.overrides.node ?? ONLY_PROCESS,
  db: given.database.db,
  signal: given.database.signal,
  reads: given.database.reads,
  clock: given.overrides.clock ?? systemClock,
  random: given.overrides.random ?? Math.random,
  limitCounters: openCounters(given),
  workspaceBox: secretBox(given.secrets, 'workspace'),
  shutdown: new Shutdown(),
  background: new BackgroundWork(given.onError),
  /** Time limit for loading a cache entry and for looking up a credential. */
  loadMs: given.database.kind === 'embedded' ? EMBEDDED_LOOK_UP_MS : LOOK_UP_MS,
})

function createParts(base: Base, audit: ReturnType<typeof createAudit>, { ranker, semantic, close: closeSearch }: Search) {
  const { config, database, overrides, shutdown } = base
  const review = createReview(base)
  const telemetry = createTelemetry(base)
  const gateway = {
    ...base,
    ranker,
    ...audit,
    ...review,
    ...telemetry,
    detectors: withFaultReports(overrides.detectors ?? DETECTORS, telemetry.reportFault, telemetry.reportDetectorTime),
    detectorBudgetMs: config.detectorBudgetMs,
    ...openIdentity(base),
    ...openPolicies(base),
    ...createProviders(base, telemetry),
    ...openBudgets(base),
    limiter: new Limiter(elapsed, base.limitCounters.counters),
    timeSlices: new TimeSlices(),
    jsonDepth: config.sizes.jsonDepth,
    chatLimits: config.sizes,
    aborting: shutdown.aborting,
  } satisfies GatewayDeps
  const operators = createOperators(base)
  return {
    ...gateway,
    semantic,
    closeSearch,
    ...createMessaging(base, gateway),
    ...operators,
    ...createMail(base),
    ...createUploads({ ...gateway, config }),
    queueMeter: queueMeter(base),
    maintenance: database.kind === 'embedded' ? new DatabaseMaintenance(database.pool) : undefined,
    drain: new Drain(),
    readiness: new Readiness(readinessChecks({ ...base, ...audit, ...operators })),
  }
}

function createAudit({ config, secrets, overrides, node, database, db, clock, log, workspaceBox, loadMs }: Base) {
  const loadKeys = (workspaceId: string) => requireWorkspaceKeys(db, workspaceBox, workspaceId)
  const workspaceKeys = new Cache<WorkspaceKeys>(loadKeys, { maxAgeMs: KEYS_MAX_AGE_MS, loadMs, renews: true })
  const auditWatch = new AuditWatch()
  const destinations = openDestinations(destinationOptions(config, secrets))
  const recentRecords = new RecentRecords()
  const audit: AuditLogWriter =
    overrides.audit ??
    new AuditWriter(database, {
      findSealer: async (workspaceId) => (await workspaceKeys.get(workspaceId)).hasher,
      // The end of a chain is not where this node left it.
      onAlarm: (workspaceId, sequence) => auditWatch.suspect(workspaceId, { sequence, id: null, reason: 'rolled_back' }),
      ...(node.leads && { onCommit: (records) => recentRecords.add(records) }),
    })
  return {
    ...{ workspaceKeys, auditWatch, recentRecords, audit },
    chainOverdue: createChainOverdue({ db, audit, workspaceKeys, auditWatch }),
    checkpointDeliveries: destinations.map((destination) => new CheckpointDelivery(destination, { db, clock, log })),
    auditArchive: openArchive(archiveOptions(config, secrets)),
  }
}

function createMail(base: Base) {
  const { config, secrets } = base
  const mailer = config.mail && new Mailer({ from: config.mail.from, url: secrets.fromEnvironment(config.mail.smtpUrlEnv) ?? '' })
  return { mailer, mail: new MailWorker({ ...base, mailer, publicUrl: config.signIn.publicUrl }) }
}

const createReview = (base: Base) => ({
  reviewBox: secretBox(base.secrets, 'review'),
  responseBox: secretBox(base.secrets, 'response'),
  waiters: new ReviewWaiters(base),
  pendingOutputHolds: new PendingOutputHolds(base),
  lease: {
    leaseMs: base.config.providerLimits.totalMs + RELEASE_MARGIN_MS,
    // This process alone has an embedded database: a claim from before the start belongs to a process that died.
    ...(base.database.kind === 'embedded' && { exclusiveSince: base.clock.now() }),
  },
})

function createProviders(base: Base, { observeCall: onCall }: Telemetry) {
  const { config, secrets, db, signal, clock, log, node, random, loadMs } = base
  const { allowPrivateUrls, providerLimits: limits } = config
  const providerBox = secretBox(secrets, 'provider')
  const options = { box: providerBox, environment: secrets.fromEnvironment, allowPrivateUrls }
  const load = (workspaceId: string) => loadProviders(db, workspaceId, options)
  const providers = new Cache<readonly Provider[]>(load, { loadMs, renews: true })
  signal.subscribe(PROVIDERS_TOPIC, (workspaceId) => providers.forget(workspaceId))
  const [pools, health] = [new ConnectionPools({ allowPrivateUrls }), new Health({ processes: node.processes })]
  const onFault: GatewayDeps['invokeDeps']['onFault'] = ({ provider, kind, status }) =>
    log.error({ workspace_id: provider.workspaceId, provider: provider.id, kind, status }, 'a provider needs an operator')
  const reports = { onFault, onCall, ...new FailureAnnouncer(base) }
  return { providers, providerBox, health, invokeDeps: { pools, health, random, clock, newId, limits, ...reports } }
}

function createMessaging(base: Base, gateway: GatewayDeps & Pick<Telemetry, 'tracing'>) {
  const { config, secrets, overrides, loadMs, log, signal } = base
  const webhookBox = secretBox(secrets, 'webhook')
  const webhookSender = new WebhookSender(config)
  const relay = new EventRelay(base)
  const files = openFileStore(fileStoreOptions(config, secrets))
  const parse: IncomingRequest['parse'] = (body, application) => parseChat(body, application, gateway.chatLimits)
  return {
    members: new MemberAuthenticator({ ...gateway, signal, credentials: { lookUpMs: loadMs } }),
    userRateLimiter: overrides.userRateLimiter ?? new UserRateLimiter(undefined, elapsed, base.limitCounters.counters),
    files,
    fileLimits: config.files,
    hub: new EventHub(base),
    relay,
    webhookBox,
    webhookSender,
    webhooks: new WebhookDispatcher({ ...base, webhookBox, sender: webhookSender, publicUrl: config.signIn.publicUrl }),
    parseChat: parse,
    assistants: new AssistantWorker({ ...gateway, parseChat: parse, signal, log, relay, files, sample: gateway.tracing.sample }),
  }
}

function createOperators(base: Base) {
  const options = { ...signInOptions(base.config, base.secrets), passwords: base.overrides.passwords }
  return {
    adminAuthenticator: new AdminAuthenticator(base, { lookUpMs: base.loadMs }),
    signIn: new SignIn({ ...base, record: operatorEventRecorder(base), findWorkspaceId, ...options }),
  }
}

/** Ends waiting requests, finishes running work and writes queued records. Call it when the server accepts no more requests. */
async function closeParts({ audit, aborting, ...parts }: ReturnType<typeof createParts>): Promise<void> {
  parts.waiters.close()
  parts.hub.close()
  await parts.sources.close()
  await Promise.all([parts.assistants.close(), parts.uploads.close()])
  await Promise.all([parts.webhooks.close(), parts.mail.close(), parts.background.close()])
  await parts.relay.close()
  await Promise.all([audit.drain(), parts.limitCounters.close(), parts.budgetLedger.stop()])
  await Promise.all([
    parts.invokeDeps.pools.close(aborting.aborted ? 0 : SHUTDOWN_GRACE_MS),
    parts.jwksFetcher.close(),
    parts.documentFetcher.close(),
    parts.sourceHttp.close(),
    parts.webhookSender.close(),
    parts.files.close(),
    ...parts.checkpointDeliveries.map((delivery) => delivery.close()),
    parts.auditArchive?.close(),
    parts.closeTelemetry(),
    closeParsers(),
    parts.closeSearch(),
  ])
  await parts.database.close()
}
