import { expect } from 'vitest'
import { adminClient, type Json } from '../admin/client.ts'
import { createMembers, type Member, unlimitedRate } from '../messaging/client.ts'
import { adjustableClock } from './adjustable-clock.ts'
import { type Governed, startGoverned } from './governed.ts'
import { MARKER_RULES } from './marker-policies.ts'
import { type ProviderCall, says, word } from './scripted-provider.ts'

type Behaviour = ReturnType<typeof says>

export const MODEL = { default_model: 'scripted' }

/** Denies documents with `burdock` to contractors. */
export const CONTRACTOR_RULE = {
  id: 'by-reader',
  at: ['retrieve'],
  when: 'content.text.contains("burdock") && user.role == "contractor"',
  verdict: 'deny',
}

export type AssistantFixture = Awaited<ReturnType<typeof startAssistantFixture>>

/** Starts a governed server with the users Ann and Ben and the assistant `helper`. */
export async function startAssistantFixture() {
  const clock = adjustableClock()
  const governed = await startGoverned({}, { clock, userRateLimiter: unlimitedRate() })
  const admin = adminClient(governed.server)
  const { ann, ben } = await createMembers(governed.server, ['ann', 'ben'])
  await governed.publish([...MARKER_RULES, CONTRACTOR_RULE])
  const createAssistant = (applicationId: string | undefined): Promise<Json> =>
    admin.create('/assistants', { username: word(), application_id: applicationId })
  const helper = await createAssistant((await governed.application(MODEL)).id)
  return {
    clock,
    governed,
    admin,
    ann,
    ben,
    helper,
    createAssistant,
    db: governed.server.context.db,
    ...conversationSteps(governed, ann),
    question: scriptQuestions(governed),
    findPendingHold: async (conversationId: string, endpoint = 'chat'): Promise<string> => {
      const { data } = await admin.get('/reviews?state=pending&kind=hold&limit=100')
      const ids = data.filter((item: Json) => item.session_id === conversationId && item.endpoint === endpoint)
      expect(ids).toHaveLength(1)
      return ids[0].id
    },
  }
}

function conversationSteps(governed: Governed, ann: Member) {
  /** Resolves when no turn of an assistant is in progress. */
  const idle = () => governed.server.context.assistants.idle()
  const openConversation = (id: string, member: Member) => {
    const messages = async (): Promise<Json[]> => (await member.get(`/messages?limit=100&conversation_id=${id}`)).data.reverse()
    const send = (message: string, sender = member): Promise<Json> => sender.create('/messages', { conversation_id: id, message })
    return {
      id,
      send,
      messages,
      texts: async (): Promise<string[]> => (await messages()).map(({ message }) => message),
      /** Sends a message and waits; `replies` are the messages after it. */
      ask: async (message: string, sender = member) => {
        const sent = await send(message, sender)
        await idle()
        const all = await messages()
        return { sent, replies: all.slice(all.findIndex((other) => other.id === sent.id) + 1) }
      },
    }
  }
  return {
    idle,
    openConversation,
    createDirect: async (assistant: Json, member: Member = ann) =>
      openConversation((await member.create('/conversations', { contact_id: assistant.id })).id, member),
    createGroup: async (...others: { id: string }[]) => {
      const group = await ann.create('/groups', { name: word(), contacts: others.map(({ id }) => id) })
      return openConversation((await ann.create('/conversations', { group_id: group.id })).id, ann)
    },
  }
}

/** The text of the last message of an upstream request. Earlier messages are sent again with each question. */
export const lastMessage = ({ body }: ProviderCall): string => body.messages.at(-1)?.content ?? ''

/** Returns a function that creates a question and scripts its completion, selected by a word of the last message. */
function scriptQuestions({ provider }: Governed) {
  const scripts = new Map<string, Behaviour>()
  provider.on('Please look into', (response, call) => {
    const [, script] = [...scripts].find(([key]) => lastMessage(call).includes(key)) ?? []
    return (script ?? says('Nothing to note.'))(response, call)
  })
  return (mark = '', completion = `Noted: ${word()} ${word()}.`, behaviour: Behaviour = says(completion)) => {
    const key = word()
    scripts.set(key, behaviour)
    const calls = () => provider.calls.filter((call) => lastMessage(call).includes(key))
    return { text: `Please look into ${key} ${mark}`.trim(), answer: completion, calls }
  }
}
