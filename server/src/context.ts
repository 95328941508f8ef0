import type { Logger } from 'pino'
import { Agent, fetch as undiciFetch } from 'undici'
import { operatorEventRecorder } from './admin/operator-events.ts'
import { CheckpointDelivery } from './audit/delivery/checkpoint-delivery.ts'
import { openDestinations } from './audit/delivery/open-destinations.ts'
import { AuditWatch } from './audit/watch.ts'
import { loadWorkspaceKeys, type WorkspaceKeys } from './audit/workspace-keys.ts'
import { AuditWriter } from './audit/writer.ts'
import type { Detector } from './classification/detector.ts'
import { DETECTORS } from './classification/detectors.ts'
import { withFaultReports } from './classification/fault-reporting.ts'
import type { Config } from './config/config.ts'
import { secureDataFolder } from './config/data-folder.ts'
import type { Secrets } from './config/secrets.ts'
import { fileStoreOf, outsideOf, signInOf } from './context-options.ts'
import { type Database, openDatabase } from './db/database.ts'
import { DatabaseMaintenance } from './db/database-maintenance.ts'
import type { GatewayDeps } from './gateway/gateway-routes.ts'
import { Drain } from './http/drain.ts'
import { allCorsOrigins } from './identity/application-store.ts'
import { APPLICATIONS_TOPIC, Authenticator } from './identity/authenticator.ts'
import { UserTokenVerifier } from './identity/user-token.ts'
import { DocumentFetcher } from './knowledge/document-fetcher.ts'
import { closeParsers } from './knowledge/parsing/parse.ts'
import { BackgroundWork } from './lib/background-work.ts'
import { Cache } from './lib/cache.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { LOOK_UP_MS } from './lib/credential-cache.ts'
import { newId } from './lib/id.ts'
import { secretBox } from './lib/secret-box.ts'
import { Shutdown } from './lib/shutdown.ts'
import { TimeSlices } from './lib/time-slices.ts'
import { traceHeaders } from './lib/trace-context.ts'
import { guardedConnector } from './lib/url-guard.ts'
import { Limiter } from './limits/limiter.ts'
import { UserRateLimiter } from './messaging/api/user-rate-limiter.ts'
import { AssistantWorker } from './messaging/assistants/assistant-worker.ts'
import { openFileStore } from './messaging/attachments/open-file-store.ts'
import { EventHub } from './messaging/events/event-hub.ts'
import { EventRelay } from './messaging/events/event-relay.ts'
import { WebhookDispatcher } from './messaging/events/webhook-dispatcher.ts'
import { WebhookSender } from './messaging/events/webhook-sender.ts'
import { MemberAuthenticator } from './messaging/people/member-authenticator.ts'
import { AdminAuthenticator } from './operators/admin-authenticator.ts'
import { SignIn } from './operators/sign-in.ts'
import { ActivePolicies, POLICIES_TOPIC } from './policy/active-policies.ts'
import { ConnectionPools } from './providers/connection-pools.ts'
import { Health } from './providers/health.ts'
import type { Provider } from './providers/provider.ts'
import { loadProviders, PROVIDERS_TOPIC } from './providers/provider-store.ts'
import { readinessChecks } from './readiness-checks.ts'
import { createRanker } from './retrieval/rank.ts'
import { PendingAnswers } from './review/pending-answers.ts'
import { ReviewWaiters } from './review/waiting.ts'
import { openSemantic, type Semantic } from './semantic.ts'
import { faultReporter } from './telemetry/fault-reporter.ts'
import { createLogger } from './telemetry/logger.ts'
import { Metrics } from './telemetry/metrics.ts'
import { Degraded, Readiness } from './telemetry/readiness.ts'
import { requestObserver } from './telemetry/request-observer.ts'
import { NO_TRACING, otlpTracing } from './telemetry/tracing.ts'

/** What a test or a measurement may bring instead of the real thing. */
export interface Overrides {
  readonly clock?: Clock
  readonly log?: Logger
  readonly detectors?: readonly Detector[]
  readonly random?: () => number
  readonly userRateLimiter?: UserRateLimiter
  readonly audit?: Pick<AuditWriter, 'append' | 'drain' | 'waiting' | 'lagSeconds'>
}

const EMBEDDED_LOOK_UP_MS = 30_000
/**
 * A release takes at most as long as all attempts at providers and what comes around them; an older claim was left by a node that died.
 */
const RELEASE_MARGIN_MS = 15 * 60_000
const JWKS_CONNECT_MS = 5_000
const OUTSIDE_CONNECT_MS = 5_000
const SHUTDOWN_GRACE_MS = 10_000

export type Context = Awaited<ReturnType<typeof createContext>>

/** The one composition root: everything that has state is made here, once, and handed to who needs it. */
export async function createContext(config: Config, secrets: Secrets, overrides: Overrides = {}) {
  const { clock = systemClock, log = createLogger(config.logLevel), detectors = DETECTORS, random = Math.random } = overrides
  for (const path of secureDataFolder(config)) log.warn({ path }, 'other users of this machine can no longer read it')
  const onError = (err: Error) => log.error({ err }, 'background fault')
  const database = await openDatabase({
    url: config.databaseUrl,
    dataDir: config.dataDir,
    poolSize: config.databasePoolSize,
    timeouts: config.databaseTimeouts,
    onError,
    onProgress: (text) => log.info(text),
  })
  try {
    const fallbacks = { count: 0 }
    const onFallback = () => void fallbacks.count++
    const semantic = await openSemantic(config, secrets, database, { log, clock, random, onFallback })
    const needed = { clock, log, detectors, random, onError, semantic, fallbacks, ...overrides }
    return { config, secrets, log, database, semantic, ...compose(config, secrets, database, needed) }
  } catch (cause) {
    // Left open it would keep the process from ending.
    await database.close()
    throw cause
  }
}

type Needed = Required<Omit<Overrides, 'audit' | 'userRateLimiter'>> &
  Pick<Overrides, 'audit' | 'userRateLimiter'> & {
    readonly onError: (error: Error) => void
    readonly semantic: Semantic | undefined
    readonly fallbacks: { readonly count: number }
  }

function compose(
  config: Config,
  secrets: Secrets,
  database: Database,
  { clock, log, detectors, random, onError, semantic, fallbacks, ...given }: Needed,
) {
  const { db, signal } = database
  const startedAt = clock.now()
  const shutdown = new Shutdown()
  // The embedded database does one thing after the other: behind a large document a look-up has to wait.
  const lookUpMs = database.kind === 'embedded' ? EMBEDDED_LOOK_UP_MS : LOOK_UP_MS
  const credentials = { lookUpMs }
  const loadMs = lookUpMs
  const workspaceBox = secretBox(secrets.secretKey, 'workspace')
  const providerBox = secretBox(secrets.secretKey, 'provider')
  const reviewBox = secretBox(secrets.secretKey, 'review')

  const pools = new ConnectionPools({ allowPrivateUrls: config.allowPrivateUrls })
  const health = new Health()
  const policies = new ActivePolicies(db, { onProblem: onError, loadMs })
  signal.subscribe(POLICIES_TOPIC, (workspaceId) => policies.forget(workspaceId))
  const waiters = new ReviewWaiters({ signal, clock, onError })
  const providers = new Cache<readonly Provider[]>(
    (workspaceId) =>
      loadProviders(db, workspaceId, {
        box: providerBox,
        environment: secrets.fromEnvironment,
        allowPrivateUrls: config.allowPrivateUrls,
      }),
    { loadMs },
  )
  signal.subscribe(PROVIDERS_TOPIC, (workspaceId) => providers.forget(workspaceId))
  const allowedOrigins = new Cache(() => allCorsOrigins(db), { loadMs, maxEntries: 1 })
  signal.subscribe(APPLICATIONS_TOPIC, () => allowedOrigins.forget())
  const workspaceKeys = new Cache<WorkspaceKeys>(
    async (workspaceId) => {
      const keys = await loadWorkspaceKeys(db, workspaceBox, workspaceId)
      if (!keys) throw new Error('the Workspace has no keys')
      return keys
    },
    { maxAgeMs: 60_000, loadMs },
  )
  const auditWatch = new AuditWatch()
  const audit =
    given.audit ??
    new AuditWriter(database, {
      findSealer: async (workspaceId) => (await workspaceKeys.get(workspaceId)).hasher,
      onAlarm: (workspaceId, sequence) => auditWatch.suspect(workspaceId, { sequence, id: null, reason: 'rolled_back' }),
    })
  const jwksAgent = new Agent({ connect: guardedConnector(config.allowPrivateUrls, JWKS_CONNECT_MS) })
  const documentFetcher = new DocumentFetcher({ allowPrivateUrls: config.allowPrivateUrls })
  const background = new BackgroundWork(onError)
  const hub = new EventHub({ ...database, onError })
  const files = openFileStore(fileStoreOf(config, secrets))
  const webhookBox = secretBox(secrets.secretKey, 'webhook')
  const webhookSender = new WebhookSender({ allowPrivateUrls: config.allowPrivateUrls })
  const metrics = new Metrics({
    auditWaiting: () => audit.waiting,
    auditLagSeconds: () => audit.lagSeconds,
    checkpointDeliveries: () => checkpointDeliveries.map(({ state }) => state),
    auditTampered: () => [...auditWatch.faults].map(([workspace, { reason }]) => ({ workspace, reason })),
    waitingForReview: () => waiters.size,
    lexicalFallbacks: () => fallbacks.count,
  })
  const reportFault = faultReporter({ metrics, log })
  const checkpointDeliveries = openDestinations(outsideOf(config, secrets), guardedConnector(true, OUTSIDE_CONNECT_MS)).map(
    (place) => new CheckpointDelivery(place, { db, clock, log }),
  )
  const tracing = config.otlpTracesUrl === undefined ? NO_TRACING : otlpTracing(config.otlpTracesUrl, config.otelResource)

  const gateway = {
    authenticator: new Authenticator(database, credentials),
    limiter: new Limiter(),
    jsonDepth: config.sizes.jsonDepth,
    chatLimits: config.sizes,
    allowedOrigins,
    userTokens: new UserTokenVerifier({
      ...database,
      clock,
      loadMs,
      fetch: (url, init) =>
        undiciFetch(url, {
          ...init,
          headers: { ...Object.fromEntries(new Headers(init.headers)), ...traceHeaders() },
          dispatcher: jwksAgent,
        }),
    }),
    detectors: withFaultReports(detectors, reportFault),
    reportFault,
    detectorBudgetMs: config.detectorBudgetMs,
    policies,
    ranker: createRanker({ db, pool: database.pool, embedder: semantic?.ranker }),
    workspaceKeys,
    pendingAnswers: new PendingAnswers({ ...database, clock, loadMs }),
    db,
    clock,
    timeSlices: new TimeSlices(),
    reviewBox,
    waiters,
    // Embedded, nobody else has the database: a claim from before this start was left by a process that is gone.
    lease: {
      leaseMs: config.providerLimits.totalMs + RELEASE_MARGIN_MS,
      ...(database.kind === 'embedded' && { exclusiveSince: startedAt }),
    },
    providers,
    health,
    random,
    invokeDeps: {
      pools,
      health,
      random,
      clock,
      newId,
      limits: config.providerLimits,
      onFault: ({ provider, kind, status }) =>
        log.error({ workspace_id: provider.workspaceId, provider: provider.id, kind, status }, 'a provider needs an operator'),
    },
    audit,
    aborting: shutdown.aborting,
    observe: requestObserver({ metrics, tracing, log }),
  } satisfies GatewayDeps
  const relay = new EventRelay({ ...database, onError })
  const webhooks = new WebhookDispatcher({ ...database, clock, random, webhookBox, sender: webhookSender, onError })
  const assistants = new AssistantWorker({ ...gateway, signal, log, relay, recordsSpans: config.otlpTracesUrl !== undefined })

  return {
    ...gateway,
    signal,
    maintenance: database.kind === 'embedded' ? new DatabaseMaintenance(database.pool) : undefined,
    auditWatch,
    checkpointDeliveries,
    workspaceBox,
    providerBox,
    documentFetcher,
    background,
    metrics,
    adminAuthenticator: new AdminAuthenticator(database, credentials),
    signIn: new SignIn({
      ...database,
      clock,
      log,
      record: operatorEventRecorder({ clock, workspaceBox }),
      ...signInOf(config, secrets),
    }),
    members: new MemberAuthenticator({ ...gateway, ...database, credentials }),
    userRateLimiter: given.userRateLimiter ?? new UserRateLimiter(),
    files,
    fileLimits: config.files,
    relay,
    assistants,
    hub,
    webhookBox,
    webhooks,
    shutdown,
    drain: new Drain(),
    readiness: new Readiness([
      ...readinessChecks({ config, database, shutdown, workspaceBox }),
      { name: 'audit_log', run: () => noTampering(auditWatch) },
    ]),
    /** Ends what waits, lets what runs finish, and writes what is queued. Call it when no request comes in any more. */
    close: async () => {
      waiters.close()
      hub.close()
      await assistants.close()
      await Promise.all([webhooks.close(), background.close()])
      await relay.close()
      await audit.drain()
      await Promise.all([
        pools.close(shutdown.aborting.aborted ? 0 : SHUTDOWN_GRACE_MS),
        jwksAgent.close(),
        documentFetcher.close(),
        webhookSender.close(),
        files.close(),
        ...checkpointDeliveries.map((delivery) => delivery.close()),
        tracing.close(),
        closeParsers(),
        semantic?.close(),
      ])
      await database.close()
    },
  }
}

/** One Workspace's log is no reason to take the others' requests away: an intruder in the database could stop them all. */
function noTampering({ faults }: AuditWatch): void {
  if (faults.size > 0) throw new Degraded(`The audit log of ${faults.size} Workspace(s) was tampered with.`)
}
