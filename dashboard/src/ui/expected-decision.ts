import { STRICTNESS } from './verdict.tsx'

interface MatchedRule {
  readonly id: string
  readonly point: string
  readonly verdict: string
}

/** The expectation of a policy test: the rules that matched at its point, and their strictest verdict. */
export function expectedAt(at: string, matched: readonly MatchedRule[]) {
  const rules = matched.filter(({ point }) => point === at)
  const verdict = STRICTNESS.findLast((one) => rules.some((rule) => rule.verdict === one)) ?? 'allow'
  return { verdict, rules: rules.map(({ id }) => id) }
}
