import { callOf, dottedName, type Expr, parseCondition, partsOf, stringLiteral } from '../condition/syntax.ts'

/** How a condition uses the names whose values records hold as a keyed hash only. */
export interface Reading {
  /** Texts that such a name is compared with: an equal hash tells an equal value. */
  readonly compared: readonly { readonly name: string; readonly text: string }[]
  /** Names that it does more with than compare: the hash will not do. */
  readonly freely: ReadonlySet<string>
}

/** What records never hold in the clear: who it was, which session, a model whose name might be prose. */
export const HASHED_NAMES: ReadonlySet<string> = new Set([
  'user.id',
  'request.session_id',
  'request.model',
  'response.model',
  'message.sender',
])

/** Of a condition that has passed its check. */
export function readingOf(when: string): Reading {
  const parsed = parseCondition(when)
  if ('message' in parsed || !parsed.expr) return { compared: [], freely: HASHED_NAMES }
  const compared: Reading['compared'][number][] = []
  const freely = new Set<string>()
  const visit = (expr: Expr): void => {
    const name = dottedName(expr)
    if (name !== undefined && HASHED_NAMES.has(name)) freely.add(name)
    const comparison = comparisonOf(expr)
    if (comparison) compared.push(...comparison)
    else for (const part of partsOf(expr)) visit(part)
  }
  visit(parsed.expr)
  return { compared, freely }
}

/** `user.id == "jane"`, `"jane" != user.id`, `user.id in ["jane", "joe"]`. */
function comparisonOf(expr: Expr): Reading['compared'] | undefined {
  const call = callOf(expr)
  const [a, b] = call?.args ?? []
  if (!call || !a || !b || !['_==_', '_!=_', '@in'].includes(call.name)) return undefined
  const [subject, others] = HASHED_NAMES.has(dottedName(a) ?? '') ? [a, b] : [b, a]
  const name = dottedName(subject) ?? ''
  if (!HASHED_NAMES.has(name) || (call.name === '@in' && subject !== a)) return undefined
  const literals = others.exprKind.case === 'listExpr' ? others.exprKind.value.elements : [others]
  const texts = literals.map(stringLiteral)
  return texts.every((text) => text !== undefined) ? texts.map((text) => ({ name, text })) : undefined
}
