import { type CelFunc, CelScalar, type CelValue, celFunc, isCelList } from '@bufbuild/cel'
import { CONTENT, opposite, type Polarity, plainPart } from './content-forms.ts'
import { callOf, dottedName, type Expr } from './syntax.ts'
import type { Work } from './work-budget.ts'

/** The variable that holds all forms of the content; bindings.ts fills it, no author can write it. */
export const FORMS = '@forms'

/** Calls on `content.text`, and what stands for them where all its forms are looked at. */
const FORM_CALLS: Readonly<Record<string, string>> = {
  contains: '@any_contains',
  startsWith: '@any_starts_with',
  endsWith: '@any_ends_with',
  matches: '@any_matches',
  '_==_': '@any_equals',
  '@in': '@any_in',
}

/**
 * Has the parts of a condition that make a rule match look at all forms of the content (direct.ts does so where both sides are
 * known). Goes through logic, choices and loops; what is compared with something else stays as it is.
 */
export function lookAtForms(expr: Expr, polarity: Polarity): void {
  const { exprKind } = expr
  if (exprKind.case === 'comprehensionExpr') {
    const { loopStep, result } = exprKind.value
    for (const part of [loopStep, result]) if (part) lookAtForms(part, polarity)
    return
  }
  const call = callOf(expr)
  if (!call) return
  if (call.name === '!_') for (const part of call.args) lookAtForms(part, opposite(polarity))
  else if (LOGIC.has(call.name)) for (const part of call.args) lookAtForms(part, polarity)
  else if (polarity === 'restricts') redirect(expr)
}

const LOGIC: ReadonlySet<string> = new Set(['_&&_', '_||_', '_?_:_', '@not_strictly_false'])

function redirect(expr: Expr): void {
  const call = callOf(expr)
  const name = FORM_CALLS[call?.name ?? '']
  if (!call || name === undefined) return
  const [a, b] = call.args
  const other = a && dottedName(a) === CONTENT ? b : call.name === '_==_' && b && dottedName(b) === CONTENT ? a : undefined
  if (!other) return
  const forms = { id: expr.id, exprKind: { case: 'identExpr', value: { name: FORMS } } }
  expr.exprKind = { case: 'callExpr', value: { function: name, args: [forms, other] } } as unknown as Expr['exprKind']
}

const { BOOL, DYN, STRING } = CelScalar

/** An automaton goes through a text once. */
const PATTERN_WORK = 4

const textsOf = (list: CelValue): string[] =>
  isCelList(list) ? [...list].filter((item): item is string => typeof item === 'string') : []

/** What `lookAtForms` puts into conditions. */
export function formFunctions(work: Work, pattern: (source: string) => { test(text: string): boolean }): CelFunc[] {
  const any = (name: string, test: (text: string, part: string) => boolean): CelFunc =>
    celFunc(name, [DYN, STRING], BOOL, (forms, part) => {
      const parts = [...new Set([part, plainPart(part) ?? part])]
      return textsOf(forms).some((text) => parts.some((one) => test(text, one)))
    })
  const compared = (test: (text: string, part: string) => boolean) => (text: string, part: string) => {
    work.spend(Math.min(text.length, part.length))
    return test(text, part)
  }
  return [
    any('@any_contains', (text, part) => work.contains(text, part)),
    any(
      '@any_starts_with',
      compared((text, part) => text.startsWith(part)),
    ),
    any(
      '@any_ends_with',
      compared((text, part) => text.endsWith(part)),
    ),
    any(
      '@any_equals',
      compared((text, part) => text === part),
    ),
    celFunc('@any_matches', [DYN, STRING], BOOL, (forms, source) =>
      textsOf(forms).some((text) => {
        work.spend(text.length * PATTERN_WORK)
        return pattern(source).test(text)
      }),
    ),
    celFunc('@any_in', [DYN, DYN], BOOL, (forms, list) => {
      const texts = textsOf(forms)
      return textsOf(list).some((word) => {
        const parts = [word, plainPart(word) ?? word]
        work.spend(word.length * texts.length)
        return texts.some((text) => parts.includes(text))
      })
    }),
  ]
}
