import { createHash } from 'node:crypto'
import type { RecordSealer } from '../../src/domains/audit/chain/chain.ts'
import type { AuditDraft, AuditRecord } from '../../src/domains/audit/record/record.ts'
import { requireWorkspaceKeys, type WorkspaceKeys } from '../../src/domains/audit/workspace-keys.ts'
import { STAGES } from '../../src/pipeline/endpoints.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { newId } from '../../src/platform/lib/id.ts'
import { secretBox } from '../../src/platform/lib/secret-box.ts'
import { seedWorkspace, TEST_SECRET_KEY } from './seed.ts'

/** Creates a Workspace and loads its keys. */
export async function seedAuditedWorkspace(db: Db): Promise<{ workspaceId: string; keys: WorkspaceKeys }> {
  const { workspaceId } = await seedWorkspace(db)
  const keys = await requireWorkspaceKeys(db, secretBox(TEST_SECRET_KEY, 'workspace'), workspaceId)
  return { workspaceId, keys }
}

/** Returns the sealer of a Workspace created by `seedWorkspace`, like the server's context. */
export const findSealer =
  (db: Db) =>
  async (workspaceId: string): Promise<RecordSealer> => {
    const keys = await requireWorkspaceKeys(db, secretBox(TEST_SECRET_KEY, 'workspace'), workspaceId)
    return keys.hasher
  }

/** Results of the stages of an ordinary chat request. */
const STAGE_RESULTS = {
  stages: STAGES.map((name, index) => ({ name, outcome: index % 5 === 0 ? 'skipped' : 'ok', ms: 0.123 * index })),
  findings: { classify: { pii: 1, 'pii.email': 1 } },
  classification: 'confidential',
  risk_level: 'medium',
  decision: {
    verdict: 'allow',
    transforms: ['redact:pii'],
    directives: ['route:region=eu'],
    rules: [
      { id: 'redact-personal-data', point: 'input', verdict: 'allow' },
      { id: 'keep-in-europe', point: 'input', verdict: 'allow' },
    ],
  },
  policy_versions: [{ id: 'pol_01h455vb4pex5vsknk084sn02q', name: 'acme', version: 3, sha256: 'd'.repeat(64) }],
  attempts: [
    {
      provider: 'openai',
      model: 'small',
      status: 200,
      outcome: 'ok',
      ms: 700.5,
      prompt_tokens: 100,
      completion_tokens: 50,
      cost: 0.00012,
    },
  ],
} as const satisfies Partial<AuditDraft>

/** The record of an ordinary chat request; `change` replaces fields. */
export const testDraft = (workspaceId: string, change: Partial<AuditDraft> = {}): AuditDraft => ({
  id: newId('aud'),
  object: 'audit_record',
  workspace_id: workspaceId,
  application_id: 'app_01h455vb4pex5vsknk084sn02q',
  endpoint: 'chat',
  created_at: '2026-01-02T03:04:05.678Z',
  duration_ms: 812.345,
  status: 200,
  error_code: null,
  user: { id: 'a'.repeat(64), verified: true, role: 'engineer', department: 'research' },
  request: { hash: 'b'.repeat(64), bytes: 1_234, messages: 3 },
  response: { hash: 'c'.repeat(64), bytes: 2_345, choices: 1 },
  ...STAGE_RESULTS,
  knowledge: [],
  memory: [],
  remembered: [],
  review: null,
  dry_run: false,
  features: {
    'application.name': 'assistant',
    'request.endpoint': 'chat',
    'request.model': 'small',
    'request.stream': false,
    'request.message_count': 3,
    'request.tokens': 120,
  },
  change: null,
  ...change,
})

/**
 * Throws if the record contains one of the texts, also encoded or as an unkeyed hash. Use texts of at least four letters;
 * shorter ones occur in any hash.
 */
export function assertNoContent(record: AuditRecord | AuditDraft, texts: readonly string[]): void {
  const stored = JSON.stringify(record)
  for (const text of texts) {
    for (const [encoding, form] of Object.entries(formsOf(text))) {
      if (stored.toLowerCase().includes(form.toLowerCase()))
        throw new Error(`the audit record contains this text (${encoding}): ${text}`)
    }
  }
}

function formsOf(text: string): Record<string, string> {
  const bytes = Buffer.from(text)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  return {
    plain: text,
    'JSON string': JSON.stringify(text).slice(1, -1),
    'URI component': encodeURIComponent(text),
    hex: bytes.toString('hex'),
    base64,
    base64url: bytes.toString('base64url'),
    ...Object.fromEntries(['md5', 'sha1', 'sha256'].map((name) => [name, createHash(name).update(text).digest('hex')])),
  }
}
