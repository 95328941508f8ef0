import type { Classification } from '../domain/classification.ts'
import { stricterClassification } from '../domain/classification.ts'
import type { ProviderAttempt } from '../domain/completion.ts'
import { collectTexts, typedText } from '../domain/message.ts'
import type { Application } from '../domain/principal.ts'
import { explicitMemories } from '../memory/explicit.ts'
import { extractionPrompt, readExtraction } from '../memory/extract.ts'
import { type InvokeDeps, invoke } from '../providers/invoke.ts'
import { stillEligible } from '../providers/route.ts'
import type { Authorized, Made } from './facts.ts'
import type { MemoryWish } from './remembering.ts'

type Scope = Extract<MemoryWish['scope'], 'user' | 'session'>

/** What the typed text of the latest message asks to have remembered, whatever its files say; it is the only source, so its own label is the memory's. */
export function explicitWishes({ messages }: Authorized, scope: Scope, classification: Classification): MemoryWish[] {
  const latest = messages.findLast(({ role }) => role === 'user')
  return explicitMemories(latest ? typedText(latest) : '').map((memory) => ({
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
 * counts for the label, the answer as well; and whoever is asked must be allowed to see them all, as inspected: another provider
 * may have given the answer. The model sees placeholders as before; the originals come back afterwards.
 */
export async function extractedWishes(
  application: Application,
  leave: Authorized,
  scope: Scope,
  model: string,
  { found, recalled, way, checked }: Made,
  { providerCalls }: { readonly providerCalls: InvokeDeps },
): Promise<{ wishes: MemoryWish[]; attempts: readonly ProviderAttempt[] }> {
  // The input's decision and the output's together.
  const { classification: seen } = checked.decision
  const candidates = stillEligible(way.candidates, { application, classification: seen })
  const [first] = candidates
  if (!first || !checked.completion) return { wishes: [], attempts: [] }
  const answers = checked.completion.choices.map(({ message }) => message)
  const said = [...leave.messages, ...answers].map((message) => ({
    role: message.role,
    content: leave.vault.conceal(collectTexts([message.content ?? '']).join('\n')),
  }))
  const asked = { model: model || first.model.id, messages: extractionPrompt(said), parameters: {} }
  const signal = AbortSignal.timeout(EXTRACTION_MS)
  const result = await invoke(candidates, asked, providerCalls, { signal, atMostOnce: true })
  const answer = result.ok ? result.completion.choices[0]?.message.content : undefined
  const extracted = typeof answer === 'string' ? (readExtraction(answer) ?? []) : []
  const sources = [...found.hits, ...recalled.hits]
  const classification = sources.reduce((label, hit) => stricterClassification(label, hit.classification), seen)
  const regulations = [...new Set(sources.flatMap((hit) => hit.regulations))]
  const wishes = extracted.map(({ content, kind, subject }) => ({
    ...NOTHING_SAID,
    scope,
    kind,
    content: leave.vault.restore(content),
    subject: subject === null ? null : leave.vault.restore(subject),
    classification,
    regulations,
    source: 'extract' as const,
  }))
  return { wishes, attempts: result.attempts }
}

const NOTHING_SAID = { scopeId: null, summary: null, subject: null, expiresAt: null }
