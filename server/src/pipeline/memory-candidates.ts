import { explicitMemories } from '../domains/memory/explicit.ts'
import { extractionPrompt, parseExtraction } from '../domains/memory/extract.ts'
import type { MemoryDraft } from '../domains/memory/memory.ts'
import { combineDirectives } from '../domains/policy/directives.ts'
import type { PolicyInput } from '../domains/policy/input.ts'
import { chatOperation } from '../domains/providers/chat-operation.ts'
import { type InvokeDeps, invoke } from '../domains/providers/invoke.ts'
import { filterCandidates } from '../domains/providers/route.ts'
import { type Classification, stricterClassification } from '../shared/classification.ts'
import type { ProviderAttempt } from '../shared/completion.ts'
import type { Decision } from '../shared/decision.ts'
import type { MemoryScope, MemorySource } from '../shared/memory-words.ts'
import { collectTexts, typedText } from '../shared/message.ts'
import { type GovernDeps, governScanned, scanContent } from './govern.ts'
import type { Authorized, Inspected, Recalled, RequestContext, Retrieved, Route } from './stage-results.ts'

/** `classification`: the strictest of its sources; findings raise it. */
export interface MemoryCandidate extends Omit<MemoryDraft, 'id' | 'mode' | 'auditId' | 'messageId'> {
  readonly subject: string | null
  readonly source: Exclude<MemorySource, 'admin'>
}

/** The memory decision on one candidate (GW-PIPE-7, GW-MEMC-13). */
export interface MemoryDecision {
  readonly mode: 'active' | 'audit_only' | 'off'
  readonly decision: Decision
  /** As it may be stored: transforms applied, classification raised. */
  readonly candidate: MemoryCandidate
  readonly transforms: readonly string[]
}

/** Governs a candidate at `remember`. A secret is never stored. */
export async function decideOnMemory(
  candidate: MemoryCandidate,
  { policy, directives }: Pick<Authorized, 'policy' | 'directives'>,
  input: Omit<PolicyInput, 'content'>,
  deps: GovernDeps,
): Promise<MemoryDecision> {
  const texts = [candidate.content, candidate.summary, candidate.subject].filter((text) => text !== null)
  const scanned = await scanContent({ texts, start: { classification: candidate.classification, risk: 'low' } }, deps)
  const { classification, counts } = scanned
  const { scope, scopeId, kind, regulations, expiresAt } = candidate
  const memory = { classification, regulations, scope, scopeId: scopeId ?? '', kind, createdAt: input.now, expiresAt }
  const labelled = { ...candidate, classification }
  const replace = (changed: readonly string[]) => withTexts(labelled, changed)
  const governing = { policy, input: { ...input, memory }, replace }
  const { decision, value, transforms } = governScanned(scanned, 'remember', governing, deps)
  if (!value) return { mode: 'off', decision, candidate: labelled, transforms }
  return { mode: counts.secret > 0 ? 'off' : modeOf(decision, directives), decision, candidate: value, transforms }
}

function withTexts(candidate: MemoryCandidate, [content = '', ...others]: readonly string[]): MemoryCandidate {
  const summary = candidate.summary === null ? null : (others.shift() ?? null)
  const subject = candidate.subject === null ? null : (others.shift() ?? null)
  return { ...candidate, content, summary, subject }
}

/** By the directives of the input and of the memory itself; a memory that a reviewer should see is stored for auditors only. */
function modeOf(decision: Decision, ofInput: Authorized['directives']): MemoryDecision['mode'] {
  const modes = [ofInput.memory, combineDirectives(decision.directives).memory]
  if (modes.includes('off')) return 'off'
  return modes.includes('audit_only') || decision.verdict !== 'allow' ? 'audit_only' : 'active'
}

type Scope = Extract<MemoryScope, 'user' | 'session'>

const NO_DETAILS = { scopeId: null, summary: null, subject: null, expiresAt: null }

/** The memories that the user asks for in the latest message: only typed text counts, not files. Its label is the memory's. */
export function explicitCandidates(
  { messages }: Pick<Authorized, 'messages'>,
  scope: Scope,
  classification: Classification,
): MemoryCandidate[] {
  const latest = messages.findLast(({ role }) => role === 'user')
  return explicitMemories(latest ? typedText(latest) : '').map((memory) => ({
    ...NO_DETAILS,
    ...memory,
    scope,
    classification,
    regulations: [],
    source: 'explicit',
  }))
}

/** The client waits for the extraction; after this time the chat leaves no memory. */
const EXTRACTION_MS = 15_000

export interface MemorySources {
  readonly retrieved: Retrieved
  readonly recalled: Recalled
  readonly route: Route
  readonly inspected: Inspected
}

/** Every source counts for the label, the completion too, and the model must be eligible for it. It sees placeholders. */
export async function extractedCandidates(
  { caller: { application }, admitted: { request } }: RequestContext,
  { messages, vault }: Authorized,
  scope: Scope,
  { retrieved, recalled, route, inspected: { completion, decision } }: MemorySources,
  { invokeDeps }: { readonly invokeDeps: InvokeDeps },
): Promise<{ candidates: MemoryCandidate[]; attempts: readonly ProviderAttempt[] }> {
  const eligible = filterCandidates(route.candidates, { application, classification: decision.classification })
  const [first] = eligible
  if (!first || !completion) return { candidates: [], attempts: [] }
  const conversation = [...messages, ...completion.choices.map(({ message }) => message)].map((message) => ({
    role: message.role,
    content: vault.conceal(collectTexts([message.content ?? '']).join('\n')),
  }))
  const providerRequest = { model: request.model || first.model.id, messages: extractionPrompt(conversation), parameters: {} }
  const result = await invoke(eligible, chatOperation(providerRequest), invokeDeps, {
    signal: AbortSignal.timeout(EXTRACTION_MS),
    atMostOnce: true,
  })
  const text = result.ok ? result.response.choices[0]?.message.content : undefined
  const extracted = typeof text === 'string' ? (parseExtraction(text) ?? []) : []
  const sources = [...retrieved.hits, ...recalled.hits]
  const shared = {
    ...NO_DETAILS,
    scope,
    classification: sources.reduce((label, hit) => stricterClassification(label, hit.classification), decision.classification),
    regulations: [...new Set(sources.flatMap((hit) => hit.regulations))],
    source: 'extract' as const,
  }
  const candidates = extracted.map(({ content, kind, subject }) => ({
    ...shared,
    kind,
    content: vault.restore(content),
    subject: subject === null ? null : vault.restore(subject),
  }))
  return { candidates, attempts: result.attempts }
}
