import { EventReader } from '../../../bench/support/event-reader.ts'
import type { Environment } from '../../src/config/environment.ts'
import type { Overrides } from '../../src/context.ts'
import { adminClient, type Json } from '../admin/client.ts'
import { createMembers, type Member, unlimitedRate } from '../messaging/client.ts'
import { type Governed, startGoverned } from './governed.ts'
import { MARKER_RULES, type MarkerRule } from './marker-policies.ts'
import { word } from './scripted-provider.ts'

/** As the marker policies, of messages: `rowan-…` in a message chooses what happens to it. */
const messageRule = (id: string, fields: object, condition?: string): MarkerRule => ({
  id,
  at: ['message'],
  when: `content.text.contains("${id}")${condition === undefined ? '' : ` && (${condition})`}`,
  ...fields,
})

/** True only where every variable that a rule at `message` may look at is filled in. */
const FACTS = [
  'request.endpoint == "message" && user.verified && message.sender == user.id',
  'message.conversation_id.startsWith("conv_") && content.findings["pii.email"] == 1 && now > timestamp("2020-01-01T00:00:00Z")',
].join(' && ')

const MESSAGE_RULES: readonly MarkerRule[] = [
  messageRule('rowan-deny', { verdict: 'deny' }),
  messageRule('rowan-escalate', { verdict: 'escalate' }),
  messageRule('rowan-hold', { verdict: 'require_approval' }),
  messageRule('rowan-brief', { verdict: 'require_approval', hold_expires_in: '30s' }),
  ...['redact', 'mask'].map((name) => messageRule(`rowan-${name}`, { transforms: [`${name}:pii`] })),
  messageRule('rowan-truncate', { transforms: ['truncate:20'] }),
  messageRule('rowan-broken', { verdict: 'allow' }, 'user.attributes.absent == "x"'),
  messageRule('rowan-facts', { verdict: 'escalate' }, FACTS),
  messageRule('rowan-group', { verdict: 'deny' }, 'message.group != ""'),
]

export type MessagingServer = Awaited<ReturnType<typeof startMessagingServer>>

/** A governed server with four users: Ann and Ben talk, Cleo joins in where a test says so, Stan is a stranger to them all. */
export const startMessagingServer = async (env: Environment = {}, overrides: Overrides = {}) =>
  prepareMessaging(
    await startGoverned({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1', ...env }, { userRateLimiter: unlimitedRate(), ...overrides }),
  )

/** The same on a governed server that runs. */
export async function prepareMessaging(governed: Governed) {
  await governed.publish([...MARKER_RULES, ...MESSAGE_RULES])
  const { server } = governed
  const team = await createMembers(server, ['ann', 'ben', 'cleo', 'stan'])
  const operator = adminClient(server)
  return {
    ...governed,
    ...team,
    operator,
    ...moves(team.ann, team.ben),
    /** The person's events from now on, or from an event on. */
    listen: ({ token }: Member, lastEventId?: number, query?: string) =>
      EventReader.open({ base: server.base, token, lastEventId, ...(query !== undefined && { query }) }),
  }
}

/** The moves that tests are made of. */
function moves(ann: Member, ben: Member) {
  /** A new direct conversation; its id. */
  const direct = async (one: Member = ann, other: Member = ben): Promise<string> =>
    (await one.create('/conversations', { contact_id: other.id })).id
  /** A new group with a conversation of its own. */
  const group = async (owner: Member, ...members: readonly Member[]): Promise<{ group: string; conversation: string }> => {
    const { id } = await owner.create('/groups', { name: word(), contacts: members.map((member) => member.id) })
    return { group: id, conversation: (await owner.create('/conversations', { group_id: id })).id }
  }
  const say = (conversation_id: string, message: string = word(), person: Member = ann): Promise<Json> =>
    person.create('/messages', { conversation_id, message })
  /** Says each in turn. */
  const sayAll = async (conversation: string, texts: readonly string[], person: Member = ann): Promise<Json[]> => {
    const said: Json[] = []
    for (const text of texts) said.push(await say(conversation, text, person))
    return said
  }
  /** What that person reads in it, oldest first. */
  const texts = async (conversation: string, person: Member = ann): Promise<string[]> =>
    (await person.get(`/messages?conversation_id=${conversation}&limit=100`)).data
      .map(({ message }: { message: string }) => message)
      .reverse()
  return { direct, group, say, sayAll, texts }
}
