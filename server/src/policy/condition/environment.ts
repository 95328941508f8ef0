import { type CelEnv, type CelFunc, CelScalar, celEnv, celError, celFunc, celMethod } from '@bufbuild/cel'
import { formFunctions } from './content-form-calls.ts'
import { loopFunctions } from './loop-costs.ts'
import { Pattern } from './pattern.ts'
import { rankOf } from './rank.ts'
import { timeFunctions } from './time-zone.ts'
import { Work } from './work-budget.ts'

/** CEL with our own functions, and what the conditions that share it have in common. */
export interface Environment {
  readonly cel: CelEnv
  readonly work: Work
  /** Compiled once each. Throws an Error that says what is wrong with `source`. */
  pattern(source: string): Pattern
}

export function createEnvironment(): Environment {
  const patterns = new Map<string, Pattern>()
  const pattern = (source: string): Pattern => {
    const known = patterns.get(source) ?? new Pattern(source)
    patterns.set(source, known)
    return known
  }
  const work = new Work()
  return {
    cel: celEnv({
      funcs: [
        ...comparisons(work),
        ...textFunctions(work, pattern),
        ...timeFunctions(),
        ...loopFunctions(work),
        ...formFunctions(work, pattern),
      ],
    }),
    work,
    pattern,
  }
}

const { BOOL, DOUBLE, INT, STRING } = CelScalar
/** What an automaton does with a character takes as long as looking at a few. */
const PATTERN_WORK = 4
/** Numbers have no more characters than that; making one takes longer than in proportion. */
const MAX_NUMBER_LENGTH = 100

/** Ours take the place of the library's, within bounds; its `size` makes an array of all characters, its `double` a NaN of any text. */
const textFunctions = (work: Work, pattern: Environment['pattern']): CelFunc[] => [
  celFunc('rank', [STRING], INT, (word) => BigInt(rankOf(word))),
  celFunc('int', [STRING], INT, toInt),
  celFunc('double', [STRING], DOUBLE, toDouble),
  celFunc('size', [STRING], INT, (text) => characters(text, work)),
  celMethod('size', STRING, [], INT, function () {
    return characters(this, work)
  }),
  celMethod('contains', STRING, [STRING], BOOL, function (part) {
    return work.contains(this, part)
  }),
  celMethod('matches', STRING, [STRING], BOOL, function (source) {
    work.spend(this.length * PATTERN_WORK)
    return pattern(source).test(this)
  }),
]

/** Go through two texts together. */
const COMPARISONS = new Set(['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_', '_+_', 'startsWith', 'endsWith'])

/** The library's own, which count what they do with texts: in a loop, comparing two megabytes is a freeze. */
const comparisons = (work: Work): CelFunc[] =>
  [...celEnv().funcs]
    .filter(({ name }) => COMPARISONS.has(name))
    .map((func) => {
      const call: CelFunc['call'] = (id, target, args) => {
        const [a, b] = target === undefined ? args : [target, ...args]
        try {
          if (typeof a === 'string' && typeof b === 'string')
            work.spend(func.name === '_+_' ? a.length + b.length : Math.min(a.length, b.length))
        } catch (error) {
          return celError(error, id)
        }
        return func.call(id, target, args)
      }
      return Object.assign(Object.create(func), { call })
    })

/** Unicode characters, not UTF-16 units: a pair of surrogates counts once. */
function characters(text: string, work: Work): bigint {
  work.spend(text.length)
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count -= 1
  }
  return BigInt(count)
}

function toInt(text: string): bigint {
  const value = text.length <= MAX_NUMBER_LENGTH && /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  if (value === undefined || BigInt.asIntN(64, value) !== value) throw new RangeError('out of range: no whole number of 64 bits')
  return value
}

function toDouble(text: string): number {
  const value = text.length <= MAX_NUMBER_LENGTH && text.trim() !== '' ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw new RangeError('out of range: no number')
  return value
}
