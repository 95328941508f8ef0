import { FINDING_GROUPS, FINDING_TYPES, type FindingName } from '../../../shared/finding.ts'
import { callOf, dottedName, type Expr, entryOf, operatorSymbol, partsOf, stringLiteral } from './syntax.ts'
import { CLASSIFICATION_WORDS, RISK_WORDS } from './variables.ts'

/** How the value of a condition changes while its text grows (decision 0025). */
export interface Growth {
  /** Findings that its value depends on; empty: it is known before the response begins. */
  readonly reads: readonly FindingName[]
  /** Once it is true it stays true: findings are only added, classification and risk are only raised. */
  readonly staysTrue: boolean
  readonly needsWhole: string | undefined
}

/** Groups of detectors with a limited reach (domains/classification/growing-scan.ts). All of them raise the classification. */
const BOUNDED: readonly FindingName[] = ['pii', 'secret']
const FIXED: Growth = { reads: [], staysTrue: true, needsWhole: undefined }
/** The time at the end of the response decides, so it can be false again. */
const TIMED: Growth = { ...FIXED, staysTrue: false }
const rising = (...reads: readonly FindingName[]): Growth => ({ reads, staysTrue: true, needsWhole: undefined })
const whole = (needsWhole: string, staysTrue = false): Growth => ({ reads: BOUNDED, staysTrue, needsWhole })

/** Values that depend on the text. All others are known before the response begins. */
const OF_TEXT = /^(?:content|response)\./
const FINDINGS = 'content.findings'
const FINDING_NAMES: readonly FindingName[] = [...FINDING_TYPES, ...FINDING_GROUPS]

export const isBoundedFinding = (name: string): boolean => BOUNDED.some((group) => name === group || name.startsWith(`${group}.`))

/** Call it before the condition is compiled. */
export function growthOf(expr: Expr): Growth {
  const names = readNames(expr)
  if (names.every((name) => !OF_TEXT.test(name))) return names.includes('now') ? TIMED : FIXED
  const call = callOf(expr)
  if (!call) return whole(`it reads ${names.find((name) => OF_TEXT.test(name))}`)
  if (call.name === '_&&_' || call.name === '_||_') return call.args.map(growthOf).reduce(combine)
  if (call.name === '!_') return whole('it negates a value that depends on the text')
  const [left, right] = call.args
  return (left && right && growthOfComparison(call.name, left, right)) ?? whole(reasonOf(expr, call.name))
}

const combine = (a: Growth, b: Growth): Growth => ({
  reads: [...new Set([...a.reads, ...b.reads])],
  staysTrue: a.staysTrue && b.staysTrue,
  needsWhole: a.needsWhole ?? b.needsWhole,
})

const MIRRORED: ReadonlyMap<string, string> = new Map([
  ['_<_', '_>_'],
  ['_<=_', '_>=_'],
  ['_==_', '_==_'],
  ['_!=_', '_!=_'],
])
const GREATER: ReadonlySet<string> = new Set(['_>_', '_>=_'])

/** undefined: another comparison, or one that a longer text can make false. */
function growthOfComparison(name: string, left: Expr, right: Expr): Growth | undefined {
  if (growthOf(right).reads.length > 0) {
    const mirrored = MIRRORED.get(name)
    return mirrored === undefined || growthOf(left).reads.length > 0 ? undefined : growthOfComparison(mirrored, right, left)
  }
  const counted = findingName(left)
  if (counted !== undefined) {
    if (!GREATER.has(name) && !(name === '_!=_' && isZero(right))) return undefined
    return isBoundedFinding(counted) ? rising(counted) : whole(`it reads ${FINDINGS}["${counted}"]`, true)
  }
  const ranked = callOf(left)
  if (ranked?.name === 'rank' && ranked.args[0] && GREATER.has(name)) return growthOfLevel(ranked.args[0])
  return isUpperPart(name, left, right) ? growthOfLevel(left) : undefined
}

/** Prompt injections and hidden text raise the risk, and their detectors read the whole text. */
function growthOfLevel(expr: Expr): Growth | undefined {
  const name = dottedName(expr)
  if (name === 'content.classification') return rising(...BOUNDED)
  return name === 'content.risk_level' ? whole('it reads content.risk_level', true) : undefined
}

const SCALES = new Map([
  ['content.classification', CLASSIFICATION_WORDS],
  ['content.risk_level', RISK_WORDS],
])

/** Whether a level is compared with all words from one of them up to the highest: `in ["confidential", "restricted"]`. */
function isUpperPart(name: string, left: Expr, right: Expr): boolean {
  const scale = SCALES.get(dottedName(left) ?? '')
  if (!scale) return false
  const items = name === '@in' && right.exprKind.case === 'listExpr' ? right.exprKind.value.elements : [right]
  if (name !== '_==_' && name !== '@in') return false
  const words = new Set(items.map(stringLiteral))
  return !words.has(undefined) && scale.values.slice(-words.size).every((word) => words.has(word))
}

function findingName(expr: Expr): FindingName | undefined {
  const entry = entryOf(expr)
  return entry?.map === FINDINGS ? FINDING_NAMES.find((name) => name === entry.key) : undefined
}

const isZero = ({ exprKind }: Expr): boolean =>
  exprKind.case === 'constExpr' && exprKind.value.constantKind.case === 'int64Value' && exprKind.value.constantKind.value === 0n

/** The names that an expression reads: variables, and names of its loops. */
export function readNames(expr: Expr): readonly string[] {
  const name = dottedName(expr)
  return name === undefined ? partsOf(expr).flatMap(readNames) : [name]
}

function reasonOf(expr: Expr, name: string): string {
  const read = readNames(expr).find((each) => OF_TEXT.test(each)) ?? FINDINGS
  const isCompared = read.startsWith(FINDINGS) && /^_[<>=!]=?_$/.test(name)
  return isCompared ? `it compares ${read} with ${operatorSymbol(name)}` : `it reads ${read}`
}
