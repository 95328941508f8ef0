import type { Choice, Completion } from '../../shared/completion.ts'
import type { ChatMessage } from '../../shared/message.ts'
import type { Operation, ProviderRequest } from './operation.ts'
import { stubToolCall } from './stub-tools.ts'

/** Invented but valid, so that detectors find it: an example IBAN, a phone number that Ofcom reserves for fiction, a domain of RFC 2606. */
const TOPICS: readonly { readonly pattern: RegExp; readonly respond: (subject: string) => string }[] = [
  {
    pattern: /\b(?:bank details|bank account|account number|iban|payment details|wire transfer|remittance)\b/i,
    respond: () =>
      'Brightwater Supplies Ltd. is paid by bank transfer. Beneficiary: Brightwater Supplies Ltd., IBAN: GB33 BUKB 2020 1555 5555 55, reference: the invoice number. Payment terms are 30 days net.',
  },
  {
    pattern: /\b(?:contact|phone number|telephone|e-?mail address|how (?:can|do) (?:I|we) reach)\b/i,
    respond: () =>
      'The contact for this customer is Harriet Lowe, head of operations. E-mail: harriet.lowe@northgate.example.com, phone: +44 20 7946 0958. She prefers to be called in the morning.',
  },
  {
    pattern: /\bsummar(?:y|i[sz]e|ies)\b/i,
    respond: (subject) =>
      `In short: ${subject} The main point stands at the beginning; the rest supports it and needs no action today.`,
  },
  {
    pattern: /\b(?:draft|write|compose)\b/i,
    respond: (subject) =>
      `Here is a draft.\n\nHello,\n\nthank you for your message. I am writing about the following: ${subject}\n\nPlease let me know if anything is missing.\n\nKind regards`,
  },
  {
    pattern: /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening))\b/i,
    respond: () =>
      'Hello! I am the built-in demonstration model. Ask me to summarise or draft something, or for a customer or a supplier.',
  },
]
const respondByDefault = (subject: string, material: string): string =>
  `You asked: ${subject} ${material}As the built-in demonstration model I answer from a script: point the gateway at a real provider for a real answer.`

const READ_CHARACTERS = 4_000
const QUOTED_CHARACTERS = 240
/** Passages and memories that an answer quotes, the best first. */
const MAX_QUOTED = 2
/** The first boundary of the pieces that the pipeline adds as context (pipeline/with-context.ts). A text cannot contain it. */
const BOUNDARY = /^--- \w+ (?=passage |memory )/m
const CHARACTERS_PER_TOKEN = 4

/** Quotes the last user message, passages and memories as received, so that redactions are visible. Supports max_tokens, n, JSON mode and tools. */
export function stubCompletion(
  request: ProviderRequest,
  { newId, created }: Parameters<Operation<Completion>['stub']>[0],
): Completion {
  const { model, messages, parameters, added } = request
  const choice = createChoice(messages, parameters, added?.context)
  const count = Number.isInteger(parameters.n) ? Math.min(Math.max(Number(parameters.n), 1), 16) : 1
  const choices = Array.from({ length: count }, (_, index): Choice => ({ ...choice, index }))
  const texts = [...messages.map(textOf), ...(added ? [...added.systemTexts, added.context] : [])]
  const prompt_tokens = texts.reduce((sum, text) => sum + countTokens(text), 0)
  const completion_tokens = count * countTokens(textOf(choice.message))
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
  return { id: newId('chatcmpl'), object: 'chat.completion', created, model, choices, usage }
}

function createChoice(
  messages: readonly ChatMessage[],
  parameters: Readonly<Record<string, unknown>>,
  context: string | undefined,
): Choice {
  const last = messages.findLast(({ role }) => role === 'user')
  const prompt = last ? textOf(last).slice(0, READ_CHARACTERS) : ''
  const call = messages.at(-1) === last ? stubToolCall(prompt, parameters.tools) : undefined
  if (call !== undefined) return { index: 0, message: call, finish_reason: 'tool_calls' }
  const topic = TOPICS.find(({ pattern }) => pattern.test(prompt))
  const respond = topic?.respond ?? ((subject: string) => respondByDefault(subject, quoteContext(context)))
  const result = messages.at(-1)?.role === 'tool' ? messages.at(-1) : undefined
  const text = result ? `The tool says: ${quote(textOf(result))}` : respond(quote(prompt))
  const limit = Number(parameters.max_completion_tokens ?? parameters.max_tokens ?? Number.POSITIVE_INFINITY)
  const full = isJsonFormat(parameters.response_format) ? JSON.stringify({ answer: text }) : text
  const isCut = countTokens(full) > limit
  const content = isCut ? full.slice(0, Math.max(limit, 0) * CHARACTERS_PER_TOKEN) : full
  return { index: 0, message: { role: 'assistant', content }, finish_reason: isCut ? 'length' : 'stop' }
}

function quote(prompt: string): string {
  const text = prompt.replace(/\s+/g, ' ').trim()
  return text.length > QUOTED_CHARACTERS ? `“${text.slice(0, QUOTED_CHARACTERS).toWellFormed()} …”` : `“${text}”`
}

/** Ends with a space unless it is empty. */
function quoteContext(context = ''): string {
  const boundary = BOUNDARY.exec(context)?.[0]
  const pieces = boundary === undefined ? [] : context.split(boundary)
  const quotesOf = (kind: string) =>
    pieces
      .filter((piece) => piece.startsWith(`${kind} `))
      .slice(0, MAX_QUOTED)
      .map((piece) => quote(piece.slice(piece.indexOf('\n')).trim()))
  const passages = quotesOf('passage')
  const memories = quotesOf('memory')
  return [
    passages.length > 0 ? `The documents say: ${passages.join(' ')} ` : '',
    memories.length > 0 ? `I remember: ${memories.join(' ')} ` : '',
  ].join('')
}

const isJsonFormat = (format: unknown): boolean =>
  typeof format === 'object' && format !== null && /^json_/.test(String((format as { type?: unknown }).type))

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join(' ')
}

const countTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN)
