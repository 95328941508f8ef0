import { sql } from 'kysely'
import { type Db, openDatabase } from '../../server/src/db/database.ts'
import { newUuid, toId } from '../../server/src/lib/id.ts'
import { issueAccessToken } from '../../server/src/messaging/people/access-token-store.ts'
import { prose } from './chat-bodies.ts'
import type { GatehouseOptions } from './gatehouse.ts'
import { seeded } from './random.ts'

export interface Amount {
  readonly messages: number
  readonly conversations: number
}

/** A conversation with the token of a member, and a message from its middle. */
export interface Sample {
  readonly token: string
  readonly conversationId: string
  readonly messageId: string
  readonly text: string
}

/** The created users and conversations. */
export interface Population {
  readonly users: number
  /** Randomly selected conversations, the same ones for the same amount. */
  readonly samples: readonly Sample[]
  /** Empty conversation of all users. */
  readonly allUsersConversationId: string
  readonly tokens: readonly string[]
  readonly loadedInSeconds: number
}

const USERS_PER_CONVERSATION = 0.03
/** A user may have 50 open streams. */
const FEWEST_USERS = 24
const GROUP_MEMBERS = 10
/** Every fifth conversation belongs to a group. A group has ten conversations. */
const GROUP_EVERY = 5
const PER_GROUP = 10
const SENTENCES = 10_000
const BATCH = 50_000
const SAMPLES = 500
/** Time between the first and the last message, which has the current time. */
const SPAN_MS = 90 * 24 * 3_600_000

/**
 * Fills the only Workspace of a database that no server uses with conversations of two and of ten members. All have the same number of
 * messages, which the members send in turn.
 */
export async function fillMessages(
  { dataDir, databaseUrl: url }: Pick<GatehouseOptions, 'dataDir' | 'databaseUrl'>,
  amount: Amount,
): Promise<Population> {
  const startedAt = performance.now()
  const { db, close } = await openDatabase({ url, dataDir, poolSize: 1, onError: () => {}, onProgress: () => {} })
  try {
    const { id: workspace } = await db.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
    const users = Math.max(FEWEST_USERS, Math.round(amount.conversations * USERS_PER_CONVERSATION))
    await makePeople(db, workspace, users)
    const allUsersConversation = await makeConversations(db, workspace, users, amount)
    await makeMessages(db, workspace, amount)
    for (const table of ['workspace_user', 'contact_profile', 'conversation', 'conversation_member', 'message']) {
      await sql`vacuum (analyze) ${sql.table(table)}`.execute(db)
    }
    await sql`checkpoint`.execute(db)
    const loadedInSeconds = (performance.now() - startedAt) / 1_000
    const tokens = new Map<string, string>()
    for (let user = 0; user < users; user++) {
      const issued = await issueAccessToken(db, toId('ws', workspace), nameOf(user), 'bench', new Date())
      if (issued) tokens.set(nameOf(user), issued.token)
    }
    const samples = await takeSamples(db, tokens)
    return {
      users,
      samples,
      allUsersConversationId: toId('conv', allUsersConversation),
      tokens: [...tokens.values()],
      loadedInSeconds,
    }
  } finally {
    await close()
  }
}

const nameOf = (user: number): string => `member-${user}`

/** SQL for a UUIDv7 of this time. Equal names give equal ids. */
const uuidAt = (time: ReturnType<typeof sql>, name: ReturnType<typeof sql>) => sql`(
  lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0')
  || '7' || substr(md5(${name}), 1, 3) || '8' || substr(md5(${name}), 4, 15))::uuid`

async function makePeople(db: Db, workspace: string, users: number): Promise<void> {
  await sql`
    insert into workspace_user (workspace_id, id, username, role, department, attributes, created_at, updated_at)
    select ${workspace}::uuid, 'member-' || n, 'member-' || n, 'clerk', 'sales', '{}', now(), now()
    from generate_series(0, ${users - 1}::int) as n`.execute(db)
  await sql`
    insert into contact_profile (workspace_id, user_id, phone_number)
    select ${workspace}::uuid, 'member-' || n, '' from generate_series(0, ${users - 1}::int) as n`.execute(db)
}

/** Creates temporary tables: `place` with a row for each conversation, `team` with a row for each group. */
async function planConversations(db: Db, users: number, groups: number, amount: Amount, firstAt: Date): Promise<void> {
  const { conversations, messages } = amount
  await sql`
    create temp table place as
    select n, ${uuidAt(sql`${firstAt}::timestamptz`, sql`'conversation ' || n`)} as id,
      case when n % ${sql.lit(GROUP_EVERY)} = 0 then n / ${sql.lit(GROUP_EVERY)} % ${groups}::int end as group_number,
      ${messages}::int / ${conversations}::int + (n < ${messages}::int % ${conversations}::int)::int as messages,
      case when n % ${sql.lit(GROUP_EVERY)} = 0 then
        array(
          select 'member-' || (n / ${sql.lit(GROUP_EVERY)} % ${groups}::int * 7 + k) % ${users}::int
          from generate_series(0, ${sql.lit(GROUP_MEMBERS - 1)}) as k)
      else array['member-' || n % ${users}::int,
        'member-' || (n + 1 + n / ${users}::int % (${users}::int - 1)) % ${users}::int] end as members
    from generate_series(0, ${conversations - 1}::int) as n`.execute(db)
  await sql`alter table place add primary key (n)`.execute(db)
  await sql`
    create temp table team as
    select g as number, ${uuidAt(sql`${firstAt}::timestamptz`, sql`'group ' || g`)} as id
    from generate_series(-1, ${groups - 1}::int) as g`.execute(db)
}

/** Returns the id of the conversation of all users. */
async function makeConversations(db: Db, workspace: string, users: number, amount: Amount): Promise<string> {
  const { conversations } = amount
  const groups = Math.ceil(conversations / GROUP_EVERY / PER_GROUP)
  const firstAt = new Date(Date.now() - SPAN_MS)
  const allUsersConversation = newUuid()
  await planConversations(db, users, groups, amount, firstAt)
  await sql`
    insert into messaging_group (id, workspace_id, name, description, owner_id, created_at, updated_at)
    select id, ${workspace}::uuid, 'Group ' || number, '', 'member-0', ${firstAt}::timestamptz, ${firstAt}::timestamptz from team`.execute(
    db,
  )
  await sql`
    insert into group_member (workspace_id, group_id, user_id, joined_at)
    select distinct ${workspace}::uuid, team.id, member, ${firstAt}::timestamptz
    from team join place on place.group_number = team.number cross join unnest(members) as member
    union all
    select ${workspace}::uuid, team.id, 'member-' || n, ${firstAt}::timestamptz from team, generate_series(0, ${users - 1}::int) as n
    where number = -1`.execute(db)
  // Time of the last message, see makeMessages.
  const last = sql`(messages - 1) * ${conversations}::int + n`
  const lastAt = sql`now() - (${amount.messages}::int - 1 - ${last}) * ${SPAN_MS / amount.messages}::float8 * interval '1 millisecond'`
  await sql`
    insert into conversation
      (id, workspace_id, group_id, direct_key, last_sequence, last_active_at, created_by, created_at)
    select place.id, ${workspace}::uuid, team.id,
      case when team.id is null then
        '["' || least(members[1] collate "C", members[2]) || '","' || greatest(members[1] collate "C", members[2]) || '"]' end,
      messages, ${lastAt}, members[1], ${firstAt}::timestamptz
    from place left join team on team.number = group_number
    union all
    select ${allUsersConversation}::uuid, ${workspace}::uuid, team.id, null, 0, null, 'member-0', ${firstAt}::timestamptz from team where number = -1`.execute(
    db,
  )
  await sql`
    insert into conversation_member (workspace_id, conversation_id, user_id, sort_at, is_pinned, is_muted, read_sequence)
    select ${workspace}::uuid, id, member, ${lastAt}, false, false, greatest(0, messages - n % 20)
    from place cross join unnest(members) as member
    union all
    select ${workspace}::uuid, ${allUsersConversation}::uuid, 'member-' || n, ${firstAt}::timestamptz, false, false, 0
    from generate_series(0, ${users - 1}::int) as n`.execute(db)
  return allUsersConversation
}

async function makeMessages(db: Db, workspace: string, { messages, conversations }: Amount): Promise<void> {
  const random = seeded(7)
  const sentences = Array.from({ length: SENTENCES }, () => prose(random, 100))
  await sql`
    create temp table sentence as
    select number - 1 as number, text from unnest(${sentences}::text[]) with ordinality as input (text, number)`.execute(db)
  await sql`analyze sentence`.execute(db)
  // Creating the word index after the inserts is faster.
  const { rows } = await sql<{
    definition: string
  }>`select pg_get_indexdef('message_search'::regclass) as definition`.execute(db)
  await sql`drop index message_search`.execute(db)
  const gapMs = SPAN_MS / messages
  for (let from = 0; from < messages; from += BATCH) {
    await sql`
      insert into message (id, workspace_id, conversation_id, sequence, sender_id, text, flagged, created_at)
      select ${uuidAt(sql`sent_at`, sql`'message ' || i`)}, ${workspace}::uuid, place.id, i / ${conversations}::int + 1,
        members[1 + (i / ${conversations}::int + n) % array_length(members, 1)],
        sentence.text || ' Reference ' || 100000 + i * 7919::bigint % 100000 || '.', false, sent_at
      from generate_series(${from}::int, ${Math.min(from + BATCH, messages) - 1}::int) as i
      cross join lateral (select now() - (${messages}::int - 1 - i) * ${gapMs}::float8 * interval '1 millisecond' as sent_at) as clock
      join place on n = i % ${conversations}::int
      join sentence on sentence.number = i * 31::bigint % ${sql.lit(SENTENCES)}
      order by i`.execute(db)
  }
  await sql.raw(rows[0]?.definition ?? '').execute(db)
}

async function takeSamples(db: Db, tokens: ReadonlyMap<string, string>): Promise<Sample[]> {
  const { rows } = await sql<{ user_id: string; conversation_id: string; id: string; text: string }>`
    select members[1] as user_id, message.conversation_id, message.id, message.text
    from place join message on conversation_id = place.id and sequence = greatest(1, messages / 2)
    order by md5(n::text) limit ${sql.lit(SAMPLES)}`.execute(db)
  return rows.map(({ user_id, conversation_id, id, text }) => ({
    token: tokens.get(user_id) ?? '',
    conversationId: toId('conv', conversation_id),
    messageId: toId('msg', id),
    text,
  }))
}
