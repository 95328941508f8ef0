import { type CelFunc, CelScalar, type CelValue, celFunc, isCelList } from '@bufbuild/cel'
import { CONTENT_TEXT, oppositePolarity, type Polarity, toPlainPart } from './content-forms.ts'
import { callOf, dottedName, type Expr } from './syntax.ts'
import { PATTERN_COST, type WorkCounter } from './work-budget.ts'

/** The variable with all forms of the content. bindings.ts sets it; the name is not valid CEL, so conditions cannot use it. */
export const FORMS = '@forms'

const FORM_CALLS: ReadonlyMap<string, string> = new Map([
  ['contains', '@any_contains'],
  ['startsWith', '@any_starts_with'],
  ['endsWith', '@any_ends_with'],
  ['matches', '@any_matches'],
  ['_==_', '@any_equals'],
  ['@in', '@any_in'],
])

/** Tests that make a rule match read all forms of the content, other operands only the text as written. */
export function redirectToForms(expr: Expr, polarity: Polarity): void {
  const { exprKind } = expr
  if (exprKind.case === 'comprehensionExpr') {
    const { loopStep, result } = exprKind.value
    for (const part of [loopStep, result]) if (part) redirectToForms(part, polarity)
    return
  }
  const call = callOf(expr)
  if (!call) return
  if (call.name === '!_') for (const part of call.args) redirectToForms(part, oppositePolarity(polarity))
  else if (LOGIC.has(call.name)) for (const part of call.args) redirectToForms(part, polarity)
  else if (polarity === 'restricts') redirectCall(expr)
}

const LOGIC: ReadonlySet<string> = new Set(['_&&_', '_||_', '_?_:_', '@not_strictly_false'])

function redirectCall(expr: Expr): void {
  const call = callOf(expr)
  const name = FORM_CALLS.get(call?.name ?? '')
  if (!call || name === undefined) return
  const [a, b] = call.args
  const other =
    a && dottedName(a) === CONTENT_TEXT ? b : call.name === '_==_' && b && dottedName(b) === CONTENT_TEXT ? a : undefined
  if (!other) return
  const forms = { id: expr.id, exprKind: { case: 'identExpr', value: { name: FORMS } } }
  expr.exprKind = { case: 'callExpr', value: { function: name, args: [forms, other] } } as unknown as Expr['exprKind']
}

const { BOOL, DYN, STRING } = CelScalar

const textsOf = (list: CelValue): string[] =>
  isCelList(list) ? [...list].filter((item): item is string => typeof item === 'string') : []

export function formFunctions(work: WorkCounter, pattern: (source: string) => { test(text: string): boolean }): CelFunc[] {
  const any = (name: string, test: (text: string, part: string) => boolean): CelFunc =>
    celFunc(name, [DYN, STRING], BOOL, (forms, part) => {
      const parts = [...new Set([part, toPlainPart(part) ?? part])]
      return textsOf(forms).some((text) => parts.some((candidate) => test(text, candidate)))
    })
  const counted = (name: string, test: (text: string, part: string) => boolean): CelFunc =>
    any(name, (text, part) => {
      work.spend(Math.min(text.length, part.length))
      return test(text, part)
    })
  return [
    any('@any_contains', (text, part) => work.contains(text, part)),
    counted('@any_starts_with', (text, part) => text.startsWith(part)),
    counted('@any_ends_with', (text, part) => text.endsWith(part)),
    counted('@any_equals', (text, part) => text === part),
    celFunc('@any_matches', [DYN, STRING], BOOL, (forms, source) =>
      textsOf(forms).some((text) => {
        work.spend(text.length * PATTERN_COST)
        return pattern(source).test(text)
      }),
    ),
    celFunc('@any_in', [DYN, DYN], BOOL, (forms, list) => {
      const texts = textsOf(forms)
      return textsOf(list).some((word) => {
        const parts = [word, toPlainPart(word) ?? word]
        work.spend(word.length * texts.length)
        return texts.some((text) => parts.includes(text))
      })
    }),
  ]
}
