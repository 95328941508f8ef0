import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import type { Member } from '../people/member.ts'
import type { Message, Reactions } from './message.ts'
import { type GovernedReaction, MAX_NAMES } from './reaction.ts'

export async function findReactions(db: Db, messageIds: readonly string[]): Promise<Map<string, Reactions>> {
  if (messageIds.length === 0) return new Map()
  const uuids = messageIds.map((id) => uuidOf('msg', id))
  const rows = await db
    .selectFrom('message_reaction')
    .select(['message_id', 'name', 'value'])
    .where('message_id', 'in', uuids)
    .orderBy('id')
    .execute()
  const byMessage = new Map<string, Map<string, Set<string>>>()
  for (const { message_id, name, value } of rows) {
    const names = byMessage.get(message_id) ?? new Map<string, Set<string>>()
    byMessage.set(message_id, names.set(name, (names.get(name) ?? new Set()).add(value)))
  }
  return new Map(
    [...byMessage].map(([id, names]) => [toId('msg', id), [...names].map(([name, values]) => ({ [name]: [...values] }))]),
  )
}

/** `foreign_member`: a text is the id of another member, who has not reacted so. The transaction must have locked the message. */
export async function replaceReactions(
  tx: Tx,
  { workspaceId, user }: Member,
  { id }: Message,
  reactions: readonly GovernedReaction[],
  memberIds: readonly string[],
  now: Date,
): Promise<'replaced' | 'foreign_member' | 'too_many_names'> {
  const message = uuidOf('msg', id)
  await tx
    .deleteFrom('message_reaction')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), message_id: message, user_id: user.id }))
    .execute()
  const others = await tx.selectFrom('message_reaction').select(['name', 'value']).where('message_id', '=', message).execute()
  const othersKeys = new Set(others.map(keyOf))
  const members = new Set(memberIds)
  const own = reactions.filter((reaction) => !othersKeys.has(keyOf(reaction)))
  if (own.some(({ value }) => value !== user.id && members.has(value))) return 'foreign_member'
  if (hasTooManyNames([...others, ...own])) return 'too_many_names'
  await sql`
    insert into message_reaction (workspace_id, message_id, name, user_id, value, created_at)
    select ${uuidOf('ws', workspaceId)}, ${message}, given.name, ${user.id}, given.value, ${now}
    from unnest(${own.map(({ name }) => name)}::text[], ${own.map(({ value }) => value)}::text[])
      with ordinality as given (name, value, place)
    order by place`.execute(tx)
  return 'replaced'
}

/** Adds a reaction with the member's id as its text. `exists`: the member has it already. The transaction must have locked the message. */
export async function addReaction(
  tx: Tx,
  { workspaceId, user }: Member,
  { id }: Message,
  name: GovernedString,
  now: Date,
): Promise<'added' | 'exists' | 'too_many_names'> {
  const message = uuidOf('msg', id)
  const names = await tx.selectFrom('message_reaction').select('name').distinct().where('message_id', '=', message).execute()
  if (hasTooManyNames([...names, { name }])) return 'too_many_names'
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('message_reaction')
    .values({
      workspace_id: uuidOf('ws', workspaceId),
      message_id: message,
      name,
      user_id: user.id,
      value: user.id,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n ? 'added' : 'exists'
}

export async function removeReaction(tx: Tx, { workspaceId, user }: Member, { id }: Message, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('message_reaction')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), message_id: uuidOf('msg', id) }))
    .where(({ and }) => and({ name, user_id: user.id, value: user.id }))
    .executeTakeFirst()
  return numDeletedRows === 1n
}

const keyOf = ({ name, value }: { readonly name: string; readonly value: string }): string => JSON.stringify([name, value])

const hasTooManyNames = (reactions: readonly { readonly name: string }[]): boolean =>
  new Set(reactions.map(({ name }) => name)).size > MAX_NAMES
