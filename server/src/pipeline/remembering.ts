import type { Detector } from '../classification/detector.ts'
import { assess } from '../classification/risk.ts'
import { scan } from '../classification/scan.ts'
import type { Classification } from '../domain/classification.ts'
import type { Decision } from '../domain/decision.ts'
import type { ReportFault } from '../domain/fault.ts'
import type { MemoryKind, MemoryScope } from '../domain/memory-words.ts'
import type { Clock } from '../lib/clock.ts'
import { collectDirectives } from '../policy/directives.ts'
import { evaluate } from '../policy/evaluate.ts'
import type { PolicyInput } from '../policy/input.ts'
import { applyTransforms } from '../policy/transforms.ts'
import { Vault } from '../policy/vault.ts'
import type { Authorized } from './facts.ts'
import { deniedByFault } from './fault-denial.ts'

/** Something that may be worth keeping, before anybody has decided on it. */
export interface MemoryWish {
  readonly scope: MemoryScope
  readonly scopeId: string | null
  readonly kind: MemoryKind
  readonly content: string
  readonly summary: string | null
  readonly subject: string | null
  /** The strictest of its sources; what the detectors find may raise it. */
  readonly classification: Classification
  readonly regulations: readonly string[]
  readonly expiresAt: Date | null
  readonly source: 'capture' | 'explicit' | 'extract'
}

/** The memory decision on one wish (decisions.md §2.1, stage 11). */
export interface MemoryDecision {
  /** `off`: governed away. */
  readonly mode: 'active' | 'audit_only' | 'off'
  readonly decision: Decision
  /** The wish as it may be kept: transforms applied, classification raised. */
  readonly wish: MemoryWish
  readonly transforms: readonly string[]
}

interface Deps {
  readonly detectors: readonly Detector[]
  readonly detectorBudgetMs: number
  readonly clock: Clock
  readonly reportFault: ReportFault
}

/** Asks the policies at `remember`. A secret is never kept, and what breaks down denies. */
export function decideOnMemory(
  wish: MemoryWish,
  leave: Authorized,
  input: (content: PolicyInput['content']) => PolicyInput,
  { detectors, detectorBudgetMs, clock, reportFault }: Deps,
): MemoryDecision {
  const texts = [wish.content, wish.summary, wish.subject].filter((text) => text !== null)
  const { findings, counts, failures } = scan(texts, { detectors, budgetMs: detectorBudgetMs })
  const { classification, risk } = assess(counts, { classification: wish.classification, risk: 'low' })
  const labelled = { ...wish, classification }
  const { scope, scopeId, kind, regulations, expiresAt } = wish
  const decision = evaluate(leave.policy, 'remember', {
    ...input({ text: texts.join('\n'), classification, riskLevel: risk, findings: counts }),
    memory: { classification, regulations, scope, scopeId: scopeId ?? '', kind, createdAt: clock.now(), expiresAt },
  })
  const denied = (culprits: readonly string[]): MemoryDecision => ({
    mode: 'off',
    decision: deniedByFault(decision, 'remember', culprits),
    wish: labelled,
    transforms: [],
  })
  if (failures.length > 0) return denied(failures.map((name) => `detector:${name}`))
  if (decision.verdict === 'deny') return { mode: 'off', decision, wish: labelled, transforms: [] }
  try {
    const spans = texts.map((text, index) => ({ text, findings: findings[index] ?? [] }))
    const { texts: changed, applied } = applyTransforms(spans, decision.transforms, new Vault())
    const [content = '', ...others] = changed
    const summary = wish.summary === null ? null : (others.shift() ?? null)
    const subject = wish.subject === null ? null : (others.shift() ?? null)
    const mode = counts.secret > 0 ? 'off' : modeOf(decision, leave)
    return { mode, decision, wish: { ...labelled, content, summary, subject }, transforms: applied }
  } catch (error) {
    reportFault({ kind: 'transform', name: 'remember', how: 'threw', error })
    return denied(['transform'])
  }
}

/** Directives of the input and of the memory itself; what a person would have to look at is kept for auditors only. */
function modeOf({ verdict, directives }: Decision, { steering }: Authorized): MemoryDecision['mode'] {
  const modes = [steering.memory, collectDirectives(directives).memory]
  if (modes.includes('off')) return 'off'
  return modes.includes('audit_only') || verdict !== 'allow' ? 'audit_only' : 'active'
}
