import type { AuditWatch } from './domains/audit/checkpoints/watch.ts'
import { opensDatabaseKeys } from './domains/audit/secret-key-check.ts'
import type { SignIn } from './domains/operators/sign-in.ts'
import type { Config } from './platform/config/config.ts'
import type { Database } from './platform/db/database.ts'
import { freeBytes, MIN_FREE_BYTES, megabytes } from './platform/db/disk-space.ts'
import { compareSchema } from './platform/db/migrate.ts'
import { MIGRATIONS } from './platform/db/migrations/index.ts'
import type { SecretBox } from './platform/lib/secret-box.ts'
import type { Shutdown } from './platform/lib/shutdown.ts'
import type { PlaceInNode } from './platform/processes/node-link.ts'
import { Degraded, NotReady, type ReadinessCheck } from './platform/telemetry/readiness.ts'

interface Deps {
  readonly config: Config
  readonly database: Database
  readonly shutdown: Shutdown
  readonly workspaceBox: SecretBox
  readonly auditWatch: AuditWatch
  readonly audit: { readonly lagSeconds: number }
  readonly node: PlaceInNode
  readonly signIn: Pick<SignIn, 'issuer'>
}

/** Age of the oldest audit record that is not committed; responses wait for it. */
const MAX_AUDIT_LAG_SECONDS = 10

/** The checks of `/readyz`, in the order of its response. */
export function readinessChecks({
  config,
  database,
  shutdown,
  workspaceBox,
  auditWatch,
  audit,
  node,
  signIn,
}: Deps): ReadinessCheck[] {
  const checks: Record<string, ReadinessCheck['run']> = {
    accepting: () => {
      if (shutdown.stopping.aborted) throw new NotReady('The server is stopping.')
    },
    database: async () => {
      if (database.broken.aborted) throw new NotReady('The embedded database has died; the process ends.')
      await database.probe.query('select 1')
    },
    writable: () => requireWritable(database),
    schema: async () => {
      const { missing } = await compareSchema(database.probe, MIGRATIONS)
      if (missing.length > 0) throw new NotReady(`The schema of the database lacks ${missing.join(', ')}.`)
    },
    secret_key: async () => {
      if (!(await opensDatabaseKeys(database.probe, workspaceBox)))
        throw new NotReady('The secret key is not the one of this database.')
    },
    ...(database.kind === 'embedded' && { disk: () => requireSpace(config.dataDir) }),
    audit_lag: () => {
      if (audit.lagSeconds > MAX_AUDIT_LAG_SECONDS)
        throw new NotReady(`An audit record waits for the database for more than ${MAX_AUDIT_LAG_SECONDS} s.`)
    },
    audit_log: () => requireNoTampering(auditWatch),
    ...(config.databaseReadUrl !== undefined && { read_replica: () => requireFreshReplica(database) }),
    ...(signIn.issuer && { identity_provider: () => requireIssuer(signIn) }),
    ...(node.processes > 1 && { processes: () => requireAnswers(node) }),
  }
  return Object.entries(checks).map(([name, run]) => ({ name, run }))
}

/** Commits a message in the write-ahead log: a real write that changes no data. It also fails when the disk of the log is full. */
async function requireWritable({ probe }: Database): Promise<void> {
  const { rows } = await probe.query<{ standby: boolean; read_only: boolean }>(
    "select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as read_only",
  )
  if (rows[0]?.standby) throw new NotReady('The database is a standby, which takes no writes.')
  if (rows[0]?.read_only) throw new NotReady('The database is read-only.')
  await probe.query("select pg_logical_emit_message(true, 'gatehouse', 'ready')")
}

function requireSpace(folder: string): void {
  const free = freeBytes(folder)
  if (free >= MIN_FREE_BYTES) return
  const [has, needs] = [free, MIN_FREE_BYTES].map(megabytes)
  throw new NotReady(`The disk of the data folder has ${has} MB free; the database needs ${needs} MB.`)
}

/** Degraded, not NotReady: tampering with the log of one Workspace must not stop the requests of the others. */
function requireNoTampering({ faults }: AuditWatch): void {
  if (faults.size > 0) throw new Degraded(`The audit log of ${faults.size} Workspace(s) was tampered with.`)
}

/** Degraded: until the replica is back, everything is read from the primary. */
function requireFreshReplica({ reads }: Database): void {
  const { lagMs = 0, maxLagMs = 0 } = reads.replica ?? {}
  if (lagMs <= maxLagMs) return
  const lag = Number.isFinite(lagMs) ? `is ${Math.round(lagMs / 1_000)} s behind` : 'does not respond'
  throw new Degraded(`The read replica ${lag}, so everything is read from the primary.`)
}

/** Degraded: the gateway serves, and operators can sign in with passwords. Uses the last check, because load balancers do not wait. */
function requireIssuer({ issuer }: Deps['signIn']): void {
  if (issuer?.lastProblem !== undefined)
    throw new Degraded('The identity provider for single sign-on does not respond as it should.')
}

/** Degraded: the other processes serve. */
async function requireAnswers({ askProcesses }: PlaceInNode): Promise<void> {
  const reports = await askProcesses().catch(() => {
    throw new Degraded('The primary process does not answer.')
  })
  const silent = reports.filter(({ answer }) => !answer)
  if (silent.length > 0) throw new Degraded(silent.map(({ number }) => `Process ${number} does not answer.`).join(' '))
}
