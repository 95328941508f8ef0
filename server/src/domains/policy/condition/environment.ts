import type { CelEnv, CelFunc, CelList, CelMap, CelValue } from '@bufbuild/cel'
import { CelScalar, celEnv, celError, celFunc, celMethod, isCelList, isCelMap } from '@bufbuild/cel'
import { formFunctions } from './content-form-calls.ts'
import { loopFunctions } from './loop-costs.ts'
import { Pattern } from './pattern.ts'
import { timeFunctions } from './time-zone.ts'
import { rankOf } from './variables.ts'
import { PATTERN_COST, WorkCounter } from './work-budget.ts'

export interface Environment {
  readonly cel: CelEnv
  readonly work: WorkCounter
  /** Compiles each source once. Throws an Error with the reason if `source` is not valid. */
  pattern(source: string): Pattern
}

export function createEnvironment(): Environment {
  const patterns = new Map<string, Pattern>()
  const pattern = (source: string): Pattern => {
    const known = patterns.get(source) ?? new Pattern(source)
    patterns.set(source, known)
    return known
  }
  const work = new WorkCounter()
  return {
    cel: celEnv({
      funcs: [
        ...countedFunctions(work),
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
/** Converting a longer text to a number takes more than linear time. */
const MAX_NUMBER_LENGTH = 100

/** They replace the library's functions: its `size` builds an array of all characters, and its `double` returns NaN for any text. */
const textFunctions = (work: WorkCounter, pattern: Environment['pattern']): CelFunc[] => [
  celFunc('rank', [STRING], INT, (word) => BigInt(rankOf(word))),
  celFunc('int', [STRING], INT, toInt),
  celFunc('double', [STRING], DOUBLE, toDouble),
  celFunc('size', [STRING], INT, (text) => countCharacters(text, work)),
  celMethod('size', STRING, [], INT, function () {
    return countCharacters(this, work)
  }),
  celMethod('contains', STRING, [STRING], BOOL, function (part) {
    return work.contains(this, part)
  }),
  celMethod('matches', STRING, [STRING], BOOL, function (source) {
    work.spend(this.length * PATTERN_COST)
    return pattern(source).test(this)
  }),
]

const COUNTED = new Set(['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_', '_+_', 'startsWith', 'endsWith'])

/** The library's functions with their work counted: comparing megabytes in a loop would block the server. */
const countedFunctions = (work: WorkCounter): CelFunc[] =>
  [...celEnv().funcs]
    .filter(({ name }) => COUNTED.has(name))
    .map((func) => {
      const call: CelFunc['call'] = (id, target, args) => {
        const [a, b] = target === undefined ? args : [target, ...args]
        try {
          if (typeof a === 'string' && typeof b === 'string')
            work.spend(func.name === '_+_' ? a.length + b.length : Math.min(a.length, b.length))
          else if (haveSameSize(a, b)) work.chargeValues(a)
        } catch (error) {
          return celError(error, id)
        }
        return func.call(id, target, args)
      }
      return Object.assign(Object.create(func), { call })
    })

const haveSameSize = (a: CelValue | undefined, b: CelValue | undefined): a is CelList | CelMap =>
  (isCelList(a) && isCelList(b) && a.size === b.size) || (isCelMap(a) && isCelMap(b) && a.size === b.size)

function countCharacters(text: string, work: WorkCounter): bigint {
  work.spend(text.length)
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count -= 1
  }
  return BigInt(count)
}

function toInt(text: string): bigint {
  const value = text.length <= MAX_NUMBER_LENGTH && /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  if (value === undefined || BigInt.asIntN(64, value) !== value)
    throw new RangeError('out of range: not a whole number of 64 bits')
  return value
}

function toDouble(text: string): number {
  const value = text.length <= MAX_NUMBER_LENGTH && text.trim() !== '' ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw new RangeError('out of range: not a number')
  return value
}
