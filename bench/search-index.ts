import { globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { addEntries, type Entry, removeEntries } from '../server/src/domains/retrieval/entries.ts'
import { mergePending, purgeRemoved } from '../server/src/domains/retrieval/merge.ts'
import { elapsed } from '../server/src/platform/lib/clock.ts'
import { newUuid } from '../server/src/platform/lib/id.ts'
import { type SearchRig, startSearchRig } from './support/search-rig.ts'
import { quantile } from './support/statistics.ts'

/**
 * Measures the size of the search index and the time to replace five chunks: `scripts/run node bench/search-index.ts [--postgres URL]`. The
 * texts are the README files of the installed packages, in chunks of 300 words. The same replacement in PostgreSQL's built-in text index (GIN) is measured, too.
 */
const { values } = parseArgs({ options: { postgres: { type: 'string' } } })

const CHUNK_WORDS = 300
const REPLACED = 5
const ROUNDS = 40
const OWN_TABLES = "relname like 'retrieval_entry%' or relname like 'retrieval_list%' or relname like 'retrieval_removed%'"

function readChunks(): Entry[] {
  const texts = new Map<string, string>()
  for (const file of globSync('node_modules/**/*.md').toSorted()) {
    const text = readFileSync(file, 'utf8').toWellFormed().replaceAll('\0', '')
    if (text.length >= 1_000 && !file.includes('CHANGELOG')) texts.set(text, basename(dirname(file)))
  }
  return [...texts].flatMap(([text, title]) => {
    const words = text.split(/(?<=\s)/)
    const count = Math.ceil(words.length / CHUNK_WORDS)
    return Array.from({ length: count }, (_, at) => ({
      id: newUuid(),
      title,
      text: words.slice(at * CHUNK_WORDS, (at + 1) * CHUNK_WORDS).join(''),
    }))
  })
}

async function sizeOf({ database: { pool } }: SearchRig, tables: string): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `select sum(pg_relation_size(oid)) as bytes from pg_class where (${tables}) and relkind in ('r', 'i')`,
  )
  return Number(rows[0]?.bytes)
}

/** Times `replace` for different chunks; returns the median and the 95th percentile in milliseconds. */
async function timeReplacements(
  entries: readonly Entry[],
  replace: (old: readonly Entry[], next: readonly Entry[]) => Promise<unknown>,
) {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const at = Math.floor((round * (entries.length - REPLACED)) / ROUNDS)
    const old = entries.slice(at, at + REPLACED)
    const next = old.map((entry) => ({ ...entry, id: newUuid(), text: `${entry.text} again ${round}` }))
    const started = elapsed()
    await replace(old, next)
    times.push(elapsed() - started)
  }
  const sorted = times.toSorted((a, b) => a - b)
  return `p50 ${quantile(sorted, 0.5).toFixed(1)} ms, p95 ${quantile(sorted, 0.95).toFixed(1)} ms`
}

async function measure(rig: SearchRig): Promise<void> {
  const entries = readChunks()
  const bytes = entries.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  const { db, pool } = rig.database
  const partition = await rig.fill('everything', 'en', entries)
  const times = async () => (await sizeOf(rig, OWN_TABLES)) / bytes
  console.log(`${rig.database.kind}: ${entries.length} chunks, ${(bytes / 2 ** 20).toFixed(1)} MiB of text`)
  console.log(`index ÷ text after loading: ${(await times()).toFixed(2)}`)
  const own = await timeReplacements(entries, (old, next) =>
    db.transaction().execute(async (tx) => {
      await removeEntries(
        tx,
        old.map(({ id }) => id),
      )
      await addEntries(tx, partition, next)
    }),
  )
  console.log(`replace ${REPLACED} chunks: ${own}`)
  const started = elapsed()
  while (await mergePending(db, 256));
  while (await purgeRemoved(db, 16));
  console.log(`in the background afterwards: ${((elapsed() - started) / ROUNDS).toFixed(1)} ms for each replacement`)
  console.log(`index ÷ text after ${ROUNDS * REPLACED} replaced chunks: ${(await times()).toFixed(2)}`)

  await pool.query('create table own_text (id uuid primary key, content text, words tsvector)')
  await pool.query('create index own_text_words on own_text using gin (words)')
  const insert = (rows: readonly Entry[]) =>
    pool.query(
      "insert into own_text select id, content, to_tsvector('english', content) from unnest($1::uuid[], $2::text[]) as new (id, content)",
      [rows.map(({ id }) => id), rows.map(({ text }) => text)],
    )
  await insert(entries)
  const gin = await timeReplacements(entries, async (old, next) => {
    await pool.query('delete from own_text where id = any($1)', [old.map(({ id }) => id)])
    await insert(next)
  })
  console.log(`PostgreSQL's own text index: replace ${REPLACED} chunks: ${gin}`)
}

const rig = await startSearchRig(values.postgres)
try {
  await measure(rig)
} finally {
  await rig[Symbol.asyncDispose]()
}
