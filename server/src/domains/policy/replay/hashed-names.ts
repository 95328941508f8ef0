import { callOf, dottedName, type Expr, parseCondition, partsOf, stringLiteral } from '../condition/syntax.ts'

export interface HashedNameUses {
  /** Texts that a name is compared with. Equal hashes mean equal values, so these comparisons can be replayed. */
  readonly compared: readonly { readonly name: string; readonly text: string }[]
  /** Names in conditions other than comparisons with a text. Such conditions cannot be replayed. */
  readonly otherUses: ReadonlySet<string>
}

/** Names whose values audit records contain only as keyed hashes. */
export const HASHED_NAMES: ReadonlySet<string> = new Set([
  'user.id',
  'request.session_id',
  'request.model',
  'response.model',
  'message.sender',
])

export function findHashedNameUses(when: string): HashedNameUses {
  const parsed = parseCondition(when)
  if ('message' in parsed || !parsed.expr) return { compared: [], otherUses: HASHED_NAMES }
  const compared: HashedNameUses['compared'][number][] = []
  const otherUses = new Set<string>()
  const visit = (expr: Expr): void => {
    const name = dottedName(expr)
    if (name !== undefined && HASHED_NAMES.has(name)) otherUses.add(name)
    const comparison = findComparison(expr)
    if (comparison) compared.push(...comparison)
    else for (const part of partsOf(expr)) visit(part)
  }
  visit(parsed.expr)
  return { compared, otherUses }
}

/** `user.id == "jane"`, `"jane" != user.id`, `user.id in ["jane", "joe"]`. */
function findComparison(expr: Expr): HashedNameUses['compared'] | undefined {
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
