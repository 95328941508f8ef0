import { EventReader } from '../../../bench/support/event-reader.ts'
import type { Overrides } from '../../src/context.ts'
import type { Environment } from '../../src/platform/config/environment.ts'
import { adminClient, type Json } from '../admin/client.ts'
import { createMembers, type Member, unlimitedRate } from '../messaging/client.ts'
import { type Governed, startGoverned } from './governed.ts'
import { MARKER_RULES, type MarkerRule, marker } from './marker-policies.ts'
import { word } from './scripted-provider.ts'

const messageRule = (id: string, demands: Readonly<Record<string, unknown>>, condition?: string): MarkerRule =>
  marker('message', id, demands, condition)

/** True only if every variable at the point `message` has a value. */
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

/** Starts a governed server with four users: Ann and Ben write, Cleo joins some tests, and Stan is never a member. */
export const startMessagingServer = async (env: Environment = {}, overrides: Overrides = {}) =>
  prepareMessaging(
    await startGoverned({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1', ...env }, { userRateLimiter: unlimitedRate(), ...overrides }),
  )

/** Adds the users and rules of messaging to a running governed server. */
export async function prepareMessaging(governed: Governed) {
  await governed.publish([...MARKER_RULES, ...MESSAGE_RULES])
  const { server } = governed
  const team = await createMembers(server, ['ann', 'ben', 'cleo', 'stan'])
  const operator = adminClient(server)
  return {
    ...governed,
    ...team,
    operator,
    ...messagingSteps(team.ann, team.ben),
    /** Opens the event stream of a member from now on, or after an event. */
    listen: ({ token }: Member, lastEventId?: number, query?: string) =>
      EventReader.open({ base: server.base, token, lastEventId, ...(query !== undefined && { query }) }),
  }
}

/** The steps that tests combine. */
function messagingSteps(ann: Member, ben: Member) {
  /** Creates a direct conversation; returns its id. */
  const direct = async (one: Member = ann, other: Member = ben): Promise<string> =>
    (await one.create('/conversations', { contact_id: other.id })).id
  /** Creates a group with a conversation; returns both ids. */
  const group = async (owner: Member, ...members: readonly Member[]): Promise<{ group: string; conversation: string }> => {
    const { id } = await owner.create('/groups', { name: word(), contacts: members.map((member) => member.id) })
    return { group: id, conversation: (await owner.create('/conversations', { group_id: id })).id }
  }
  const say = (conversation_id: string, message: string = word(), member: Member = ann): Promise<Json> =>
    member.create('/messages', { conversation_id, message })
  /** Sends the texts one after another. */
  const sayAll = async (conversation: string, texts: readonly string[], member: Member = ann): Promise<Json[]> => {
    const messages: Json[] = []
    for (const text of texts) messages.push(await say(conversation, text, member))
    return messages
  }
  /** The texts of a conversation that a member can read, oldest first. */
  const texts = async (conversation: string, member: Member = ann): Promise<string[]> =>
    (await member.get(`/messages?conversation_id=${conversation}&limit=100`)).data
      .map(({ message }: { message: string }) => message)
      .reverse()
  return { direct, group, say, sayAll, texts }
}
