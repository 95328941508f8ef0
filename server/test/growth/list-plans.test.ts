import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { searchRecords } from '../../src/domains/audit/search-records.ts'
import { listUsers } from '../../src/domains/identity/user-store.ts'
import { listDocuments } from '../../src/domains/knowledge/document-store.ts'
import { listMemories } from '../../src/domains/memory/memory-store.ts'
import { listAttachments } from '../../src/domains/messaging/attachments/attachment-store.ts'
import { listConversations } from '../../src/domains/messaging/conversations/conversation-store.ts'
import { listDeliveries } from '../../src/domains/messaging/events/delivery-store.ts'
import { readEventLog } from '../../src/domains/messaging/events/event-log-store.ts'
import { listAllMessages, listMessages } from '../../src/domains/messaging/messages/message-list.ts'
import { searchMessages } from '../../src/domains/messaging/messages/message-search.ts'
import { listContacts } from '../../src/domains/messaging/people/contact-store.ts'
import type { Member } from '../../src/domains/messaging/people/member.ts'
import { listReviews } from '../../src/domains/review/review-list.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { newUuid, toId } from '../../src/platform/lib/id.ts'
import { fillTable } from '../support/fill-table.ts'
import { separateDatabases } from '../support/fresh-database.ts'
import { onStatement, type Statement } from '../support/statement-listener.ts'

const ROWS = 5_000
/** Tables of which an index is better only when they are larger, and tables to which all rows of another one refer. */
const OTHER_ROWS: Readonly<Record<string, number>> = {
  ...{ audit_record: 25_000, message: 25_000 },
  ...{ knowledge_collection: 1, knowledge_partition: 1 },
}
/** Rows that a page may read. A table has many times that. */
const MOST = 600
/** Of two filters of audit records: the entries of one index (search-records.ts), of which half have the frequent value. */
const MOST_COMBINED = 22_000
const [workspace, application, webhook, conversation] = [newUuid(), newUuid(), newUuid(), newUuid()]
const [rareApplication, collection] = [newUuid(), newUuid()]
const workspaceId = toId('ws', workspace)
const applicationId = toId('app', newUuid())
const conversationId = toId('conv', conversation)
const member = { workspaceId, user: { id: 'x1' } } as unknown as Member
const now = new Date()
const page = { limit: 20 }

const OWN = { workspace_id: `'${workspace}'::uuid` }
/** `rare` in 100 rows, so that a page of two rare values reads more than one of a value that no row has. */
const rarely = (rare: string, frequent: string, at = 0) => `case n % 50 when ${at} then ${rare} else ${frequent} end`
/** Frequent values; the lists look for rare ones, and mostly for ones that no row has. */
const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  audit_record: {
    ...{ application_id: `'${application}'::uuid`, endpoint: "'chat'", status: '200', body: "'{}'", user_hash: "'u' || n" },
    ...{ verdict: "case n % 2 when 0 then 'deny' else 'allow' end", risk_level: "case n % 2 when 0 then 'low' else 'high' end" },
  },
  review_item: {
    application_id: rarely(`'${rareApplication}'::uuid`, `'${application}'::uuid`, 2),
    expires_at: 'now()',
    ...{ kind: rarely("'escalation'", "'hold'", 1), state: rarely("'denied'", "'released'") },
  },
  memory_owner: { user_id: "'x' || n", scope: "'user'", scope_id: "'x' || n" },
  memory_item: {
    application_id: rarely(`'${rareApplication}'::uuid`, `'${application}'::uuid`),
    mode: rarely("'audit_only'", "'active'", 1),
  },
  knowledge_collection: { id: `'${collection}'::uuid` },
  knowledge_partition: { id: '1' },
  knowledge_document: {
    collection_id: `'${collection}'::uuid`,
    partition_id: '1',
    flags: rarely("'{}'::jsonb", 'null'),
    state: rarely("'failed'", "'indexed'"),
  },
  webhook_delivery: { webhook_id: `'${webhook}'::uuid`, state: "'delivered'" },
  workspace_user: {},
  conversation_member: {
    user_id: "'x' || (n % 100)",
    conversation_id: `case n when 1 then '${conversation}' else md5(n::text) end::uuid`,
  },
  message: {
    conversation_id: `case n % 2 when 0 then '${conversation}' else md5((n / 10)::text) end::uuid`,
    text: "'word' || n",
  },
  message_attachment: { uploaded_by: "'x' || (n % 500)" },
  event_log: {},
}

/** Lists by name, with what each filters. */
const LISTS: Readonly<Record<string, (db: Database['db']) => Promise<unknown>>> = {
  'audit: all': (db) => searchRecords(db, workspaceId, page),
  'audit: application': (db) => searchRecords(db, workspaceId, { ...page, applicationId }),
  'audit: user': (db) => searchRecords(db, workspaceId, { ...page, userHashes: ['none'] }),
  'audit: verdict': (db) => searchRecords(db, workspaceId, { ...page, verdicts: ['escalate'] }),
  'audit: risk': (db) => searchRecords(db, workspaceId, { ...page, riskLevel: 'critical' }),
  'audit: endpoint': (db) => searchRecords(db, workspaceId, { ...page, endpoint: 'models' }),
  'audit: status': (db) => searchRecords(db, workspaceId, { ...page, status: { from: 504, to: 504 } }),
  'audit: class of statuses': (db) => searchRecords(db, workspaceId, { ...page, status: { from: 500, to: 599 } }),
  'reviews: all': (db) => listReviews(db, workspaceId, { ...page, now }),
  'reviews: pending': (db) => listReviews(db, workspaceId, { ...page, state: 'pending', now }),
  'reviews: denied': (db) => listReviews(db, workspaceId, { ...page, state: 'denied', now }),
  'reviews: expired': (db) => listReviews(db, workspaceId, { ...page, state: 'expired', now }),
  'reviews: kind': (db) => listReviews(db, workspaceId, { ...page, kind: 'escalation', now }),
  'reviews: application': (db) => listReviews(db, workspaceId, { ...page, applicationId, now }),
  'reviews: denied escalations': (db) => listReviews(db, workspaceId, { ...page, state: 'denied', kind: 'escalation', now }),
  'reviews: denied, of an Application': (db) =>
    listReviews(db, workspaceId, { ...page, state: 'denied', applicationId: toId('app', rareApplication), now }),
  'memories: all': (db) => listMemories(db, workspaceId, { ...page, now }),
  'memories: user': (db) => listMemories(db, workspaceId, { ...page, userId: 'x7', now }),
  'memories: owner': (db) => listMemories(db, workspaceId, { ...page, scope: 'user', scopeId: 'x7', now }),
  'memories: application': (db) => listMemories(db, workspaceId, { ...page, applicationId, now }),
  'memories: mode': (db) => listMemories(db, workspaceId, { ...page, mode: 'audit_only', now }),
  'memories: mode and Application': (db) =>
    listMemories(db, workspaceId, { ...page, mode: 'audit_only', applicationId: toId('app', rareApplication), now }),
  'memories: mode and user': (db) => listMemories(db, workspaceId, { ...page, mode: 'audit_only', userId: 'x7', now }),
  'documents: all': (db) => listDocuments(db, workspaceId, page),
  'documents: collection': (db) => listDocuments(db, workspaceId, { ...page, collectionId: toId('col', collection) }),
  'documents: flagged': (db) => listDocuments(db, workspaceId, { ...page, flagged: true }),
  'documents: flagged in a collection': (db) =>
    listDocuments(db, workspaceId, { ...page, flagged: true, collectionId: toId('col', newUuid()) }),
  'documents: failed': (db) => listDocuments(db, workspaceId, { ...page, state: 'failed' }),
  'documents: queued in a collection': (db) =>
    listDocuments(db, workspaceId, { ...page, state: 'queued', collectionId: toId('col', newUuid()) }),
  'deliveries: all': (db) => listDeliveries(db, { workspaceId, webhookId: toId('whk', webhook) }, page),
  'deliveries: state': (db) => listDeliveries(db, { workspaceId, webhookId: toId('whk', webhook) }, { ...page, state: 'dead' }),
  'users: all': (db) => listUsers(db, workspaceId, page),
  'contacts: all': (db) => listContacts(db, member, page),
  'contacts: username': (db) => listContacts(db, member, page, { username: 'x9' }),
  'conversations: all': (db) => listConversations(db, member, page, {} as Parameters<typeof listConversations>[3]),
  'messages: all': (db) => listAllMessages(db, member, page),
  'messages: conversation': (db) => listMessages(db, member, conversationId, page),
  'messages: words': (db) => searchMessages(db, member, 'word77', page),
  'attachments: own': (db) => listAttachments(db, member, page),
  'events: from a position': (db) => readEventLog(db, workspaceId, { after: 3_000 }, { most: 100 }),
}

/** Combined filters of audit records that no record has together. */
const COMBINED: Readonly<Record<string, Parameters<typeof searchRecords>[2]>> = {
  'verdict and risk': { ...page, verdicts: ['deny'], riskLevel: 'high' },
  'verdict and endpoints': { ...page, verdicts: ['deny'], endpoints: ['message'] },
  'application and verdict': { ...page, applicationId: toId('app', application), verdicts: ['escalate'] },
  'a frequent value that is missing': { ...page, status: { from: 200, to: 299 }, riskLevel: 'low', verdicts: ['allow'] },
}

describe.each(separateDatabases())('lists on $name', ({ open }) => {
  let database: Database
  let remove: () => Promise<void>
  const statements: Statement[] = []
  beforeAll(async () => {
    ;({ database, remove } = await open())
    for (const [table, values] of Object.entries(TABLES))
      await fillTable(database.pool, table, OTHER_ROWS[table] ?? ROWS, { ...OWN, ...values })
    onStatement(database.pool, (statement) => statements.push(statement))
  }, 300_000)
  afterAll(() => remove())

  /** Rows that the plans of the statements of `list` read from tables and indexes. */
  async function rowsReadBy(list: (db: Database['db']) => Promise<unknown>, ...settings: string[]): Promise<number> {
    statements.length = 0
    await list(database.db)
    const read = [...statements].filter(({ text }) => /^\s*(?:select|with)\b/i.test(text))
    const client = await database.pool.connect()
    let total = 0
    try {
      await client.query('begin')
      // In tables of this size, reading all rows may cost less than an index; in larger ones it never does.
      for (const setting of ['enable_seqscan', ...settings]) await client.query(`set local ${setting} = off`)
      for (const { text, values } of read) {
        const { rows } = await client.query(`explain (analyze, format json) ${text}`, [...values])
        total += rowsOf(rows[0]['QUERY PLAN'][0].Plan)
      }
    } finally {
      await client.query('rollback')
      client.release()
    }
    return total
  }

  test.each(Object.entries(LISTS))('%s: a page reads a bounded number of rows', async (_, list) => {
    expect(await rowsReadBy(list)).toBeLessThan(MOST)
  })

  test.each(Object.entries(COMBINED))('audit by %s: a page reads a bounded number of rows', async (_, filter) => {
    expect(await rowsReadBy((db) => searchRecords(db, workspaceId, filter), 'enable_bitmapscan')).toBeLessThan(MOST_COMBINED)
  })
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Plan[]
}

/** Also counts rows that a filter removed. */
function rowsOf(plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0)
  if (!/Scan$/.test(plan['Node Type']) || /^(?:CTE|Subquery|Function|WorkTable)/.test(plan['Node Type'])) return below
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return below + (plan['Actual Rows'] + removed) * plan['Actual Loops']
}
