import type { Classification } from '../domain/classification.ts'
import { stricterClassification } from '../domain/classification.ts'
import type { ProviderAttempt } from '../domain/completion.ts'
import { collectTexts } from '../domain/message.ts'
import { explicitMemories } from '../memory/explicit.ts'
import { extractionPrompt, readExtraction } from '../memory/extract.ts'
import { type InvokeDeps, invoke } from '../providers/invoke.ts'
import type { Authorized, Made } from './facts.ts'
import type { MemoryWish } from './remembering.ts'

type Scope = Extract<MemoryWish['scope'], 'user' | 'session'>

/** What the latest message asks to have remembered; it is the only source, so its own label is the memory's. */
export function explicitWishes({ messages }: Authorized, scope: Scope, classification: Classification): MemoryWish[] {
  const latest = messages.findLast(({ role }) => role === 'user')
  const text = latest ? collectTexts([latest]).join('\n') : ''
  return explicitMemories(text).map((memory) => ({
    ...NOTHING_SAID,
    ...memory,
    scope,
    classification,
    regulations: [],
    source: 'explicit',
  }))
}

/** The caller waits for it: longer than this, and the chat leaves no memory. */
const EXTRACTION_MS = 15_000

/**
 * What the Application's model finds worth keeping in a chat. It may have learnt it from anything it was shown, so every source
 * counts for the label. The model sees what it saw before, placeholders and all; the originals come back afterwards.
 */
export async function extractedWishes(
  leave: Authorized,
  scope: Scope,
  model: string,
  { found, recalled, way, reply }: Made,
  { providerCalls }: { readonly providerCalls: InvokeDeps },
): Promise<{ wishes: MemoryWish[]; attempts: readonly ProviderAttempt[] }> {
  const [first] = way.candidates
  if (!first) return { wishes: [], attempts: [] }
  const answers = reply.completion?.choices.map(({ message }) => message) ?? []
  const said = [...leave.messages, ...answers].map((message) => ({
    role: message.role,
    content: collectTexts([message.content ?? '']).join('\n'),
  }))
  const asked = { model: model || first.model.id, messages: extractionPrompt(said), parameters: {} }
  const signal = AbortSignal.timeout(EXTRACTION_MS)
  const result = await invoke(way.candidates, asked, providerCalls, { signal, atMostOnce: true })
  const answer = result.ok ? result.completion.choices[0]?.message.content : undefined
  const extracted = typeof answer === 'string' ? (readExtraction(answer) ?? []) : []
  const sources = [...found.hits, ...recalled.hits]
  const classification = sources.reduce(
    (label, hit) => stricterClassification(label, hit.classification),
    leave.decision.classification,
  )
  const regulations = [...new Set(sources.flatMap((hit) => hit.regulations))]
  const wishes = extracted.map(({ content, kind, subject }) => ({
    ...NOTHING_SAID,
    scope,
    kind,
    content: leave.vault.restore(content),
    subject,
    classification,
    regulations,
    source: 'extract' as const,
  }))
  return { wishes, attempts: result.attempts }
}

const NOTHING_SAID = { scopeId: null, summary: null, subject: null, expiresAt: null }
