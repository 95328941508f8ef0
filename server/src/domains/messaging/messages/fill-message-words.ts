import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { TOKENIZER } from '../../retrieval/words.ts'
import { vectorOf } from './message-words.ts'

/**
 * Stores the words of up to `most` messages that an older tokenizer has stored. Returns their number.
 */
export async function fillMessageWords(db: Db, most: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('message')
      .select(['id', 'conversation_id', 'text'])
      // In plain text, so that the planner can use the partial index message_tokenizer.
      .where(sql<boolean>`tokenizer < ${sql.lit(TOKENIZER)}`)
      .orderBy('id')
      .limit(most)
      .forNoKeyUpdate()
      .skipLocked()
      .execute()
    if (rows.length === 0) return 0
    await sql`
      update message set words = filled.words::tsvector, tokenizer = ${TOKENIZER}
      from unnest(
        ${rows.map(({ id }) => id)}::uuid[],
        ${rows.map(({ conversation_id, text }) => vectorOf(conversation_id, text))}::text[]
      ) as filled (id, words)
      where message.id = filled.id`.execute(tx)
    return rows.length
  })
}
