import { type CompiledPolicy, compile } from '../../src/domains/policy/compile.ts'
import type { PolicyInput } from '../../src/domains/policy/input.ts'
import { parsePolicySet } from '../../src/domains/policy/parse.ts'
import { type PolicySet, policySha256 } from '../../src/domains/policy/policy.ts'
import type { PolicyPoint } from '../../src/shared/decision.ts'
import { countFindings } from '../../src/shared/finding.ts'
import { ANONYMOUS_USER, DEFAULT_SETTINGS } from '../../src/shared/principal.ts'

/** A policy input without findings; `changes` replaces fields. */
export const policyInput = (changes: Partial<PolicyInput> = {}): PolicyInput => ({
  user: ANONYMOUS_USER,
  application: { id: 'app_1', name: 'test', settings: DEFAULT_SETTINGS },
  request: {
    endpoint: 'chat',
    model: 'some-model',
    sessionId: '',
    stream: false,
    dryRun: false,
    messageCount: 1,
    tokens: 12,
    maxTokens: 0,
  },
  content: { text: 'Good morning', classification: 'internal', riskLevel: 'low', findings: countFindings([]) },
  now: new Date('2026-03-02T12:00:00Z'),
  ...changes,
})

export function policySet(source: string): PolicySet {
  const parsed = parsePolicySet(source)
  if (parsed.ok) return parsed.set
  throw new Error(parsed.errors.map(({ line, column, field, message }) => `${line}:${column} ${field}: ${message}`).join('\n'))
}

export const compiledPolicy = (source: string): CompiledPolicy =>
  compile(policySet(source), { id: 'pol_1', name: 'test', version: 1, sha256: policySha256(source) })

/** A policy document with one rule at one point. By default the rule denies. */
export const singleRuleDocument = (
  when: string,
  fields: Record<string, unknown> = { verdict: 'deny' },
  at: PolicyPoint = 'input',
): string => JSON.stringify({ name: 'test', rules: [{ id: 'rule', at: [at], when, ...fields }] })
