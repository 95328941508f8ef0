import { describeFault } from '../../../domains/audit/checkpoints/verified-seal.ts'
import type { RequestCounts } from '../../../domains/audit/statistics/statistics.ts'
import type { AuditFault } from '../../../domains/audit/verify/chain-checker.ts'
import type { BudgetNearLimit } from '../../../domains/budgets/window-store.ts'
import type { PendingCount } from '../../../domains/review/service-levels.ts'
import { counted } from '../../../platform/lib/counted.ts'
import type { Attention } from './overview-shapes.ts'

interface ServerState {
  readonly waiting: readonly PendingCount[]
  /** Providers that should work and do not. */
  readonly down: readonly string[]
  /** Failures of working providers that only an operator can resolve. */
  readonly faults: readonly { readonly id: string; readonly kind: string }[]
  readonly budgets: readonly BudgetNearLimit[]
  readonly totals: RequestCounts
  readonly governed: boolean
  readonly tampered: AuditFault | undefined
  readonly now: Date
}

const EXPIRES_SOON_MS = 10 * 60_000
const MANY_ERRORS = 0.05

/** By kind of the provider's last error (domains/providers/health.ts). */
const FAULT_MESSAGES: Readonly<Record<string, string>> = {
  key_rejected: 'rejects its key: set a valid one',
  quota_exhausted: 'says that its account has no credit or quota left',
  model_not_found: 'does not have a model that is declared for it: check the names of its models',
}

/** Problems that need attention, most urgent first: tampering with the audit log, then clients waiting for a review. */
export function attentionTo({ waiting, down, faults, budgets, totals, governed, tampered, now }: ServerState): Attention[] {
  const of = (kind: PendingCount['kind']) => waiting.find((count) => count.kind === kind)
  const [holds, escalations] = [of('hold'), of('escalation')]
  const urgent = holds && holds.nextExpiry.getTime() - now.getTime() < EXPIRES_SOON_MS
  const share = totals.requests === 0 ? 0 : totals.errors / totals.requests
  const found: (Attention | false | undefined)[] = [
    tampered && {
      kind: 'audit_tampered',
      text: `The audit log was tampered with, and no checkpoint is signed until an operator acts: ${describeFault(tampered)}.`,
      link: '/audit',
    },
    urgent && {
      kind: 'holds_expiring',
      text: `${counted(holds.count, 'request waits', 'requests wait')} for approval, and the first expires within ten minutes.`,
      link: '/reviews?state=pending',
    },
    ...down.map((id) => ({
      kind: 'provider_down' as const,
      text: `The provider ${id} does not respond.`,
      link: `/providers/${encodeURIComponent(id)}`,
    })),
    ...faults.map(({ id, kind }) => ({
      kind: 'provider_fault' as const,
      text: `The provider ${id} ${FAULT_MESSAGES[kind] ?? 'rejects the requests of this gateway'}.`,
      link: `/providers/${encodeURIComponent(id)}`,
    })),
    budgetAttention.usedUp(budgets),
    holds &&
      !urgent && {
        kind: 'holds_waiting',
        text: `${counted(holds.count, 'request waits', 'requests wait')} for approval.`,
        link: '/reviews?state=pending',
      },
    escalations && {
      kind: 'escalations_waiting',
      text: `${counted(escalations.count, 'escalation waits', 'escalations wait')} for a reviewer.`,
      link: '/reviews?kind=escalation&state=pending',
    },
    budgetAttention.nearLimit(budgets),
    share > MANY_ERRORS && {
      kind: 'errors',
      text: `${Math.round(share * 100)} % of the requests were refused or failed.`,
      link: '/audit',
    },
    !governed && { kind: 'no_policy', text: 'No policy is active: everything is allowed.', link: '/policies' },
  ]
  return found.filter((attention) => attention !== undefined && attention !== false)
}

const MOST_NAMES = 3

export const budgetAttention = {
  usedUp(budgets: readonly BudgetNearLimit[]): Attention | undefined {
    const full = budgets.filter(({ usedUp }) => usedUp > 0)
    const names = full.map(({ name, isEach, usedUp }) => nameOf(name, isEach, usedUp))
    return itemOf('budget_used_up', full, {
      one: `The budget ${names[0]} is used up: its requests are refused.`,
      several: `${full.length} budgets are used up, and their requests are refused: ${listed(names)}.`,
    })
  },
  nearLimit(budgets: readonly BudgetNearLimit[]): Attention | undefined {
    const near = budgets.filter(({ usedUp }) => usedUp === 0)
    const percent = (share: number) => `${Math.floor(share * 100)} %`
    const names = near.map(({ name, isEach, nearLimit, share }) => `${nameOf(name, isEach, nearLimit)} at ${percent(share)}`)
    return itemOf('budget_alert', near, {
      one: `A budget is near its limit: ${names[0]}.`,
      several: `${near.length} budgets are near their limits: ${listed(names)}.`,
    })
  },
}

function itemOf(
  kind: Attention['kind'],
  [first, ...others]: readonly BudgetNearLimit[],
  { one, several }: { readonly one: string; readonly several: string },
) {
  if (first === undefined) return undefined
  return others.length === 0 ? { kind, text: one, link: `/budgets/${first.id}` } : { kind, text: several, link: '/budgets' }
}

const nameOf = (name: string, isEach: boolean, members: number): string =>
  isEach ? `${name} (${counted(members, 'member')})` : name

const listed = (names: readonly string[]): string => {
  const rest = names.length - MOST_NAMES
  return `${names.slice(0, MOST_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
