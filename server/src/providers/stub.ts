import type { Choice, Completion } from '../domain/completion.ts'
import type { ChatMessage } from '../domain/message.ts'
import type { ProviderRequest } from './openai-adapter.ts'

interface StubDeps {
  readonly newId: (prefix: string) => string
  /** Unix seconds. */
  readonly created: number
}

interface Topic {
  readonly asks: RegExp
  readonly answer: (subject: string) => string
}

/**
 * Invented, but valid by their check digits and number plans, so that detectors find in a demo what they would find in earnest:
 * an IBAN of the British standard's example, a number Ofcom keeps free for fiction, a domain of RFC 2606.
 */
const TOPICS: readonly Topic[] = [
  {
    asks: /\b(?:bank details|bank account|account number|iban|payment details|wire transfer|remittance)\b/i,
    answer: () =>
      'Brightwater Supplies Ltd. is paid by bank transfer. Beneficiary: Brightwater Supplies Ltd., IBAN: GB33 BUKB 2020 1555 5555 55, reference: the invoice number. Payment terms are 30 days net.',
  },
  {
    asks: /\b(?:contact|phone number|telephone|e-?mail address|how (?:can|do) (?:I|we) reach)\b/i,
    answer: () =>
      'The contact for this customer is Harriet Lowe, head of operations. E-mail: harriet.lowe@northgate.example.com, phone: +44 20 7946 0958. She prefers to be called in the morning.',
  },
  {
    asks: /\bsummar(?:y|i[sz]e|ies)\b/i,
    answer: (subject) =>
      `In short: ${subject} The main point stands at the beginning; the rest supports it and needs no action today.`,
  },
  {
    asks: /\b(?:draft|write|compose)\b/i,
    answer: (subject) =>
      `Here is a draft.\n\nHello,\n\nthank you for your message. I am writing about the following: ${subject}\n\nPlease let me know if anything is missing.\n\nKind regards`,
  },
  {
    asks: /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening))\b/i,
    answer: () =>
      'Hello! I am the built-in demonstration model. Ask me to summarise or draft something, or for a customer or a supplier.',
  },
]
const otherwise = (subject: string): string =>
  `You asked: ${subject} As the built-in demonstration model I answer from a script: point the gateway at a real provider for a real answer.`

/** What a topic is looked for in, and how much of it is quoted. */
const READ_CHARACTERS = 4_000
const QUOTED_CHARACTERS = 240
const CHARACTERS_PER_TOKEN = 4

/**
 * The provider that calls nobody: for dry runs, the demo and trials. The same request gets the same text, which depends on the
 * last user message and quotes it as it arrived, so that redactions can be seen. Understands max_tokens, n and JSON mode.
 */
export function stubCompletion(request: ProviderRequest, { newId, created }: StubDeps): Completion {
  const { model, messages, parameters } = request
  const choice = answer(messages, parameters)
  const count = Number.isInteger(parameters.n) ? Math.min(Math.max(Number(parameters.n), 1), 16) : 1
  const choices = Array.from({ length: count }, (_, index): Choice => ({ ...choice, index }))
  const prompt_tokens = messages.reduce((sum, message) => sum + tokens(textOf(message)), 0)
  const completion_tokens = count * tokens(textOf(choice.message))
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
  return { id: newId('chatcmpl'), object: 'chat.completion', created, model, choices, usage }
}

function answer(messages: readonly ChatMessage[], parameters: Readonly<Record<string, unknown>>): Choice {
  const last = messages.findLast(({ role }) => role === 'user')
  const prompt = last ? textOf(last).slice(0, READ_CHARACTERS) : ''
  const topic = TOPICS.find(({ asks }) => asks.test(prompt))
  const text = (topic?.answer ?? otherwise)(quote(prompt))
  const limit = Number(parameters.max_completion_tokens ?? parameters.max_tokens ?? Number.POSITIVE_INFINITY)
  const spoken = wantsJson(parameters.response_format) ? JSON.stringify({ answer: text }) : text
  const cut = tokens(spoken) > limit
  const content = cut ? spoken.slice(0, Math.max(limit, 0) * CHARACTERS_PER_TOKEN) : spoken
  return { index: 0, message: { role: 'assistant', content }, finish_reason: cut ? 'length' : 'stop' }
}

function quote(prompt: string): string {
  const text = prompt.replace(/\s+/g, ' ').trim()
  return text.length > QUOTED_CHARACTERS ? `“${text.slice(0, QUOTED_CHARACTERS).toWellFormed()} …”` : `“${text}”`
}

const wantsJson = (format: unknown): boolean =>
  typeof format === 'object' && format !== null && /^json_/.test(String((format as { type?: unknown }).type))

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join(' ')
}

const tokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN)
