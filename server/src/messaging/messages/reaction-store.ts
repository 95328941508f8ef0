import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Db, Tx } from '../../db/database.ts'
import type { GovernedString } from '../../domain/governed.ts'
import { forbidden, invalid } from '../../http/refusals.ts'
import { toId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import { uuidOf } from '../ids.ts'
import type { Message, Reactions } from './message.ts'

/** Different names on one message. */
const MOST_NAMES = 20
/** Texts under one name that a body may hold: a whole group's. */
const MOST_VALUES = 1_000

const MAX_NAME = 64

const Values = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: MOST_VALUES })
const ReactionMap = Type.Record(Type.String(), Values, { maxProperties: MOST_NAMES })

/** Names mapped to texts, or an array of such maps. */
export const ReactionsBody = Type.Union([ReactionMap, Type.Array(ReactionMap, { maxItems: MOST_NAMES })])

/** One reaction: a text under a name. */
export interface Reaction {
  readonly name: string
  readonly value: string
}

/** A reaction that policies let pass; the ids of members are nobody's words. */
export interface GovernedReaction extends Reaction {
  readonly name: GovernedString
  readonly value: GovernedString
}

/** What a body asks for, each once. */
export function parseReactions(body: Static<typeof ReactionsBody>): Reaction[] {
  const wanted = new Map<string, Set<string>>()
  for (const map of [body].flat()) {
    for (const [name, values] of Object.entries(map)) {
      wanted.set(checkReactionName(name), new Set([...(wanted.get(name) ?? []), ...values]))
    }
  }
  return [...wanted].flatMap(([name, values]) => [...values].map((value) => ({ name, value })))
}

/** Throws a 400 for what is no name of a reaction. */
export function checkReactionName(name: string): string {
  if (name.length > 0 && name.length <= MAX_NAME) return name
  throw invalid({ param: 'reactions', message: `must have names of 1 to ${MAX_NAME} characters` })
}

/** Of each message that has any, by its id. */
export async function findReactions(db: Db, messageIds: readonly string[]): Promise<Map<string, Reactions>> {
  if (messageIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('message_reaction')
    .select(['message_id', 'name', 'value'])
    .where(
      'message_id',
      'in',
      messageIds.map((id) => uuidOf('msg', id)),
    )
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

/**
 * Makes `wanted` what the member gives, in place of what it gave before. What others have given stays, listed or not. Throws
 * where something is given in the name of another member, or the message would have too many names. `tx` holds the message.
 */
export async function replaceReactions(
  tx: Tx,
  { workspaceId, user }: Member,
  { id }: Message,
  wanted: readonly GovernedReaction[],
  members: readonly string[],
  now: Date,
): Promise<void> {
  const message = uuidOf('msg', id)
  await tx
    .deleteFrom('message_reaction')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('message_id', '=', message)
    .where('user_id', '=', user.id)
    .execute()
  const others = await tx.selectFrom('message_reaction').select(['name', 'value']).where('message_id', '=', message).execute()
  const theirs = new Set(others.map(({ name, value }) => JSON.stringify([name, value])))
  const given = wanted.filter(({ name, value }) => !theirs.has(JSON.stringify([name, value])))
  const people = new Set(members)
  if (given.some(({ value }) => value !== user.id && people.has(value))) {
    throw forbidden('Nobody reacts in the name of another member.', { param: 'reactions' })
  }
  checkNames([...others, ...given])
  await sql`
    insert into message_reaction (workspace_id, message_id, name, user_id, value, created_at)
    select ${uuidOf('ws', workspaceId)}, ${message}, given.name, ${user.id}, given.value, ${now}
    from unnest(${given.map(({ name }) => name)}::text[], ${given.map(({ value }) => value)}::text[])
      with ordinality as given (name, value, place)
    order by place`.execute(tx)
}

/** The member reacts, in its own name. False when it had done so already. `tx` holds the message. */
export async function addReaction(
  tx: Tx,
  { workspaceId, user }: Member,
  { id }: Message,
  name: GovernedString,
  now: Date,
): Promise<boolean> {
  const message = uuidOf('msg', id)
  const before = await tx.selectFrom('message_reaction').select('name').distinct().where('message_id', '=', message).execute()
  checkNames([...before, { name }])
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
  return numInsertedOrUpdatedRows === 1n
}

/** The member takes its own reaction back. False when there was none. */
export async function removeReaction(tx: Tx, { workspaceId, user }: Member, { id }: Message, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('message_reaction')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('message_id', '=', uuidOf('msg', id))
    .where('name', '=', name)
    .where('user_id', '=', user.id)
    .where('value', '=', user.id)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

function checkNames(reactions: readonly { readonly name: string }[]): void {
  if (new Set(reactions.map(({ name }) => name)).size <= MOST_NAMES) return
  throw invalid({ param: 'reactions', message: `must not have more than ${MOST_NAMES} names on one message` })
}
