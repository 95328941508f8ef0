import { CompiledQuery } from 'kysely'
import type { Workspace } from '../../../domains/identity/workspace.ts'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { KEY_NAMES } from '../demo-declaration.ts'

interface Kind {
  readonly table: string
  readonly named?: string
  /** Requests make these, so that they do not count as added. */
  readonly isTraffic?: boolean
  readonly where?: string
}

/** Of the demo's keys, new ones replace those of a lost demo.json. */
const OWN_KEYS = KEY_NAMES.map((name) => `'${name}'`).join(', ')

const KINDS = {
  applications: { table: 'application', named: 'name' },
  keys: { table: 'api_key', where: `name not in (${OWN_KEYS})` },
  users: { table: 'workspace_user' },
  providers: { table: 'provider', named: 'id' },
  policy_sets: { table: 'policy_set' },
  policy_drafts: { table: 'policy_draft' },
  policy_tests: { table: 'policy_test' },
  budgets: { table: 'budget', named: 'name' },
  documents: { table: 'knowledge_document' },
  memories: { table: 'memory_item' },
  conversations: { table: 'conversation' },
  messages: { table: 'message' },
  webhooks: { table: 'webhook' },
  saved_views: { table: 'saved_view' },
  reviews: { table: 'review_item', isTraffic: true },
  audit_records: { table: 'audit_record', isTraffic: true },
} as const satisfies Record<string, Kind>

type ContentKind = keyof typeof KINDS
export const CONTENT_KINDS = Object.keys(KINDS) as readonly ContentKind[]

interface Content {
  readonly kind: ContentKind
  readonly total: number
  /** How many of them the demo did not create: they are newer than its Workspace. */
  readonly added: number
  /** Names of those that were added, if they have names: at most as many as one reads. */
  readonly names: readonly string[]
}

const MOST_NAMES = 20

export async function countContents(db: Db, { id, createdAt }: Workspace): Promise<readonly Content[]> {
  const contents: Content[] = []
  for (const kind of CONTENT_KINDS) {
    const { table, named, isTraffic, where = 'true' }: Kind = KINDS[kind]
    const added = isTraffic ? 'false' : `created_at > $2 and ${where}`
    const names = named ? `(array_agg(${named} order by created_at) filter (where ${added}))[1:${MOST_NAMES}]` : 'null'
    const text = `select count(*)::int as total, (count(*) filter (where ${added}))::int as added, ${names} as names
      from ${table} where workspace_id = $1 and $2::timestamptz is not null`
    const counted = await db.executeQuery<{ total: number; added: number; names: string[] | null }>(
      CompiledQuery.raw(text, [uuidOfWorkspace(id), createdAt]),
    )
    const [row] = counted.rows
    contents.push({ kind, total: row?.total ?? 0, added: row?.added ?? 0, names: row?.names ?? [] })
  }
  return contents
}
