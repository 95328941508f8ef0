import { describe, expect, test } from 'vitest'
import { Random } from '../../test/support/classification/random.ts'
import type { Completion } from '../shared/completion.ts'
import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts'
import type { ClientDialect, ResponseEncoder } from './client-dialect.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

type Event = Readonly<Record<string, unknown>>

const CALL = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"a":1}' } }
const messages = [{ role: 'user', content: 'Hello' }]
const BODIES: readonly (readonly [ClientDialect, object])[] = [
  [openaiChat, { model: 'm', messages, stream: true, stream_options: { include_usage: true } }],
  [openaiResponses, { model: 'm', input: 'Hello', stream: true }],
  [anthropicMessages, { model: 'm', max_tokens: 9, messages, stream: true }],
]
const GOVERNANCE = { audit_id: 'aud_1', decision: { verdict: 'allow' } }
const random = new Random(3)

function encoderOf(dialect: ClientDialect, body: object): ResponseEncoder {
  const decoded = dialect.decode(body)
  if (!decoded.ok) throw new Error(decoded.problem.message)
  return decoded.encoder
}

function completionOf(content: string, more: object = {}): Completion {
  const choice = { index: 0, message: { role: 'assistant', content, ...more }, finish_reason: 'stop' }
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1_700_000_000, model: 'm', choices: [choice], usage }
}

const eventsOf = (text: string): readonly Event[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))

/** The events with consecutive deltas of a text joined, and without what is not known at the beginning. */
function normalised(events: readonly Event[]): unknown[] {
  const result: unknown[] = []
  let joined: { text: string } | undefined
  for (const event of events.filter((each) => !isOpening(each))) {
    const text = textOf(event)
    if (text === undefined) {
      joined = undefined
      const { governance: _, sequence_number: __, ...known } = event
      result.push(known)
    } else if (joined) joined.text += text
    else {
      joined = { text }
      result.push(joined)
    }
  }
  return result
}

const isOpening = ({ type, choices }: Event): boolean =>
  ['message_start', 'response.created', 'response.in_progress'].includes(String(type)) ||
  /"delta":\{\},"finish_reason":null/.test(JSON.stringify(choices ?? []))

function textOf({ type, delta, choices }: Event): string | undefined {
  if (type === 'response.output_text.delta') return String(delta)
  if (type === 'content_block_delta') return (delta as { text?: string }).text
  const content = (choices as { delta: { role?: string; content?: string } }[] | undefined)?.[0]?.delta
  return content?.role === undefined ? content?.content : undefined
}

describe.each(BODIES.map(([dialect, body]) => [dialect.name, dialect, body] as const))('%s [GW-WIN-1]', (_, dialect, body) => {
  test.each([
    ['text', {}],
    ['text and tool calls', { tool_calls: [CALL] }],
  ])('stream: the same events when it begins early: %s', (_name, more) => {
    const content = 'Good morning 😀 to all of you. '.repeat(20)
    const completion = completionOf(content, more)
    for (let round = 0; round < 20; round++) {
      const encoder = encoderOf(dialect, body)
      const stream = encoder.grow(
        { id: completion.id, created: completion.created, model: completion.model },
        { audit_id: 'aud_1' },
      )
      let text = ''
      let at = 0
      const end = 1 + random.number(content.length)
      while (at < end) {
        const next = Math.min(end, at + 1 + random.number(60))
        const cut = content.slice(0, next).isWellFormed() ? next : next + 1
        text += stream.text(content.slice(at, cut))
        at = cut
      }
      text += [...stream.rest(completion, GOVERNANCE)].join('')
      const whole = [...encoderOf(dialect, body).toEvents(completion, GOVERNANCE)].join('')
      expect(normalised(eventsOf(text))).toEqual(normalised(eventsOf(whole)))
      expect(text.includes('[DONE]')).toBe(whole.includes('[DONE]'))
      const numbers = eventsOf(text).map(({ sequence_number }) => sequence_number)
      if (numbers[0] !== undefined) expect(numbers).toEqual(numbers.map((_number, index) => index))
    }
  })

  test('error: it ends the stream with the envelope of the dialect', () => {
    const stream = encoderOf(dialect, body).grow({ id: 'chatcmpl-1', created: 1, model: 'm' }, {})
    stream.text('Good morning. ')
    const text = stream.fail({ error: { code: 'POLICY_DENIED', message: 'Denied.', audit_id: 'aud_1' } })
    expect(eventsOf(text).at(-1)).toMatchObject({ error: { code: 'POLICY_DENIED', message: 'Denied.', audit_id: 'aud_1' } })
    expect(text).not.toContain('[DONE]')
  })
})
