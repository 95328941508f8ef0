import { readFileSync } from 'node:fs'
import { createWebhook } from '../../domains/messaging/events/webhook-store.ts'
import { createDraft } from '../../domains/policy/policy-draft-store.ts'
import { findActivePolicySet } from '../../domains/policy/policy-store.ts'
import { definitionsIn } from '../../domains/policy/policy-test-case.ts'
import { createTests } from '../../domains/policy/policy-test-store.ts'
import { createView } from '../../domains/views/view-store.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { applyBudget } from '../setup/apply-named.ts'
import { applyEach, type Change } from '../setup/change.ts'
import type { DeclaredBudget } from '../setup/declaration.ts'
import type { ApplyContext } from '../setup/recorded-change.ts'

/** The history of the demo brings this budget near its limit (tools/demo-history/events.ts). Its member is no user of demo.json. */
export const NEAR_LIMIT_BUDGET = 'Tokens of Hiro'

// No budget refuses the first requests to an operator's own provider, whose models may have no price.
const BUDGETS: readonly DeclaredBudget[] = [
  { name: 'All requests', scope: 'workspace', unit: 'usd', limit: 100, period: 'month', unpriced: 'ignore' },
  { name: NEAR_LIMIT_BUDGET, scope: 'user', member: 'hiro', unit: 'tokens', limit: 5_000_000, period: 'month' },
]

const DRAFT_RULE = `
  - id: invoices-above-10000
    description: Payments above 10,000 wait for a second person.
    at: [input]
    when: content.text.matches(r"(?i)\\binvoice\\b.*\\b\\d{2,3},\\d{3}\\b")
    verdict: require_approval
`

/** Objects of the pages that a history of requests leaves empty. `ownerId`: the demo's owner. */
export async function seedExtras(context: ApplyContext, ownerId: string, webhookBox: SecretBox): Promise<Change[]> {
  const { tx, workspaceId, now } = context
  const url = 'https://hooks.example.com/gatehouse'
  await createWebhook(tx, workspaceId, { url, format: 'standard', types: null, enabled: false }, { box: webhookBox, now })
  const active = await findActivePolicySet(tx, workspaceId)
  if (active) {
    const source = active.source.replace('\nrules:', `\nrules:${DRAFT_RULE.trimEnd()}`)
    const note = 'Finance asked for a second pair of eyes on larger payments.'
    await createDraft(tx, workspaceId, { title: 'Hold larger payments', note, source, baseId: active.id, author: ownerId }, now)
  }
  const view = { page: 'audit', name: 'Denied requests', query: { verdict: 'deny' }, columns: null, shared: true }
  await createView(tx, { workspaceId, operatorId: ownerId }, view, now)
  return applyEach('budgets', BUDGETS, (budget) => applyBudget(context, budget))
}

const FILE = 'tests/demo.yaml'
const TESTS = new URL(`../../../../examples/policies/${FILE}`, import.meta.url)

export async function seedPolicyTests({ tx, workspaceId, now }: ApplyContext): Promise<void> {
  const cases = definitionsIn(readFileSync(TESTS, 'utf8')).map((test) => ({ ...test, file: FILE, createdBy: 'gatehouse' }))
  await createTests(tx, workspaceId, cases, now)
}
