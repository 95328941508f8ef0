import { toId } from '../../platform/lib/id.ts'
import { sourceContext } from '../knowledge/source-store.ts'
import { keyContext } from '../providers/provider-store.ts'
import { responseContext } from '../responses/stored-response-store.ts'
import { reviewContext } from '../review/review-row.ts'

type Row = Readonly<Record<string, string>>

export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly purpose: 'workspace' | 'provider' | 'webhook' | 'review' | 'response' | 'source'
  readonly key: readonly string[]
  /** Columns that `context` reads, besides the key. */
  readonly more?: readonly string[]
  /** The context that the value of the row is sealed with. Columns are given in PostgreSQL's text form. */
  readonly context: (row: Row) => string
}

const ofWorkspace = ({ id = '' }: Row): string => toId('ws', id)
const ofResponse = ({ id = '' }: Row): string => responseContext(toId('resp', id))
const ofReview = (part: 'content' | 'result') => (row: Row) => reviewContext(toId('rev', row.id ?? ''), part)

/**
 * Every column of sealed values. `gatehouse keys rotate` seals them again, and `gatehouse keys status` counts them; a test compares the
 * list with the schema. Second factors have a format of their own (second-factors.ts).
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'workspace', column: 'hash_key', purpose: 'workspace', key: ['id'], context: ofWorkspace },
  { table: 'workspace', column: 'signing_key', purpose: 'workspace', key: ['id'], context: ofWorkspace },
  {
    table: 'provider',
    column: 'api_key',
    purpose: 'provider',
    key: ['workspace_id', 'id'],
    more: ['base_url'],
    context: ({ workspace_id = '', id = '', base_url }) => keyContext(toId('ws', workspace_id), id, base_url ?? null),
  },
  { table: 'webhook', column: 'secret', purpose: 'webhook', key: ['id'], context: ({ id = '' }) => toId('whk', id) },
  {
    table: 'knowledge_source',
    column: 'secret',
    purpose: 'source',
    key: ['id'],
    more: ['url'],
    context: ({ id = '', url = '' }) => sourceContext(toId('src', id), url),
  },
  { table: 'review_item', column: 'content', purpose: 'review', key: ['id'], context: ofReview('content') },
  { table: 'review_item', column: 'result', purpose: 'review', key: ['id'], context: ofReview('result') },
  { table: 'stored_response', column: 'content', purpose: 'response', key: ['id'], context: ofResponse },
]
