import { CompiledQuery } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Language } from './language.ts'
import { fromLegacy, LEGACY_BLOCK_ENTRIES } from './legacy-postings.ts'
import { BLOCK_ENTRIES, type BlockPlace, POSTING_BYTES, type PostingRow } from './posting.ts'

/** The postings of each term. A block can have several rows. */
export type Lists = ReadonlyMap<string, readonly PostingRow[]>

/** Partitions with postings of former releases. */
type Legacy = ReadonlySet<number>

const LEGACY_BLOCKS = BLOCK_ENTRIES / LEGACY_BLOCK_ENTRIES

/** The postings of terms in partitions. */
export async function readLists(db: Db, terms: readonly string[], partitions: readonly number[], legacy: Legacy): Promise<Lists> {
  if (terms.length === 0 || partitions.length === 0) return new Map()
  const old = partitions.filter((id) => legacy.has(id))
  const rows = await readPacked(db, whole('retrieval_list'), [terms, partitions])
  return listsOf(rows, old.length === 0 ? [] : await readPacked(db, whole('retrieval_posting'), [terms, old]))
}

/** The postings of terms in blocks. */
export async function readBlocks(
  db: Db,
  terms: readonly string[],
  places: readonly BlockPlace[],
  legacy: Legacy,
): Promise<Lists> {
  if (terms.length === 0 || places.length === 0) return new Map()
  const old = places
    .filter(({ partition }) => legacy.has(partition))
    .flatMap(({ partition, block }) =>
      Array.from({ length: LEGACY_BLOCKS }, (_, at) => ({ partition, block: block * LEGACY_BLOCKS + at })),
    )
  const rows = await readPacked(db, inPlaces('retrieval_list'), [terms, ...columnsOf(places)])
  return listsOf(rows, old.length === 0 ? [] : await readPacked(db, inPlaces('retrieval_posting'), [terms, ...columnsOf(old)]))
}

const columnsOf = (places: readonly BlockPlace[]) => [places.map(({ partition }) => partition), places.map(({ block }) => block)]

interface TermCount {
  readonly language: Language
  readonly term: string
  readonly postings: number
}

/** The number of postings of terms in the partitions of a language, without reading the postings. */
export async function countListed(
  db: Db,
  terms: readonly string[],
  partitions: readonly number[],
  legacy: Legacy,
): Promise<readonly TermCount[]> {
  const old = partitions.filter((id) => legacy.has(id))
  const count = async (table: string, ids: readonly number[]) =>
    ids.length === 0 ? [] : (await db.executeQuery<TermCount>(CompiledQuery.raw(counts(table), [terms, ids]))).rows
  return [...(await count('retrieval_list', partitions)), ...(await count('retrieval_posting', old))]
}

/**
 * Packs all rows of a term into one base64 text, because the driver spends several times more on thousands of small rows than the
 * database. The order of rows does not matter: each posting adds to another entry.
 */
const ROW = 'int8send(partition_id) || int4send(block) || int4send(octet_length(postings)) || postings'
const HEAD_BYTES = 16
interface PackedRow {
  readonly term: string
  readonly packed: string
}

/**
 * The postings of the terms $1 in the partitions $2. Each list is looked up by its key: without current statistics of a partition that was
 * just filled, the planner would read all of its terms.
 */
const whole = (table: string): string => `
select term, encode(string_agg(packed, ''::bytea), 'base64') as packed
from unnest($1::text[]) as word (term) cross join unnest($2::bigint[]) as seen (id) cross join lateral (
  select string_agg(${ROW}, ''::bytea) as packed from ${table} list
  where list.partition_id = seen.id and list.term = word.term) as lists
where packed is not null group by term`

/** The postings of the terms $1 in the blocks $3 of the partitions $2. */
const inPlaces = (table: string): string => `
select term, encode(string_agg(${ROW}, ''::bytea), 'base64') as packed
from unnest($1::text[]) as word (term) cross join unnest($2::bigint[], $3::integer[]) as place (partition_id, block)
join ${table} using (partition_id, term, block) group by term`

const counts = (table: string): string => `
select language, term, (sum(size) / ${POSTING_BYTES})::integer as postings
from retrieval_partition cross join unnest($1::text[]) as word (term) cross join lateral (
  select sum(octet_length(postings)) as size from ${table} list
  where list.partition_id = retrieval_partition.id and list.term = word.term) as sizes
where id = any($2::bigint[]) and size > 0
group by language, term`

const readPacked = async (db: Db, text: string, parameters: readonly unknown[]): Promise<readonly PackedRow[]> =>
  (await db.executeQuery<PackedRow>(CompiledQuery.raw(text, [...parameters]))).rows

function listsOf(rows: readonly PackedRow[], legacy: readonly PackedRow[]): Lists {
  const lists = new Map<string, PostingRow[]>()
  const add = (term: string, row: PostingRow) => {
    const list = lists.get(term)
    if (list) list.push(row)
    else lists.set(term, [row])
  }
  for (const { term, packed } of rows) {
    for (const { partition, block, bytes } of unpack(packed)) {
      add(term, { partition, block, postings: new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / POSTING_BYTES) })
    }
  }
  for (const { term, packed } of legacy) {
    for (const { partition, block, bytes } of unpack(packed)) {
      add(term, { partition, block: Math.floor(block / LEGACY_BLOCKS), postings: fromLegacy(block, bytes) })
    }
  }
  return lists
}

function* unpack(packed: string): Generator<{ readonly partition: number; readonly block: number; readonly bytes: Uint8Array }> {
  const decoded = Buffer.from(packed, 'base64')
  // A view of 32-bit numbers needs an address that is a multiple of four.
  const bytes = decoded.byteOffset % POSTING_BYTES === 0 ? decoded : Buffer.from(new Uint8Array(decoded).buffer)
  for (let at = 0; at < bytes.length; ) {
    const start = at + HEAD_BYTES
    const end = start + bytes.readInt32BE(at + 12)
    yield { partition: Number(bytes.readBigInt64BE(at)), block: bytes.readInt32BE(at + 8), bytes: bytes.subarray(start, end) }
    at = end
  }
}
