import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { appendUnderLock } from '../../server/src/domains/audit/chain/append-in-transaction.ts'
import type { KeyedHasher } from '../../server/src/domains/audit/record/hashes.ts'
import type { AuditDraft } from '../../server/src/domains/audit/record/record.ts'
import { createWorkspaceKeys, loadWorkspaceKeys } from '../../server/src/domains/audit/workspace-keys.ts'
import { createApplication } from '../../server/src/domains/identity/application-store.ts'
import { createWorkspace } from '../../server/src/domains/identity/workspace-store.ts'
import { policySha256 } from '../../server/src/domains/policy/policy.ts'
import { publishPolicySet } from '../../server/src/domains/policy/policy-store.ts'
import { STAGES } from '../../server/src/pipeline/endpoints.ts'
import { type Db, openDatabase } from '../../server/src/platform/db/database.ts'
import { systemClock } from '../../server/src/platform/lib/clock.ts'
import { newId } from '../../server/src/platform/lib/id.ts'
import { secretBox } from '../../server/src/platform/lib/secret-box.ts'
import { createScratchDatabase } from './scratch-database.ts'

/** A database with one Workspace, its Application, an active policy set and audit records of chats. */
export interface AuditRig extends AsyncDisposable {
  readonly db: Db
  readonly workspaceId: string
  readonly applicationId: string
  readonly hasher: KeyedHasher
}

/** Returns the varying values of a chat's audit record by its index. */
export type Special = (index: number) => {
  readonly role: string
  readonly tokens: number
  readonly emails: number
  readonly at: Date
}

const BATCH = 500
const SECRET = Buffer.alloc(32, 7)

/** Opens a scratch database on the PostgreSQL at `url`, or an embedded database, and writes `count` records. */
export async function startAuditRig(url: string | undefined, source: string, count: number, special: Special): Promise<AuditRig> {
  const scratch = url === undefined ? undefined : await createScratchDatabase(url)
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
  const quiet = { onError: () => {}, onProgress: () => {} }
  const database = await openDatabase({ url: scratch?.url, dataDir, poolSize: 4, ...quiet })
  const { db } = database
  const workspaceId = newId('ws')
  const box = secretBox(SECRET, 'workspace')
  const now = new Date(systemClock.now().getTime() - 3_600_000)
  const keys = createWorkspaceKeys(box, workspaceId)
  await db.transaction().execute((tx) => createWorkspace(tx, workspaceId, { name: 'bench' }, keys, now))
  const application = await createApplication(db, workspaceId, { name: 'bench' }, now)
  const document = { name: 'benchmark', source, sha256: policySha256(source), publishedBy: 'bench', now }
  const policy = await db.transaction().execute((tx) => publishPolicySet(tx, workspaceId, document))
  const hasher = (await loadWorkspaceKeys(db, box, workspaceId))?.hasher
  if (!application || !hasher) throw new Error('the Workspace could not be created')
  const draft = (index: number) => chatDraft({ workspaceId, applicationId: application.id, hasher, policy }, special(index))
  for (let at = 0; at < count; at += BATCH) {
    const drafts = Array.from({ length: Math.min(BATCH, count - at) }, (_, index) => draft(at + index))
    await db.transaction().execute((tx) => appendUnderLock(tx, workspaceId, drafts, hasher))
  }
  // Autovacuum has not analysed the new rows yet.
  await sql`analyze audit_record`.execute(db)
  return {
    db,
    workspaceId,
    applicationId: application.id,
    hasher,
    async [Symbol.asyncDispose]() {
      await database.close()
      await scratch?.[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

interface RecordOwner {
  readonly workspaceId: string
  readonly applicationId: string
  readonly hasher: KeyedHasher
  readonly policy: AuditDraft['policy_versions'][number]
}

/** The audit record that the pipeline drafts for an allowed chat. */
function chatDraft(
  { workspaceId, applicationId, hasher, policy: { id, name, version, sha256 } }: RecordOwner & { policy: { name?: string } },
  { role, tokens, emails, at }: ReturnType<Special>,
): AuditDraft {
  const findings = { pii: emails, 'pii.email': emails }
  const rules = emails > 0 ? ['addresses-stay-here', 'personal-data-is-medium'] : []
  const hash = hasher.text('request', `${at.getTime()}`)
  return {
    id: newId('aud'),
    object: 'audit_record',
    workspace_id: workspaceId,
    application_id: applicationId,
    endpoint: 'chat',
    created_at: at.toISOString(),
    duration_ms: 812.345,
    status: 200,
    error_code: null,
    user: { id: hasher.user(`user ${tokens % 97}`), verified: false, role, department: 'research' },
    request: { hash, bytes: tokens * 4, messages: 3 },
    response: { hash, bytes: 345, choices: 1 },
    stages: STAGES.map((stage) => ({
      name: stage,
      outcome: SKIPPED_STAGES.has(stage) ? 'skipped' : 'ok',
      ms: stage === 'invoke' ? 700 : 0.5,
    })),
    findings: emails > 0 ? { classify: findings } : {},
    classification: emails > 0 ? 'confidential' : 'internal',
    risk_level: emails > 0 ? 'medium' : 'low',
    decision: {
      verdict: 'allow',
      transforms: emails > 0 ? ['redact:pii.email'] : [],
      directives: [],
      rules: rules.map((rule) => ({ id: rule, point: 'input', verdict: 'allow' })),
    },
    policy_versions: [{ id, ...(name !== undefined && { name }), version, sha256 }],
    attempts: [chatAttempt(tokens)],
    knowledge: [],
    memory: [],
    remembered: [],
    review: null,
    dry_run: false,
    features: chatFeatures(tokens, emails),
    change: null,
  }
}

const chatAttempt = (tokens: number): AuditDraft['attempts'][number] => ({
  provider: 'own',
  model: 'small',
  status: 200,
  outcome: 'ok',
  ms: 700,
  prompt_tokens: tokens,
  completion_tokens: 50,
  cost: 0.00012,
})

const chatFeatures = (tokens: number, emails: number): NonNullable<AuditDraft['features']> => ({
  'application.name': 'bench',
  'content.classification': emails > 0 ? 'confidential' : 'internal',
  'content.risk_level': 'low',
  'output.content.classification': 'internal',
  'output.content.risk_level': 'low',
  'request.endpoint': 'chat',
  'request.max_tokens': 0,
  'request.message_count': 3,
  'request.model': 'small',
  'request.session': '',
  'request.stream': false,
  'request.tokens': tokens,
  'response.finish_reason': 'stop',
  'response.model': 'small',
  'response.provider': 'own',
  'response.tokens': 50,
})

const SKIPPED_STAGES: ReadonlySet<string> = new Set(['retrieve', 'recall', 'remember'])
