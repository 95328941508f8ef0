import { type CelFunc, CelScalar, type CelValue, celFunc, isCelList, isCelMap } from '@bufbuild/cel'
import { callOf, type Expr, partsOf } from './syntax.ts'
import type { Work } from './work-budget.ts'

const THROUGH = '@through'
const GATHERING = '@gathering'

/**
 * Has a parsed condition tell of each of its loops before it begins: whatever is gone through, `in` included, is wrapped in a call
 * that counts the turns with what one of them costs. Loops inside count for themselves, each time that they are reached.
 */
export function countLoops(expr: Expr): void {
  for (const part of partsOf(expr)) countLoops(part)
  const { exprKind } = expr
  if (exprKind.case === 'comprehensionExpr') {
    const { iterRange, accuInit, loopCondition, loopStep } = exprKind.value
    const nodes = nodesOf(loopCondition) + nodesOf(loopStep)
    exprKind.value.iterRange = wrapped(iterRange, accuInit?.exprKind.case === 'listExpr' ? GATHERING : THROUGH, nodes)
  } else if (exprKind.case === 'callExpr' && callOf(expr)?.name === '@in') {
    const [item, container] = exprKind.value.args
    if (item && container && container.exprKind.case !== 'listExpr') exprKind.value.args = [item, wrapped(container, THROUGH, 1)]
  }
}

/** What a turn evaluates; of a loop inside only what comes before its own turns. */
function nodesOf(expr: Expr | undefined): number {
  if (!expr) return 0
  const { exprKind } = expr
  const parts =
    exprKind.case === 'comprehensionExpr'
      ? [exprKind.value.iterRange, exprKind.value.accuInit, exprKind.value.result]
      : partsOf(expr)
  return parts.reduce((sum, part) => sum + nodesOf(part), 1)
}

function wrapped(range: Expr | undefined, by: string, nodes: number): Expr {
  const constantKind = { case: 'int64Value', value: BigInt(nodes) }
  const count = { id: range?.id, exprKind: { case: 'constExpr', value: { constantKind } } }
  return { id: range?.id, exprKind: { case: 'callExpr', value: { function: by, args: [range, count] } } } as unknown as Expr
}

/** What `countLoops` puts into conditions; no author can write it. */
export const loopFunctions = (work: Work): CelFunc[] => [
  celFunc(THROUGH, [CelScalar.DYN, CelScalar.INT], CelScalar.DYN, (range, nodes) => {
    work.loop(turnsOf(range), Number(nodes))
    return range
  }),
  // Reading what `map` and `filter` have gathered takes the library quadratic time, if little of it.
  celFunc(GATHERING, [CelScalar.DYN, CelScalar.INT], CelScalar.DYN, (range, nodes) => {
    const turns = turnsOf(range)
    work.loop(turns, Number(nodes) + turns / 4)
    return range
  }),
]

const turnsOf = (range: CelValue): number => (isCelList(range) || isCelMap(range) ? range.size : 0)
