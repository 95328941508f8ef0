import { type CelFunc, CelScalar, type CelValue, celFunc, isCelList, isCelMap } from '@bufbuild/cel'
import { callOf, type Expr, partsOf } from './syntax.ts'
import type { WorkCounter } from './work-budget.ts'

/** Functions that charge for a loop before it begins. Their names are not valid CEL, so conditions cannot use them. */
const CHARGE_LOOP = '@charge_loop'
const CHARGE_COLLECTING_LOOP = '@charge_collecting_loop'

/** Charges for all turns of each loop, `in` included, before it begins. A nested loop is charged each time that it begins. */
export function addLoopCosts(expr: Expr): void {
  for (const part of partsOf(expr)) addLoopCosts(part)
  const { exprKind } = expr
  if (exprKind.case === 'comprehensionExpr') {
    const { iterRange, accuInit, loopCondition, loopStep } = exprKind.value
    const nodes = countTurnNodes(loopCondition) + countTurnNodes(loopStep)
    const charge = accuInit?.exprKind.case === 'listExpr' ? CHARGE_COLLECTING_LOOP : CHARGE_LOOP
    exprKind.value.iterRange = wrapRange(iterRange, charge, nodes)
  } else if (exprKind.case === 'callExpr' && callOf(expr)?.name === '@in') {
    const [item, container] = exprKind.value.args
    if (item && container && container.exprKind.case !== 'listExpr')
      exprKind.value.args = [item, wrapRange(container, CHARGE_LOOP, 1)]
  }
}

/** Number of nodes that a turn evaluates, without the turns of nested loops. */
function countTurnNodes(expr: Expr | undefined): number {
  if (!expr) return 0
  const { exprKind } = expr
  const parts =
    exprKind.case === 'comprehensionExpr'
      ? [exprKind.value.iterRange, exprKind.value.accuInit, exprKind.value.result]
      : partsOf(expr)
  return parts.reduce((sum, part) => sum + countTurnNodes(part), 1)
}

function wrapRange(range: Expr | undefined, name: string, nodes: number): Expr {
  const constantKind = { case: 'int64Value', value: BigInt(nodes) }
  const count = { id: range?.id, exprKind: { case: 'constExpr', value: { constantKind } } }
  return { id: range?.id, exprKind: { case: 'callExpr', value: { function: name, args: [range, count] } } } as unknown as Expr
}

export const loopFunctions = (work: WorkCounter): CelFunc[] => [
  celFunc(CHARGE_LOOP, [CelScalar.DYN, CelScalar.INT], CelScalar.DYN, (range, nodes) => {
    work.chargeLoop(turnsOf(range), Number(nodes))
    return range
  }),
  // The library takes quadratic time to read the results of `map` and `filter`.
  celFunc(CHARGE_COLLECTING_LOOP, [CelScalar.DYN, CelScalar.INT], CelScalar.DYN, (range, nodes) => {
    const turns = turnsOf(range)
    work.chargeLoop(turns, Number(nodes) + turns / 4)
    return range
  }),
]

const turnsOf = (range: CelValue): number => (isCelList(range) || isCelMap(range) ? range.size : 0)
